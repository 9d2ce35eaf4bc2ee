package compatible

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
)

// The shapes of an answer, as far as servers agree on them. A member that may be of several kinds is read by hand.
type (
	chunk struct {
		Object  string         `json:"object"`
		Choices []choice       `json:"choices"`
		Usage   *usage         `json:"usage"`
		Error   jsontext.Value `json:"error"`
	}
	choice struct {
		Index   int    `json:"index"`
		Delta   delta  `json:"delta"`
		Message delta  `json:"message"` // of a server that answers in one piece
		Finish  string `json:"finish_reason"`
	}
	delta struct {
		Content          jsontext.Value   `json:"content"`
		Refusal          jsontext.Value   `json:"refusal"`
		Reasoning        jsontext.Value   `json:"reasoning"`
		ReasoningContent jsontext.Value   `json:"reasoning_content"`
		ReasoningDetails []jsontext.Value `json:"reasoning_details"`
		ToolCalls        []callPiece      `json:"tool_calls"`
	}
	usage struct {
		In      float64 `json:"prompt_tokens"`
		Out     float64 `json:"completion_tokens"`
		Details struct {
			Read float64 `json:"cached_tokens"`
			Made float64 `json:"cache_write_tokens"`
		} `json:"prompt_tokens_details"`
		Hit float64 `json:"prompt_cache_hit_tokens"` // DeepSeek's word for those read
	}
)

var lax = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// reply is one answer of the model, whole.
type reply struct {
	text      string
	reasoning string
	details   []jsontext.Value
	calls     []call
	usage     *engine.Usage // nil: the server doesn't say
	finish    string
	refused   bool
}

// reader reads a stream of chunks into got, and shows text as it comes.
func (r *run) reader(got **reply) func(io.Reader) (bool, error) {
	return func(body io.Reader) (bool, error) {
		s := &stream{out: r.out}
		b := bufio.NewReader(body)
		var err error
		if inOnePiece(b) {
			err = s.document(b)
		} else {
			err = s.events(b)
		}
		if err != nil {
			return s.shown, err
		}
		s.reply.text, s.reply.reasoning = s.text.String(), s.reasoning.String()
		s.reply.calls = s.calls.done(r.ids)
		*got = &s.reply
		return s.shown, nil
	}
}

// inOnePiece says whether a server answered with one JSON document, though it was asked for a stream.
func inOnePiece(b *bufio.Reader) bool {
	for n := 1; n <= 64; n++ {
		head, err := b.Peek(n)
		if len(head) < n {
			return false
		}
		switch c := head[n-1]; {
		case c == '{':
			return true
		case c != ' ' && c != '\n' && c != '\r' && c != '\t' || err != nil:
			return false
		}
	}
	return false
}

// stream is an answer that is coming in.
type stream struct {
	out       *wire.Out
	shown     bool
	think     thinking
	text      strings.Builder
	reasoning strings.Builder
	calls     calls
	ended     bool // a choice said that it is over
	reply     reply
}

func (s *stream) document(b io.Reader) error {
	raw, err := io.ReadAll(io.LimitReader(b, wire.MaxEvent+1))
	switch {
	case err != nil:
		return err
	case len(raw) > wire.MaxEvent:
		return wire.ErrStrange
	}
	if err := s.chunk("", raw); err != nil {
		return err
	}
	return s.over(true)
}

func (s *stream) events(b io.Reader) error {
	for event, err := range wire.Events(b) {
		if err != nil {
			return err
		}
		data := bytes.TrimSpace(event.Data)
		if string(data) == "[DONE]" {
			return s.over(true)
		}
		if len(data) == 0 {
			continue
		}
		if err := s.chunk(event.Name, data); err != nil {
			return err
		}
	}
	return s.over(false)
}

// over ends an answer. Without a mark at its end it counts as whole only if the model said that it was done.
func (s *stream) over(marked bool) error {
	said := s.text.Len() > 0 || s.calls.any()
	if !s.ended && !(marked && said) {
		return wire.ErrCut
	}
	return s.say(s.think.end())
}

// chunk reads one piece.
func (s *stream) chunk(name string, data []byte) error {
	var c chunk
	if err := json.Unmarshal(data, &c, lax); err != nil {
		if name == "error" {
			return wire.ParseFault(data)
		}
		return wire.ErrStrange
	}
	if k := c.Error.Kind(); k == '{' || k == '"' || c.Object == "error" || name == "error" {
		return fault(data)
	}
	if c.Usage != nil {
		s.reply.usage = c.Usage.tokens()
	}
	for _, one := range c.Choices {
		if one.Index != 0 {
			continue // nobody asked for a second answer
		}
		for _, d := range []delta{one.Delta, one.Message} {
			if err := s.delta(d); err != nil {
				return err
			}
		}
		switch one.Finish {
		case "":
		case "error":
			return fault(data)
		default:
			s.reply.finish, s.ended = one.Finish, true
		}
	}
	return nil
}

// fault is an error in the middle of an answer. Servers that put themselves before others give the status as its code.
func fault(data []byte) wire.Fault {
	f := wire.ParseFault(data)
	if n, err := strconv.Atoi(f.Code); err == nil && n >= 400 && n < 600 {
		f.Status = n
	}
	return f
}

func (s *stream) delta(d delta) error {
	for _, piece := range []string{words(d.ReasoningContent), words(d.Reasoning)} {
		if err := s.thought(piece); err != nil {
			return err
		}
	}
	s.reasoning.WriteString(words(d.ReasoningContent))
	s.reply.details = append(s.reply.details, d.ReasoningDetails...)
	if err := s.say(s.think.split(words(d.Content))); err != nil {
		return err
	}
	if no := words(d.Refusal); no != "" {
		s.reply.refused = true
		if err := s.say("", no); err != nil {
			return err
		}
	}
	for _, p := range d.ToolCalls {
		if !s.calls.add(p) {
			return wire.ErrStrange
		}
	}
	return nil
}

func (s *stream) thought(piece string) error {
	// What was only thought isn't shown: it may be thought again.
	if piece != "" && !s.out.Event(engine.Thinking{Piece: piece}) {
		return wire.ErrBroken
	}
	return nil
}

// say shows what was thought and what was said.
func (s *stream) say(thought, said string) error {
	if err := s.thought(thought); err != nil || said == "" {
		return err
	}
	s.text.WriteString(said)
	s.shown = true
	if !s.out.Text(said) {
		return wire.ErrBroken
	}
	return nil
}

// words is text that may stand there as text or in parts.
func words(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		var s string
		if json.Unmarshal(v, &s, lax) == nil {
			return s
		}
	case '[':
		var parts []struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(v, &parts, lax) == nil {
			var b strings.Builder
			for _, p := range parts {
				b.WriteString(p.Text)
			}
			return b.String()
		}
	}
	return ""
}

func (u usage) tokens() *engine.Usage {
	count := func(n float64) int { return int(min(max(n, 0), 1<<40)) }
	return &engine.Usage{In: count(u.In), Out: count(u.Out), CacheRead: count(max(u.Details.Read, u.Hit)), CacheMade: count(u.Details.Made)}
}
