package openaitest

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"conch/gateway/engine/enginetest"
)

// Bounds of a request, as OpenAI documents them.
const (
	maxBody  = 50 << 20
	maxCheck = 64
)

// request is a request's body. Members that aren't there are refused.
type request struct {
	Model             string           `json:"model"`
	Instructions      string           `json:"instructions"`
	Input             []jsontext.Value `json:"input"`
	Tools             []jsontext.Value `json:"tools"`
	ToolChoice        string           `json:"tool_choice"`
	Store             *bool            `json:"store"`
	Stream            bool             `json:"stream"`
	Include           []string         `json:"include"`
	PromptCacheKey    string           `json:"prompt_cache_key"`
	Truncation        string           `json:"truncation"`
	ParallelToolCalls *bool            `json:"parallel_tool_calls"`
	MaxOutputTokens   int              `json:"max_output_tokens"`
}

// Refusal is why a request is refused.
type Refusal struct {
	Status int
	Code   string
	Say    string
}

func (r *Refusal) Error() string { return r.Say }

func refuse(format string, args ...any) error {
	return &Refusal{400, "invalid_request_error", fmt.Sprintf(format, args...)}
}

// Read says what a request holds, or why OpenAI would refuse it.
func Read(body []byte) (enginetest.Seen, error) {
	r, err := readAll(body, nil)
	return r.seen, err
}

// memory is what a server said so far: items by their id, and which of them came in one answer.
type memory map[string]spoken

type spoken struct {
	item   jsontext.Value
	answer []string // the ids of the answer's items, in order
}

// reading is a request that is being read.
type reading struct {
	memory  memory
	request request
	seen    enginetest.Seen
	native  bool
	open    map[string]call // calls that wait for their answer
	all     map[string]bool // calls there ever were
	worded  bool            // a developer's message belongs to the result before it
}

type call struct {
	computer bool
	checks   []Check
	id       string
}

// readAll reads a request against what was said so far; nil: nothing is known of that.
func readAll(body []byte, m memory) (*reading, error) {
	r := &reading{memory: m, open: map[string]call{}, all: map[string]bool{}}
	if len(body) > maxBody {
		return r, &Refusal{413, "request_too_large", "The request is too large."}
	}
	if err := json.Unmarshal(body, &r.request, json.RejectUnknownMembers(true)); err != nil {
		return r, refuse("We could not parse the JSON body of your request: %v", err)
	}
	for _, step := range []func() error{r.head, r.tools, r.items} {
		if err := step(); err != nil {
			return r, err
		}
	}
	for id, c := range r.open {
		return r, refuse("No tool output found for %s call %s.", map[bool]string{true: "computer", false: "function"}[c.computer], id)
	}
	return r, nil
}

