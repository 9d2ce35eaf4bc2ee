package gemini

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/tool"
)

// script is the transcript of a turn as it is sent. It only grows, but for pictures, which age.
type script struct {
	inside bool // pictures stand inside the answer to a call; otherwise beside it
	album  engine.Album
	gone   int // pictures before this one were taken out to make room
	last   int // the number of the newest picture, from 1; 0 before it
	items  []item
}

// item is one content: the model's as it came, or one that is written anew for each request.
type item struct {
	raw   jsontext.Value
	role  string
	parts []entry
}

// entry is a text, or the answer to a call; either may have a picture.
type entry struct {
	text   string
	answer *result
	pic    *tool.Picture
	n      int // the picture's number
}

// result is the answer to one call.
type result struct {
	call   call
	fields map[string]any // beside the text
	text   string
	failed bool
	held   bool // by a safety check, with no yes of a person's
	pic    *tool.Picture
}

// begin writes the messages of the chat down. Some of one side in a row are one content.
func (s *script) begin(messages []engine.Message) {
	for _, m := range messages {
		role := "user"
		if m.Role == engine.Assistant {
			role = "model"
		}
		var parts []entry
		if m.Picture != nil {
			e := entry{}
			s.show(&e, m.Picture)
			parts = append(parts, e)
		}
		if m.Text != "" {
			parts = append(parts, entry{text: m.Text})
		}
		if len(parts) == 0 {
			continue
		}
		if n := len(s.items); n > 0 && s.items[n-1].role == role {
			s.items[n-1].parts = append(s.items[n-1].parts, parts...)
			continue
		}
		s.items = append(s.items, item{role: role, parts: parts})
	}
}

// show gives an entry a picture, or says that it is the same as the one before.
func (s *script) show(e *entry, p *tool.Picture) {
	if p.Same && s.last > 0 && s.kept(s.last-1) {
		if e.text != "" {
			e.text += " "
		}
		e.text += engine.Unchanged
		return
	}
	e.pic, e.n = p, s.album.Add()
	s.last = e.n + 1
}

func (s *script) kept(n int) bool { return n >= s.gone && s.album.Kept(n) }

// drop takes the oldest picture out to make room. It is false when only the newest is left.
func (s *script) drop() bool {
	for n := s.gone; n < s.last-1; n++ {
		s.gone = n + 1
		if s.album.Kept(n) {
			return true
		}
	}
	return false
}

// heard writes down what the model said.
func (s *script) heard(raw jsontext.Value) { s.items = append(s.items, item{raw: raw}) }

// say tells the model something.
func (s *script) say(text string) {
	s.items = append(s.items, item{role: "user", parts: []entry{{text: text}}})
}

// answer writes the answers to all calls of the model's last content down, and what else there is to say.
func (s *script) answer(results []result, say string) {
	it := item{role: "user"}
	for i := range results {
		r := &results[i]
		e := entry{answer: r, text: r.text}
		if r.pic != nil {
			s.show(&e, r.pic)
		}
		r.pic = nil
		it.parts = append(it.parts, e)
	}
	if say != "" {
		it.parts = append(it.parts, entry{text: say})
	}
	s.items = append(s.items, it)
}

// contents are the transcript as it is sent now.
func (s *script) contents() ([]jsontext.Value, error) {
	out := make([]jsontext.Value, 0, len(s.items))
	for _, it := range s.items {
		raw := it.raw
		if raw == nil {
			var err error
			if raw, err = json.Marshal(s.write(it), json.Deterministic(true)); err != nil {
				return nil, err
			}
		}
		out = append(out, raw)
	}
	return out, nil
}

func (s *script) write(it item) content {
	c := content{Role: it.role}
	var beside []part
	for _, e := range it.parts {
		text, pic := e.text, (*part)(nil)
		switch {
		case e.pic == nil:
		case s.kept(e.n):
			pic = &part{Inline: &blob{MIME: e.pic.MIME, Data: e.pic.Data}}
		case text == "":
			text = engine.Gone
		default:
			text += " " + engine.Gone
		}
		if e.answer == nil {
			if pic != nil {
				c.Parts = append(c.Parts, *pic)
			}
			if text != "" {
				c.Parts = append(c.Parts, part{Text: text})
			}
			continue
		}
		p := part{Response: e.answer.write(text)}
		if pic != nil {
			if s.inside {
				p.Response.Parts = []part{*pic}
			} else {
				beside = append(beside, *pic)
			}
		}
		c.Parts = append(c.Parts, p)
	}
	c.Parts = append(c.Parts, beside...)
	return c
}

func (r *result) write(text string) *response {
	fields := map[string]any{}
	for k, v := range r.fields {
		fields[k] = v
	}
	key := "output"
	if r.failed {
		key = "error"
	}
	fields[key] = text
	return &response{ID: r.call.ID, Name: r.call.Name, Response: fields}
}
