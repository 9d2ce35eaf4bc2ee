package gemini

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
)

// The shapes of the Gemini API, as far as they are read.
type (
	chunk struct {
		Candidates []struct {
			Content struct {
				Parts []jsontext.Value `json:"parts"`
			} `json:"content"`
			Reason string `json:"finishReason"`
		} `json:"candidates"`
		Feedback struct {
			Reason string `json:"blockReason"`
		} `json:"promptFeedback"`
		Usage *struct {
			In       int `json:"promptTokenCount"`
			Tools    int `json:"toolUsePromptTokenCount"`
			Out      int `json:"candidatesTokenCount"`
			Thoughts int `json:"thoughtsTokenCount"`
			Cached   int `json:"cachedContentTokenCount"`
		} `json:"usageMetadata"`
		Error jsontext.Value `json:"error"`
	}
	heardPart struct {
		Text    *string `json:"text"`
		Thought bool    `json:"thought"`
		Call    *call   `json:"functionCall"`
	}
	call struct {
		ID   string         `json:"id"`
		Name string         `json:"name"`
		Args jsontext.Value `json:"args"`
	}
)

// answer is one answer of the model.
type answer struct {
	parts   []jsontext.Value // as they came, but that plain texts in a row are one
	calls   []call
	at      []int // where each call is among the parts
	said    bool  // some text that isn't thought
	reason  string
	blocked bool
	usage   engine.Usage
}

// read reads a stream of chunks. An answer without a reason for its end isn't whole.
func (a *answer) read(out *wire.Out) func(io.Reader) (bool, error) {
	return func(body io.Reader) (shown bool, err error) {
		*a = answer{} // what a broken try had said counts no more
		var plain plainText
		for ev, err := range wire.Events(body) {
			if err != nil {
				return shown, err
			}
			var c chunk
			if json.Unmarshal(ev.Data, &c) != nil {
				return shown, wire.ErrStrange
			}
			if len(c.Error) > 0 {
				return shown, wire.ParseFault(ev.Data)
			}
			said, err := a.chunk(c, &plain, out)
			if shown = shown || said; err != nil {
				return shown, err
			}
		}
		a.flush(&plain)
		if a.reason == "" && !a.blocked {
			return shown, wire.ErrCut
		}
		return shown, nil
	}
}

// chunk takes one chunk in, and says whether something was shown.
func (a *answer) chunk(c chunk, plain *plainText, out *wire.Out) (shown bool, err error) {
	if u := c.Usage; u != nil { // each chunk counts all up to it
		a.usage = engine.Usage{In: u.In + u.Tools, Out: u.Out + u.Thoughts, CacheRead: u.Cached}
	}
	if c.Feedback.Reason != "" {
		a.blocked = true
	}
	if len(c.Candidates) == 0 {
		return false, nil
	}
	first := c.Candidates[0] // one is asked for
	if first.Reason != "" {
		a.reason = first.Reason
	}
	for _, raw := range first.Content.Parts {
		said, err := a.part(raw, plain, out)
		if shown = shown || said; err != nil {
			return shown, err
		}
	}
	return shown, nil
}

func (a *answer) part(raw jsontext.Value, plain *plainText, out *wire.Out) (shown bool, err error) {
	var p heardPart
	if json.Unmarshal(raw, &p) != nil {
		return false, wire.ErrStrange
	}
	text := ""
	if p.Text != nil {
		text = *p.Text
	}
	switch {
	case p.Text != nil && onlyText(raw):
		plain.text.WriteString(text)
	default:
		a.flush(plain)
		a.parts = append(a.parts, bytes.Clone(raw))
	}
	if p.Call != nil {
		p.Call.Args = bytes.Clone(p.Call.Args)
		a.calls, a.at = append(a.calls, *p.Call), append(a.at, len(a.parts)-1)
	}
	if text == "" {
		return false, nil
	}
	var e engine.Event = engine.Text{Piece: text}
	if p.Thought {
		e = engine.Thinking{Piece: text}
	} else {
		a.said = true
	}
	if !out.Event(e) {
		return true, wire.ErrBroken
	}
	return true, nil
}

// plainText gathers texts that nothing else belongs to, so that a long answer isn't a thousand parts.
type plainText struct{ text bytes.Buffer }

func (a *answer) flush(p *plainText) {
	if p.text.Len() == 0 {
		return
	}
	if raw, err := json.Marshal(part{Text: p.text.String()}); err == nil {
		a.parts = append(a.parts, raw)
	}
	p.text.Reset()
}

// onlyText says whether a part is a text and nothing more: no thought, no signature.
func onlyText(raw jsontext.Value) bool {
	var members map[string]jsontext.Value
	return json.Unmarshal(raw, &members) == nil && len(members) == 1
}

// content is the answer as it is sent back, up to the call number n.
func (a *answer) content(n int) jsontext.Value {
	parts := a.parts
	if n < len(a.calls) {
		parts = parts[:a.at[n]]
	}
	raw, err := json.Marshal(struct {
		Role  string           `json:"role"`
		Parts []jsontext.Value `json:"parts"`
	}{"model", parts})
	if err != nil {
		return nil // they were read as JSON
	}
	return raw
}

// ending is how an answer ended.
type ending int

// The endings.
const (
	endsStrange   ending = iota
	endsText             // the turn is over
	endsCalls            // tools are to be called
	endsEmpty            // neither
	endsMalformed        // a call that Google couldn't read
	endsFull             // as much as the model may write
	endsDeclined
)

func (a *answer) ending() ending {
	if a.blocked {
		return endsDeclined
	}
	switch a.reason {
	case "STOP":
		switch {
		case len(a.calls) > 0:
			return endsCalls
		case a.said:
			return endsText
		}
		return endsEmpty
	case "MAX_TOKENS":
		return endsFull
	case "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL":
		return endsMalformed
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		return endsDeclined
	}
	return endsStrange
}

// problem is what to tell a person about an ending after which the turn doesn't go on.
func (e ending) problem(w engine.Where) *engine.Problem {
	switch e {
	case endsFull:
		return w.OutOfRoom()
	case endsDeclined:
		return w.Problem(engine.Declined, nil)
	}
	return w.Strange(wire.ErrStrange)
}
