// Package openaitest is OpenAI's Responses API for tests: answers as it streams them, requests read as strictly as it
// reads them, and a server on this computer that thinks with a scripted model. It refuses what the real one refuses,
// and it stores nothing: all that it said must come back as it was.
package openaitest

import (
	"fmt"
	"net/http"

	"conch/gateway/engine"
	"conch/gateway/engine/enginetest"
)

// Style is how a model answers.
type Style struct {
	// Native says that the model uses OpenAI's computer tool; otherwise Conch's, as a function.
	Native bool
	// Old says that this is the older one, whose calls have one action each.
	Old bool
	// Number tells the answers of one conversation apart: the ids of its items are made of it.
	Number int
	// Brief leaves out the events that say again what others say.
	Brief bool
	// Checks are pending safety checks of the answer's first computer call.
	Checks []Check
}

// Check is a safety check that a person must acknowledge.
type Check struct {
	ID      string `json:"id"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// Faults are refused requests as OpenAI writes them.
func Faults() map[engine.ProblemKind]enginetest.Fault {
	fault := func(status int, kind, code, message string) enginetest.Fault {
		return enginetest.Fault{Status: status, Body: fmt.Sprintf(`{"error":{"message":%q,"type":%q,"param":null,"code":%q}}`, message, kind, code)}
	}
	return map[engine.ProblemKind]enginetest.Fault{
		engine.BadKey:   fault(http.StatusUnauthorized, "invalid_request_error", "invalid_api_key", "Incorrect API key provided: %s. You can find your API key at https://platform.openai.com/account/api-keys."),
		engine.NoCredit: fault(http.StatusTooManyRequests, "insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan and billing details. %s"),
		engine.NoModel:  fault(http.StatusNotFound, "invalid_request_error", "model_not_found", "The model `%s` does not exist or you do not have access to it."),
		engine.TooLong:  fault(http.StatusBadRequest, "invalid_request_error", "context_length_exceeded", "Your input exceeds the context window of this model. Please adjust your input and try again. %s"),
		engine.Busy:     fault(http.StatusTooManyRequests, "requests", "rate_limit_exceeded", "Rate limit reached for gpt-test in organization %s on requests per min. Please try again in 6s."),
		engine.Declined: fault(http.StatusBadRequest, "invalid_request_error", "invalid_prompt", "Your prompt was flagged as potentially violating our usage policy: %s"),
		engine.Blind:    fault(http.StatusBadRequest, "invalid_request_error", "", "Image input is not supported by this model. %s"),
	}
}

// Unknown is an event of a kind that nobody knows; Broken says in the middle of an answer that the servers are
// overloaded.
var (
	Unknown = frame("response.dreamt", map[string]any{"sequence_number": 99, "dream": map[string]any{"of": []int{1}}})
	Broken  = frame("error", map[string]any{"code": "server_is_overloaded", "message": "Our servers are currently overloaded.", "param": nil, "sequence_number": 3})
)
