// Package compatibletest is Chat Completions for tests: answers as OpenAI and the servers after it stream them, with
// their odd ways, requests read as strictly as the strictest of them reads them, and a server on this computer that
// thinks with a scripted model.
package compatibletest

import (
	"fmt"
	"net/http"

	"conch/gateway/engine"
	"conch/gateway/engine/enginetest"
)

// Style is how a server streams. The zero value is OpenAI's own way.
type Style struct {
	Number int // tells the answers of one conversation apart

	Thinks  Thinks
	Usage   Usage
	NoIndex bool // calls have no index
	OneSlot bool // each call has the index 0
	NoIDs   bool // calls have no id
	Whole   bool // a call comes in one piece
	Object  bool // its arguments are an object rather than text
	Stop    bool // the reason to finish is "stop", also with calls
	NoDone  bool // nothing marks the end
	Empty   bool // pieces without anything in them come between the others
	Signed  bool // each call has something beside it that must come back
	Parts   bool // content comes as a list of parts
}

// Thinks is where a server puts what its model thinks.
type Thinks int

// The places of thoughts.
const (
	InReasoningContent Thinks = iota // DeepSeek, LM Studio, vLLM
	InReasoning                      // OpenRouter, Ollama; with details that must come back
	InText                           // between <think> and </think>
)

// Usage is where a server tells what an answer took.
type Usage int

// The places of the usage.
const (
	WithFinish Usage = iota
	InItsOwn         // in a chunk without choices, as OpenAI does
	Nowhere
)

// Faults are refused requests as such servers write them.
func Faults() map[engine.ProblemKind]enginetest.Fault {
	fault := func(status int, body string) enginetest.Fault { return enginetest.Fault{Status: status, Body: body} }
	return map[engine.ProblemKind]enginetest.Fault{
		engine.BadKey:   fault(http.StatusUnauthorized, `{"error":{"message":"No auth credentials found: %s","code":401}}`),
		engine.NoCredit: fault(http.StatusPaymentRequired, `{"error":{"message":"Insufficient credits %s","code":402}}`),
		engine.NoModel:  fault(http.StatusNotFound, `{"object":"error","message":"The model %s does not exist.","type":"NotFoundError","param":null,"code":404}`),
		engine.TooLong:  fault(http.StatusBadRequest, `{"object":"error","message":"This model's maximum context length is 32768 tokens. However, you requested %s","type":"BadRequestError","param":null,"code":400}`),
		engine.Busy:     fault(http.StatusTooManyRequests, `{"error":{"message":"Rate limit exceeded: %s","code":429}}`),
		engine.Declined: fault(http.StatusForbidden, `{"error":{"message":"Your chosen model requires moderation and your input was flagged %s","code":403}}`),
		engine.Blind:    fault(http.StatusNotFound, `{"error":{"message":"No endpoints found that support image input %s","code":404}}`),
	}
}

// Unknown is a chunk of a kind that nobody knows; Broken says in the middle of an answer that the model's provider is
// overloaded.
var (
	Unknown = []byte(": PROCESSING\n\nevent: dream\ndata: {\"object\":\"chat.dream\",\"choices\":[],\"dream\":{\"of\":[1]}}\n\n")
	Broken  = []byte("data: {\"error\":{\"code\":502,\"message\":\"Provider returned error\"},\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"error\"}]}\n\n")
)

func signature(call string) map[string]any {
	return map[string]any{"google": map[string]any{"thought_signature": fmt.Sprintf("sealed-%s", call)}}
}
