package ollamatest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"image"
	_ "image/jpeg" // whether a picture is one
	_ "image/png"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine/enginetest"
)

// Type is the type of an answer.
const Type = "application/x-ndjson"

// What is counted of a request, in tokens: as many as four bytes of text, and as many as one picture takes.
const (
	letters = 4
	picture = 1000
)

// Dialect is how one model speaks and what it takes.
type Dialect struct{ Model }

type object = map[string]any

func line(v any) []byte {
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err) // a scripted answer that is no JSON
	}
	return append(text, '\n')
}

// Encode is an answer as Ollama streams it: calls come whole.
func (d Dialect) Encode(a enginetest.Answer) [][]byte {
	var out [][]byte
	add := func(m object) {
		m["role"] = "assistant"
		if m["content"] == nil {
			m["content"] = ""
		}
		out = append(out, line(object{"model": d.Name, "created_at": "2026-11-29T10:00:00Z", "message": m, "done": false}))
	}
	add(object{})
	if a.Thinking != "" {
		add(object{"thinking": a.Thinking})
	}
	for _, p := range pieces(a.Text) {
		add(object{"content": p})
	}
	for i, c := range a.Calls {
		args := jsontext.Value(c.Args)
		if c.Args == "" {
			args = jsontext.Value("{}")
		}
		f := object{"index": i, "name": c.Name, "arguments": args}
		add(object{"tool_calls": []object{{"id": c.ID + "." + sum(c.Name, args), "function": f}}})
	}
	reason := "stop"
	if a.Full {
		reason = "length"
	}
	return append(out, line(object{
		"model": d.Name, "created_at": "2026-11-29T10:00:00Z", "message": object{"role": "assistant", "content": ""},
		"done": true, "done_reason": reason, "prompt_eval_count": a.Usage.In, "eval_count": a.Usage.Out, "total_duration": 1,
	}))
}

