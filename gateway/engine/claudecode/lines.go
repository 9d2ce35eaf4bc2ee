package claudecode

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// line is what claude writes, of all kinds that matter here.
type line struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`

	// of the first line, which says what claude is about to use
	Tools   []string `json:"tools"`
	Servers []struct {
		Name   string `json:"name"`
		Status string `json:"status"`
	} `json:"mcp_servers"`

	Parent  string         `json:"parent_tool_use_id"` // another agent's, where it isn't empty
	Event   streamed       `json:"event"`              // a piece of an answer
	Message answer         `json:"message"`            // a part of an answer as a whole
	Error   jsontext.Value `json:"error"`              // what went wrong, in a word
	Retry   int            `json:"error_status"`
	Failed  bool           `json:"is_error"`
	Status  int            `json:"api_error_status"`
	Result  jsontext.Value `json:"result"`
}

type streamed struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message answer `json:"message"`
	Delta   struct {
		Type       string `json:"type"`
		Text       string `json:"text"`
		Thinking   string `json:"thinking"`
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage usage `json:"usage"`
}

type answer struct {
	ID      string `json:"id"`
	Model   string `json:"model"`
	Content []struct {
		Type string `json:"type"`
		ID   string `json:"id"`
		Name string `json:"name"`
		Text string `json:"text"`
	} `json:"content"`
	Usage usage `json:"usage"`
}

type usage struct {
	In   int `json:"input_tokens"`
	Out  int `json:"output_tokens"`
	Read int `json:"cache_read_input_tokens"`
	Made int `json:"cache_creation_input_tokens"`
}

var lax = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// known are the kinds of lines that are looked at. All others are passed over, whatever is in them.
var known = map[string]bool{"system": true, "stream_event": true, "assistant": true, "result": true}

// readLine reads a line. One that is of no known kind has none; one that isn't JSON at all is passed over too, as
// long as it doesn't begin like it.
func readLine(data []byte) (line, error) {
	data = bytes.TrimSpace(data)
	if !bytes.HasPrefix(data, []byte("{")) {
		return line{}, nil
	}
	var head struct {
		Type    jsontext.Value `json:"type"`
		Subtype jsontext.Value `json:"subtype"`
	}
	if err := json.Unmarshal(data, &head, lax); err != nil {
		return line{}, err
	}
	kind, sub := word(head.Type), word(head.Subtype)
	if !known[kind] || kind == "system" && sub != "init" && sub != "api_retry" {
		return line{}, nil
	}
	var l line
	if err := json.Unmarshal(data, &l, lax); err != nil {
		return line{}, err
	}
	return l, nil
}

func word(v jsontext.Value) string {
	var s string
	if v.Kind() == '"' {
		_ = json.Unmarshal(v, &s, lax) // what isn't a word is none
	}
	return s
}
