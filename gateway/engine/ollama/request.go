package ollama

import (
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/tool"
)

// The shapes of the API, as far as they are sent.
type (
	request struct {
		Model    string    `json:"model"`
		Messages []message `json:"messages"`
		Tools    []toolbox `json:"tools,omitempty"`
		Think    bool      `json:"think,omitzero"`
		Options  *options  `json:"options,omitempty"`
		// Without these two a transcript that doesn't fit loses its beginning in silence, the system text with it.
		Truncate bool `json:"truncate"`
		Shift    bool `json:"shift"`
		Stream   bool `json:"stream"`
	}
	options struct {
		Context int `json:"num_ctx"`
	}
	message struct {
		Role     string           `json:"role"`
		Content  string           `json:"content"` // always text: a list would be split into messages
		Thinking string           `json:"thinking,omitempty"`
		Images   [][]byte         `json:"images,omitempty"`
		Calls    []jsontext.Value `json:"tool_calls,omitempty"`
		ToolName string           `json:"tool_name,omitempty"`
		CallID   string           `json:"tool_call_id,omitempty"`
	}
	toolbox struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	function struct {
		Name   string         `json:"name"`
		About  string         `json:"description"`
		Schema jsontext.Value `json:"parameters"`
	}
)

// newHead is all of a request but the transcript; its only message is the system's.
func newHead(t engine.Turn, can abilities, s shown) (request, error) {
	q := request{Model: t.Model.ID, Think: can.thinks, Stream: true}
	if n := s.window(); n > 0 && !s.remote() {
		q.Options = &options{Context: n}
	}
	if p := t.Prompt(); p != "" {
		q.Messages = []message{{Role: "system", Content: p}}
	}
	if !can.calls {
		return q, nil
	}
	for _, one := range t.Tools {
		f := function{Name: one.Name, About: one.About, Schema: jsontext.Value(`{"type":"object","properties":{}}`)}
		if len(one.Schema) > 0 {
			f.Schema = jsontext.Value(one.Schema).Clone()
			if err := f.Schema.Compact(); err != nil {
				return request{}, err
			}
		}
		q.Tools = append(q.Tools, toolbox{"function", f})
	}
	return q, nil
}

// script is the transcript of a turn as it is sent. It only grows, but for pictures, which age.
type script struct {
	album engine.Album
	gone  int // pictures before this one were taken out to make room
	last  int // the number of the newest picture, from 1; 0 before it
	items []item
}

// item is one message, with the numbers of the pictures that belong to it.
type item struct {
	message
	pics []*tool.Picture
	nums []int
}

func (s *script) begin(t engine.Turn) {
	for _, m := range t.Messages {
		it := item{message: message{Role: "user", Content: m.Text}}
		if m.Role == engine.Assistant {
			it.Role = "assistant"
		}
		if m.Picture != nil {
			s.add(&it, m.Picture)
		}
		if blank(m.Text) && len(it.pics) == 0 {
			continue
		}
		s.items = append(s.items, it)
	}
}

func (s *script) add(it *item, p *tool.Picture) {
	n := s.album.Add()
	it.pics, it.nums = append(it.pics, p), append(it.nums, n)
	s.last = n + 1
}

func (s *script) kept(n int) bool { return n >= s.gone && s.album.Kept(n) }

// thin takes all pictures out but the newest. It is false when there is no other.
func (s *script) thin() bool {
	before := s.gone
	s.gone = max(s.last-1, 0)
	for n := before; n < s.gone; n++ {
		if s.album.Kept(n) {
			return true
		}
	}
	return false
}

// heard writes down what the model said.
func (s *script) heard(a answer) {
	s.items = append(s.items, item{message: message{
		Role: "assistant", Content: a.text.String(), Thinking: a.thinking.String(), Calls: a.raw,
	}})
}

// answer writes the answer to a call down, and returns the picture that is to follow it: the server takes pictures
// only in a person's message, and that comes after all answers.
func (s *script) answer(c call, r tool.Result) *tool.Picture {
	it := item{message: message{Role: "tool", Content: r.Text, ToolName: c.Function.Name, CallID: c.ID}}
	pic := r.Picture
	if pic != nil && pic.Same && s.last > 0 && s.kept(s.last-1) {
		it.Content, pic = join(it.Content, engine.Unchanged), nil
	}
	s.items = append(s.items, it)
	return pic
}

// follows stands with the pictures of answers, so that they aren't taken for the person's own words.
const follows = "What the tool shows, not a message of the person's:"

// show writes the pictures of a batch of answers down.
func (s *script) show(pics []*tool.Picture) {
	it := item{message: message{Role: "user", Content: follows}}
	for _, p := range pics {
		if p != nil {
			s.add(&it, p)
		}
	}
	if len(it.pics) > 0 {
		s.items = append(s.items, it)
	}
}

// messages are the transcript as it is sent now.
func (s *script) messages() []message {
	var out []message
	for _, it := range s.items {
		m := it.message
		for i, p := range it.pics {
			if s.kept(it.nums[i]) {
				m.Images = append(m.Images, p.Data)
			} else {
				m.Content = join(m.Content, engine.Gone)
			}
		}
		out = append(out, m)
	}
	return out
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}
