package compatibletest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/jpeg" // pictures come in these
	_ "image/png"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/engine/enginetest"
)

const maxBody = 50 << 20

// request is a request's body. Members that aren't there are refused.
type request struct {
	Model    string `json:"model"`
	Messages []struct {
		Role      string           `json:"role"`
		Content   jsontext.Value   `json:"content"`
		Calls     []toolCall       `json:"tool_calls"`
		CallID    string           `json:"tool_call_id"`
		Reasoning string           `json:"reasoning_content"`
		Details   []jsontext.Value `json:"reasoning_details"`
	} `json:"messages"`
	Tools []struct {
		Type     string `json:"type"`
		Function struct {
			Name        string         `json:"name"`
			Description string         `json:"description"`
			Parameters  jsontext.Value `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	Stream  bool `json:"stream"`
	Options *struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	Extra jsontext.Value `json:"extra_content"`
}

// Refusal is why a request is refused.
type Refusal struct {
	Status int
	Say    string
}

func (r *Refusal) Error() string { return r.Say }

func refuse(format string, args ...any) error { return &Refusal{400, fmt.Sprintf(format, args...)} }

// Read says what a request holds, or why a strict server would refuse it.
func Read(body []byte) (enginetest.Seen, error) {
	r, err := readAll(body)
	return r.seen, err
}

// reading is a request that is being read.
type reading struct {
	request request
	seen    enginetest.Seen
	open    []string // calls that wait for their answer
	all     map[string]bool
	said    []toolCall // all calls that the model is said to have made
	before  string     // the role of the message before
}

func readAll(body []byte) (*reading, error) {
	r := &reading{all: map[string]bool{}}
	if len(body) > maxBody {
		return r, &Refusal{413, "Request Entity Too Large"}
	}
	if err := json.Unmarshal(body, &r.request, json.RejectUnknownMembers(true)); err != nil {
		return r, refuse("Extra inputs are not permitted, or invalid JSON: %v", err)
	}
	if r.request.Model == "" || !r.request.Stream || len(r.request.Messages) < 2 {
		return r, refuse("model, stream and messages are required")
	}
	if err := r.tools(); err != nil {
		return r, err
	}
	for i := range r.request.Messages {
		if err := r.message(i); err != nil {
			return r, err
		}
		r.before = r.request.Messages[i].Role
	}
	if len(r.open) > 0 {
		return r, refuse("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id': %q", r.open)
	}
	if r.before == "assistant" {
		return r, refuse("The last message must not be the assistant's.")
	}
	return r, nil
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func (r *reading) tools() error {
	for _, t := range r.request.Tools {
		var schema struct {
			Schema string `json:"$schema"`
			Type   string `json:"type"`
		}
		if t.Type != "function" || !toolName.MatchString(t.Function.Name) || slices.Contains(r.seen.Tools, t.Function.Name) {
			return refuse("Invalid tool %q.", t.Function.Name)
		}
		if json.Unmarshal(t.Function.Parameters, &schema) != nil || schema.Type != "object" || schema.Schema != "" {
			return refuse("Invalid schema for function %q.", t.Function.Name)
		}
		r.seen.Tools = append(r.seen.Tools, t.Function.Name)
	}
	return nil
}

func (r *reading) message(i int) error {
	m := r.request.Messages[i]
	if m.Role != "tool" && len(r.open) > 0 {
		return refuse("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id': %q", r.open)
	}
	if m.Role != "assistant" && (len(m.Calls) > 0 || m.Reasoning != "" || m.Details != nil) || m.Role != "tool" && m.CallID != "" {
		return refuse("Extra inputs are not permitted in a message of the role %q.", m.Role)
	}
	if m.Role == r.before && m.Role != "tool" {
		return refuse("Conversation roles must alternate user/assistant/user/assistant/…")
	}
	switch m.Role {
	case "system":
		if i != 0 || json.Unmarshal(m.Content, &r.seen.System) != nil {
			return refuse("The system message must be text, and the first.")
		}
	case "user":
		if i == 0 {
			return refuse("There is no system message.")
		}
		return r.user(m.Content)
	case "assistant":
		return r.assistant(m.Content, m.Calls)
	case "tool":
		return r.tool(m.Content, m.CallID)
	default:
		return refuse("Unknown role %q.", m.Role)
	}
	return nil
}

func (r *reading) assistant(content jsontext.Value, calls []toolCall) error {
	var text string
	if content.Kind() != 'n' && json.Unmarshal(content, &text) != nil || text == "" && len(calls) == 0 {
		return refuse("An assistant message needs text or calls: %s", content)
	}
	r.seen.Newest = 0
	for _, c := range calls {
		if c.ID == "" || r.all[c.ID] || c.Type != "function" || !toolName.MatchString(c.Function.Name) {
			return refuse("Invalid tool call: %+v", c)
		}
		r.all[c.ID], r.open = true, append(r.open, c.ID)
	}
	r.said = append(r.said, calls...)
	return nil
}

func (r *reading) tool(content jsontext.Value, id string) error {
	at := slices.Index(r.open, id)
	if at < 0 {
		return refuse("Messages with role 'tool' must be a response to a preceding message with 'tool_calls': %q", id)
	}
	r.open = slices.Delete(r.open, at, at+1)
	var text string
	if content.Kind() != '"' || json.Unmarshal(content, &text) != nil {
		return refuse("The content of a tool message must be text; images are only allowed in messages of the role 'user'.")
	}
	r.seen.Results = append(r.seen.Results, enginetest.Result{Text: text})
	r.seen.Newest++
	return nil
}

// user reads what a person said, or the pictures that follow the answers of calls.
func (r *reading) user(content jsontext.Value) error {
	var text string
	if content.Kind() == '"' {
		if json.Unmarshal(content, &text) != nil || strings.TrimSpace(text) == "" || r.before == "tool" {
			return refuse("Invalid content of a message of the role 'user'.")
		}
		r.seen.Said = text
		return nil
	}
	parts, err := read(content)
	if err != nil {
		return err
	}
	if r.before == "tool" {
		return r.pictures(parts)
	}
	for _, p := range parts {
		r.seen.Said += p.text
		if p.picture != nil {
			r.seen.Shown = p.picture
		}
	}
	return nil
}

// pictures gives each newest answer that says that a picture follows its own.
func (r *reading) pictures(parts []part) error {
	for i := len(r.seen.Results) - r.seen.Newest; i < len(r.seen.Results); i++ {
		if !strings.Contains(r.seen.Results[i].Text, "The picture follows.") {
			continue
		}
		switch {
		case len(parts) > 0 && strings.Contains(parts[0].text, engine.Gone):
			parts = parts[1:]
		case len(parts) > 1 && parts[1].picture != nil:
			r.seen.Results[i].Picture, parts = parts[1].picture, parts[2:]
		default:
			return refuse("A picture was promised that isn't there.")
		}
	}
	if len(parts) > 0 {
		return refuse("There are pictures that belong to no answer.")
	}
	return nil
}

type part struct {
	text    string
	picture []byte
}

func read(content jsontext.Value) ([]part, error) {
	var raw []struct {
		Type  string `json:"type"`
		Text  string `json:"text"`
		Image struct {
			URL    string `json:"url"`
			Detail string `json:"detail"`
		} `json:"image_url"`
	}
	if err := json.Unmarshal(content, &raw, json.RejectUnknownMembers(true)); err != nil || len(raw) == 0 {
		return nil, refuse("Invalid content: %v", err)
	}
	var out []part
	for _, p := range raw {
		switch {
		case p.Type == "text" && p.Text != "":
			out = append(out, part{text: p.Text})
		case p.Type == "image_url" && p.Image.Detail == "high":
			pic, err := picture(p.Image.URL)
			if err != nil {
				return nil, err
			}
			out = append(out, part{picture: pic})
		default:
			return nil, refuse("Invalid part of the type %q.", p.Type)
		}
	}
	return out, nil
}

// picture reads a data URL.
func picture(url string) ([]byte, error) {
	head, data, ok := strings.Cut(url, ";base64,")
	raw, err := base64.StdEncoding.DecodeString(data)
	if !ok || err != nil {
		return nil, refuse("An image must be a data URL.")
	}
	if _, kind, err := image.DecodeConfig(bytes.NewReader(raw)); err != nil || "data:image/"+kind != head {
		return nil, refuse("cannot identify image file")
	}
	return raw, nil
}