func (r *reading) head() error {
	q := r.request
	r.seen.System = q.Instructions
	switch {
	case q.Model == "":
		return refuse("Missing required parameter: 'model'.")
	case !q.Stream:
		return refuse("This server only streams.")
	case q.Store == nil || *q.Store:
		return refuse("Conch must not have responses stored.")
	case !slices.Contains(q.Include, "reasoning.encrypted_content"):
		return refuse("Without its encrypted content, reasoning can't be sent back to a server that stores nothing.")
	case q.ToolChoice != "" && q.ToolChoice != "none" && q.ToolChoice != "auto":
		return refuse("Invalid value: 'tool_choice'.")
	case len(q.PromptCacheKey) > 64:
		return refuse("Invalid 'prompt_cache_key': string too long.")
	case len(q.Input) == 0:
		return refuse("One of \"input\" or \"previous_response_id\" must be provided.")
	}
	return nil
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func (r *reading) tools() error {
	for _, raw := range r.request.Tools {
		var t struct {
			Type        string         `json:"type"`
			Name        string         `json:"name"`
			Description string         `json:"description"`
			Parameters  jsontext.Value `json:"parameters"`
			Strict      *bool          `json:"strict"`
			W           int            `json:"display_width"`
			H           int            `json:"display_height"`
			System      string         `json:"environment"`
		}
		if err := json.Unmarshal(raw, &t, json.RejectUnknownMembers(true)); err != nil {
			return refuse("Invalid tool: %v", err)
		}
		name := t.Name
		switch t.Type {
		case "computer":
			if len(raw) != len(`{"type":"computer"}`) {
				return refuse("Unknown parameter in the computer tool: %s", raw)
			}
			r.native, name = true, "computer"
		case "computer_use_preview":
			if t.W <= 0 || t.H <= 0 || !slices.Contains([]string{"windows", "mac", "linux", "ubuntu", "browser"}, t.System) {
				return refuse("Invalid computer tool: %s", raw)
			}
			if r.request.Truncation != "auto" {
				return refuse("The computer_use_preview tool requires truncation to be \"auto\".")
			}
			r.native, name = true, "computer"
		case "function":
			if !toolName.MatchString(t.Name) {
				return refuse("Invalid 'tools[].name': %q.", t.Name)
			}
			if err := schema(t.Parameters, t.Strict == nil || *t.Strict); err != nil {
				return err
			}
		default:
			return refuse("Invalid value: 'tools[].type' %q.", t.Type)
		}
		if slices.Contains(r.seen.Tools, name) {
			return refuse("Two tools are called %q.", name)
		}
		r.seen.Tools = append(r.seen.Tools, name)
	}
	return nil
}

// schema checks the parameters of a function. A strict one needs each of them and allows no others.
func schema(raw jsontext.Value, strict bool) error {
	var s struct {
		Type       string                    `json:"type"`
		Properties map[string]jsontext.Value `json:"properties"`
		Required   []string                  `json:"required"`
		More       jsontext.Value            `json:"additionalProperties"`
	}
	if raw.Kind() != '{' || json.Unmarshal(raw, &s) != nil || s.Type != "object" {
		return refuse("Invalid schema for function: schema must be a JSON Schema of 'type: \"object\"'.")
	}
	if !strict {
		return nil
	}
	if string(s.More) != "false" {
		return refuse("Invalid schema for function: 'additionalProperties' is required to be supplied and to be false.")
	}
	for name := range s.Properties {
		if !slices.Contains(s.Required, name) {
			return refuse("Invalid schema for function: 'required' is required to include every key in properties. Missing %q.", name)
		}
	}
	return nil
}

// item is an item of the input, of any kind.
type item struct {
	Type      string         `json:"type"`
	Role      string         `json:"role"`
	Content   jsontext.Value `json:"content"`
	ID        string         `json:"id"`
	CallID    string         `json:"call_id"`
	Name      string         `json:"name"`
	Arguments *string        `json:"arguments"`
	Output    jsontext.Value `json:"output"`
	Checks    []Check        `json:"pending_safety_checks"`
	Known     []Check        `json:"acknowledged_safety_checks"`
	Sealed    string         `json:"encrypted_content"`
}

func (r *reading) items() error {
	for at, raw := range r.request.Input {
		var it item
		if err := json.Unmarshal(raw, &it); err != nil {
			return refuse("Invalid type for 'input[%d]': %v", at, err)
		}
		if err := r.item(at, it, raw); err != nil {
			return err
		}
		r.worded = it.Type == "computer_call_output"
	}
	return nil
}

func (r *reading) item(at int, it item, raw jsontext.Value) error {
	switch it.Type {
	case "", "message":
		if it.ID != "" {
			return r.said(at, it, raw)
		}
		return r.message(it)
	case "reasoning":
		if it.Sealed == "" {
			return &Refusal{404, "not_found", "Item with id '" + it.ID + "' not found. Items are not persisted when `store` is set to false."}
		}
		return r.said(at, it, raw)
	case "function_call", "computer_call":
		if it.CallID == "" || it.Type == "function_call" && it.Arguments == nil {
			return refuse("Missing required parameter: 'input[%d]'.", at)
		}
		if r.all[it.CallID] {
			return refuse("Duplicate item with call_id %s.", it.CallID)
		}
		r.all[it.CallID] = true
		r.open[it.CallID] = call{it.Type == "computer_call", it.Checks, it.CallID}
		return r.said(at, it, raw)
	case "function_call_output", "computer_call_output":
		c, ok := r.open[it.CallID]
		if !ok || c.computer != (it.Type == "computer_call_output") {
			return refuse("No tool call found for %s with call_id %s.", it.Type, it.CallID)
		}
		delete(r.open, it.CallID)
		return r.answer(c, it)
	}
	return refuse("Invalid value: 'input[%d].type' %q.", at, it.Type)
}

// said checks something that the model said: it must be as it was, and together with what it came with.
func (r *reading) said(at int, it item, raw jsontext.Value) error {
	r.seen.Newest = 0
	if r.memory == nil {
		return nil
	}
	if it.ID == "" && it.Type == "function_call" { // alone: only what was called must be right
		for _, was := range r.memory {
			var same item
			if json.Unmarshal(was.item, &same) == nil && same.CallID == it.CallID && same.Name == it.Name && *same.Arguments == *it.Arguments {
				return nil
			}
		}
		return refuse("There was no call %s of %s.", it.CallID, it.Name)
	}
	was, ok := r.memory[it.ID]
	if !ok {
		return refuse("Item with id '%s' not found.", it.ID)
	}
	if !sameJSON(was.item, raw) {
		return refuse("Item '%s' isn't as it was: %s", it.ID, cmp.Diff(string(was.item), string(raw)))
	}
	n := slices.Index(was.answer, it.ID)
	if n > 0 && strings.HasPrefix(was.answer[n-1], "rs_") && r.idAt(at-1) != was.answer[n-1] {
		return refuse("Item '%s' of type '%s' was provided without its required 'reasoning' item: '%s'.", it.ID, it.Type, was.answer[n-1])
	}
	if it.Type == "reasoning" && n+1 < len(was.answer) && r.idAt(at+1) != was.answer[n+1] {
		return refuse("Item '%s' of type 'reasoning' was provided without its required following item.", it.ID)
	}
	return nil
}

func (r *reading) idAt(at int) string {
	var it item
	if at < 0 || at >= len(r.request.Input) || json.Unmarshal(r.request.Input[at], &it) != nil {
		return ""
	}
	return it.ID
}

func sameJSON(a, b jsontext.Value) bool {
	a, b = a.Clone(), b.Clone()
	return a.Canonicalize() == nil && b.Canonicalize() == nil && bytes.Equal(a, b)
}

func (r *reading) message(it item) error {
	text, pic, err := content(it.Content, it.Role)
	if err != nil {
		return err
	}
	switch it.Role {
	case "user":
		r.seen.Said, r.seen.Shown = text, pic
		r.seen.Results, r.seen.Newest = nil, 0
	case "assistant":
	case "developer":
		if n := len(r.seen.Results); r.worded && n > 0 {
			r.seen.Results[n-1].Text = text
			return nil
		}
		// What was told in words for want of a picture is an answer too.
		r.seen.Results = append(r.seen.Results, enginetest.Result{Text: text})
		r.seen.Newest++
	default:
		return refuse("Invalid value: 'role' %q.", it.Role)
	}
	return nil
}