// pieces cuts a text as a stream does, between characters.
func pieces(s string) []string {
	var out []string
	for len(s) > 0 {
		n := min(len(s), 9)
		for n < len(s) && !utf8.RuneStart(s[n]) {
			n++
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// sum stands in a call's id, so that whoever changes the call is found out.
func sum(name string, args jsontext.Value) string {
	args = args.Clone()
	_ = args.Canonicalize()
	h := sha256.Sum256([]byte(name + "\x00" + string(args)))
	return hex.EncodeToString(h[:4])
}

// The shapes of a request, all that is taken.
type (
	request struct {
		Model    string    `json:"model"`
		Messages []message `json:"messages"`
		Tools    []struct {
			Type     string `json:"type"`
			Function struct {
				Name   string         `json:"name"`
				About  string         `json:"description"`
				Schema jsontext.Value `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
		Think   bool `json:"think"`
		Options struct {
			Context int `json:"num_ctx"`
		} `json:"options"`
		Truncate *bool `json:"truncate"`
		Shift    *bool `json:"shift"`
		Stream   *bool `json:"stream"`
	}
	message struct {
		Role     string         `json:"role"`
		Content  jsontext.Value `json:"content"`
		Thinking string         `json:"thinking"`
		Images   []string       `json:"images"`
		Calls    []call         `json:"tool_calls"`
		ToolName string         `json:"tool_name"`
		CallID   string         `json:"tool_call_id"`
	}
	call struct {
		ID       string `json:"id"`
		Function struct {
			Index int            `json:"index"`
			Name  string         `json:"name"`
			Args  jsontext.Value `json:"arguments"`
		} `json:"function"`
	}
)

// reading is one request being read.
type reading struct {
	d      Dialect
	seen   enginetest.Seen
	open   []call // calls without an answer yet
	from   int    // the first result of the newest calls
	tokens int
}

// Read says what a request holds. The error is a *Refusal.
func (d Dialect) Read(body []byte) (enginetest.Seen, error) {
	var q request
	if err := json.Unmarshal(body, &q, json.RejectUnknownMembers(true)); err != nil {
		return enginetest.Seen{}, bad("%v", err)
	}
	r := &reading{d: d}
	if err := r.head(q); err != nil {
		return enginetest.Seen{}, err
	}
	for i, m := range q.Messages {
		if err := r.message(i, m); err != nil {
			return enginetest.Seen{}, err
		}
	}
	if len(r.open) > 0 {
		return enginetest.Seen{}, bad("a tool call has no answer")
	}
	if last := q.Messages[len(q.Messages)-1].Role; last == "assistant" || last == "system" {
		return enginetest.Seen{}, bad("there is nothing to answer")
	}
	if n := q.Options.Context; n > 0 && r.tokens > n {
		return enginetest.Seen{}, bad("the prompt is longer than the context length currently available to the model; shorten the prompt")
	}
	r.seen.Newest = len(r.seen.Results) - r.from
	return r.seen, nil
}

func (r *reading) head(q request) error {
	can := func(c string) bool { return slices.Contains(r.d.Can, c) }
	switch {
	case len(q.Messages) == 0:
		return bad("no messages")
	case q.Stream == nil || !*q.Stream || q.Truncate == nil || *q.Truncate || q.Shift == nil || *q.Shift:
		return bad("the transcript would be shortened in silence")
	case r.d.Remote == "" && (q.Options.Context <= 0 || q.Options.Context > r.d.Context):
		return bad("num_ctx %d isn't for a model of %d", q.Options.Context, r.d.Context)
	case q.Think && !can("thinking"):
		return bad("%q does not support thinking", q.Model)
	case len(q.Tools) > 0 && !can("tools"):
		return bad("registry.ollama.ai/library/%s does not support tools", q.Model)
	}
	for _, t := range q.Tools {
		if t.Type != "function" || t.Function.Name == "" || t.Function.Schema.Kind() != '{' {
			return bad("invalid tool")
		}
		r.seen.Tools = append(r.seen.Tools, t.Function.Name)
	}
	return nil
}

func (r *reading) message(i int, m message) error {
	var text string
	if m.Content.Kind() != '"' || json.Unmarshal(m.Content, &text) != nil {
		return bad("json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string")
	}
	r.tokens += len(text) / letters
	pics, err := r.pictures(m)
	if err != nil {
		return err
	}
	if len(r.open) > 0 && m.Role != "tool" {
		return bad("a tool call has no answer")
	}
	switch m.Role {
	case "system":
		if i != 0 {
			return bad("the system message isn't the first")
		}
		r.seen.System = text
	case "user":
		if strings.TrimSpace(text) == "" && len(pics) == 0 {
			return bad("an empty message")
		}
		return r.user(text, pics)
	case "assistant":
		return r.assistant(text, m)
	case "tool":
		if len(r.open) == 0 || m.ToolName != r.open[0].Function.Name || m.CallID != r.open[0].ID || len(pics) > 0 {
			return bad("an answer to no call, to another one, or with a picture that most models don't see")
		}
		r.open = r.open[1:]
		r.seen.Results = append(r.seen.Results, enginetest.Result{Text: text})
	default:
		return bad("invalid role: %s", m.Role)
	}
	return nil
}

func (r *reading) pictures(m message) ([][]byte, error) {
	var out [][]byte
	for _, one := range m.Images {
		data, err := base64.StdEncoding.DecodeString(one)
		if err != nil {
			return nil, bad("illegal base64 data at input byte 4")
		}
		if _, _, err := image.DecodeConfig(bytes.NewReader(data)); err != nil {
			return nil, bad("invalid image input")
		}
		if !slices.Contains(r.d.Can, "vision") {
			return nil, &Refusal{500, "this model is missing data required for image input"}
		}
		out = append(out, data)
		r.tokens += picture
	}
	return out, nil
}

// user is the person's message, or the pictures of the answers before it.
func (r *reading) user(text string, pics [][]byte) error {
	if len(r.seen.Results) == 0 {
		r.seen.Said = text
		if len(pics) > 0 {
			r.seen.Shown = pics[len(pics)-1]
		}
		return nil
	}
	at := len(r.seen.Results) - len(pics)
	if at < r.from {
		return bad("there are more pictures than answers")
	}
	for i, p := range pics {
		r.seen.Results[at+i].Picture = p
	}
	return nil
}

func (r *reading) assistant(text string, m message) error {
	if strings.TrimSpace(text) == "" && len(m.Calls) == 0 {
		return bad("an empty message")
	}
	for _, c := range m.Calls {
		_, check, _ := strings.Cut(c.ID, ".")
		if c.Function.Args.Kind() != '{' || check != sum(c.Function.Name, c.Function.Args) {
			return bad("a call isn't the one that the model made")
		}
	}
	r.open, r.from = m.Calls, len(r.seen.Results)
	return nil
}
