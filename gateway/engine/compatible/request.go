package compatible

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/tool"
)

// The shapes of a request. Members that servers don't agree on are left out where they say nothing.
type (
	request struct {
		Model         string         `json:"model"`
		Messages      jsontext.Value `json:"messages"`
		Tools         []function     `json:"tools,omitempty"`
		Stream        bool           `json:"stream"`
		StreamOptions *streamOptions `json:"stream_options,omitempty"`
	}
	streamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	}
	function struct {
		Type     string `json:"type"`
		Function struct {
			Name        string         `json:"name"`
			Description string         `json:"description"`
			Parameters  jsontext.Value `json:"parameters"`
		} `json:"function"`
	}
	message struct {
		Role       string     `json:"role"`
		Content    any        `json:"content"` // text, or parts, or null beside calls
		ToolCalls  []toolCall `json:"tool_calls,omitempty"`
		ToolCallID string     `json:"tool_call_id,omitempty"`
		// What the server itself sent with the answer. Some refuse the calls of a model without its reasoning.
		ReasoningContent string           `json:"reasoning_content,omitempty"`
		ReasoningDetails []jsontext.Value `json:"reasoning_details,omitempty"`
	}
	toolCall struct {
		ID       string         `json:"id"`
		Type     string         `json:"type"`
		Function calledFunction `json:"function"`
		// Extra is what some servers put beside a call and want back, such as a thought's signature.
		Extra jsontext.Value `json:"extra_content,omitempty"`
	}
	calledFunction struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	part struct {
		Type  string    `json:"type"`
		Text  string    `json:"text,omitempty"`
		Image *imageURL `json:"image_url,omitempty"`
	}
	imageURL struct {
		URL    string `json:"url"`
		Detail string `json:"detail"`
	}
)

func text(s string) part { return part{Type: "text", Text: s} }

// image asks to look closely: a picture that is made smaller puts points off.
func image(p *tool.Picture) part {
	return part{Type: "image_url", Image: &imageURL{URL: DataURL(p), Detail: "high"}}
}

// toolless is told to a model that can't call tools where there would be some.
const toolless = "You have no tools in this chat, since this model can't call any. When you are asked to do something on " +
	"the computer, say that, and that another model can be chosen in Settings → Models."

// body is a request. What is the same in every request of a turn comes first.
func (r *run) body(q quirk) ([]byte, error) {
	prompt := r.t.Prompt()
	in := request{Model: r.t.Model.ID, Stream: true}
	if !q.noUsage {
		in.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	if q.noTools {
		prompt += "\n\n" + toolless
	} else {
		for _, t := range r.t.Tools {
			f := function{Type: "function"}
			f.Function.Name, f.Function.Description, f.Function.Parameters = t.Name, t.About, parameters(t.Schema)
			in.Tools = append(in.Tools, f)
		}
	}
	messages := []byte("[")
	for i, m := range append([][]byte{encode(message{Role: "system", Content: prompt})}, r.said.messages()...) {
		if i > 0 {
			messages = append(messages, ',')
		}
		messages = append(messages, m...)
	}
	in.Messages = append(messages, ']')
	return json.Marshal(in)
}

// parameters is a schema without its "$schema", which some servers don't know.
func parameters(schema []byte) jsontext.Value {
	const none = `{"type":"object","properties":{}}`
	var members map[string]jsontext.Value
	if json.Unmarshal(schema, &members) != nil {
		return jsontext.Value(none)
	}
	delete(members, "$schema")
	out, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return jsontext.Value(none)
	}
	return out
}

// encode is a message as JSON. It fails for nothing that is made here; a null would be refused by the server.
func encode(m message) []byte {
	out, err := json.Marshal(m, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return []byte("null")
	}
	return out
}

// transcript is what a request's messages hold: the chat so far, then the rounds of this turn.
type transcript struct {
	chat   [][]byte
	rounds []round
	album  engine.Album
	last   int // the newest picture's number
	any    bool
}

// round is one answer of the model and what it got back.
type round struct {
	messages [][]byte
	pictures []picture
}

// picture is one that follows the answers of a round.
type picture struct {
	lead string // what it shows
	p    *tool.Picture
	no   int // its number in the album
}

// newTranscript reads a chat. Messages of one role after another are one, since some models want them in turns.
func newTranscript(t engine.Turn) transcript {
	var all []message
	for _, m := range t.Messages {
		role := "user"
		if m.Role == engine.Assistant {
			role = "assistant"
		}
		if m.Picture != nil {
			all = append(all, message{Role: role, Content: []part{text(m.Text), image(m.Picture)}})
			continue
		}
		if strings.TrimSpace(m.Text) == "" {
			continue
		}
		if n := len(all); n > 0 && all[n-1].Role == role {
			if before, ok := all[n-1].Content.(string); ok {
				all[n-1].Content = before + "\n\n" + m.Text
				continue
			}
		}
		all = append(all, message{Role: role, Content: m.Text})
	}
	s := transcript{album: engine.Album{Forgets: t.Model.Forgets}}
	for _, m := range all {
		s.chat = append(s.chat, encode(m))
	}
	return s
}

// messages are all messages but the system's.
func (s *transcript) messages() [][]byte {
	out := s.chat[:len(s.chat):len(s.chat)]
	for _, r := range s.rounds {
		out = append(out, r.messages...)
		if len(r.pictures) == 0 {
			continue
		}
		var parts []part
		for _, p := range r.pictures {
			if s.album.Kept(p.no) {
				parts = append(parts, text(p.lead), image(p.p))
			} else {
				parts = append(parts, text(p.lead+" "+engine.Gone))
			}
		}
		out = append(out, encode(message{Role: "user", Content: parts}))
	}
	return out
}

// same says that a picture shows what the newest one in the transcript shows.
func (s *transcript) same(p *tool.Picture) bool { return p.Same && s.any && s.album.Kept(s.last) }

// add counts a picture in.
func (s *transcript) add(p *tool.Picture, lead string) picture {
	s.last, s.any = s.album.Add(), true
	return picture{lead: lead, p: p, no: s.last}
}
