package openai

import (
	"encoding/json" // the SDK's own types are read with it
	"io"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3/responses"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
)

// reply is one answer of the model, whole.
type reply struct {
	items   []responses.ResponseOutputItemUnion
	usage   engine.Usage
	refused bool
	reason  string // why it is incomplete; empty when it isn't
}

// maxItems is how many items an answer may have. Each has a place of its own, which the provider numbers.
const maxItems = 1000

// reader reads a stream of events into got, and shows text as it comes.
func (r *run) reader(got **reply) func(io.Reader) (bool, error) {
	return func(body io.Reader) (bool, error) {
		s := stream{out: r.out, told: map[int64]bool{}, items: map[int64]responses.ResponseOutputItemUnion{}}
		for event, err := range wire.Events(body) {
			if err != nil {
				return s.shown, err
			}
			var e responses.ResponseStreamEventUnion
			if string(event.Data) == "[DONE]" {
				continue
			}
			if err := json.Unmarshal(event.Data, &e); err != nil {
				return s.shown, wire.ErrStrange
			}
			over, err := s.one(e, event.Data)
			if err != nil {
				return s.shown, err
			}
			if over {
				*got = &s.reply
				return s.shown, nil
			}
		}
		return s.shown, wire.ErrCut // the event that ends an answer didn't come
	}
}

// stream is an answer that is coming in.
type stream struct {
	out   *wire.Out
	shown bool
	told  map[int64]bool // items whose text was shown as it came
	items map[int64]responses.ResponseOutputItemUnion
	reply reply
}

// one reads one event. It is true when the answer is over. Kinds that aren't known are passed over.
func (s *stream) one(e responses.ResponseStreamEventUnion, raw []byte) (over bool, err error) {
	switch e.Type {
	case "response.output_text.delta", "response.refusal.delta":
		s.told[e.OutputIndex] = true
		s.reply.refused = s.reply.refused || e.Type == "response.refusal.delta"
		return false, s.show(engine.Text{Piece: e.Delta}, e.Delta)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return false, s.show(engine.Thinking{Piece: e.Delta}, e.Delta)
	case "response.output_item.done":
		if e.OutputIndex < 0 || len(s.items) >= maxItems {
			return false, wire.ErrStrange
		}
		s.items[e.OutputIndex] = e.Item
		if !s.told[e.OutputIndex] {
			return false, s.whole(e.Item)
		}
	case "response.completed", "response.incomplete":
		return true, s.end(e)
	case "response.failed":
		return false, wire.ParseFault([]byte(`{"error":` + orNull(e.Response.Error.RawJSON()) + `}`))
	case "error":
		return false, wire.ParseFault(raw)
	}
	return false, nil
}

func orNull(raw string) string {
	if raw == "" {
		return "null"
	}
	return raw
}

func (s *stream) show(e engine.Event, piece string) error {
	if piece == "" {
		return nil
	}
	if _, ok := e.(engine.Text); ok { // what was only thought may be thought again
		s.shown = true
	}
	if !s.out.Event(e) {
		return wire.ErrBroken
	}
	return nil
}

// whole shows the text of a message that came in one piece.
func (s *stream) whole(item responses.ResponseOutputItemUnion) error {
	if item.Type != "message" {
		return nil
	}
	for _, part := range item.Content {
		s.reply.refused = s.reply.refused || part.Refusal != ""
		if err := s.show(engine.Text{Piece: part.Text + part.Refusal}, part.Text+part.Refusal); err != nil {
			return err
		}
	}
	return nil
}

// end takes what the last event of an answer says.
func (s *stream) end(e responses.ResponseStreamEventUnion) error {
	u := e.Response.Usage
	s.reply.usage = engine.Usage{
		In: count(u.InputTokens), Out: count(u.OutputTokens),
		CacheRead: count(u.InputTokensDetails.CachedTokens), CacheMade: count(u.InputTokensDetails.CacheWriteTokens),
	}
	if e.Type == "response.incomplete" || e.Response.Status == responses.ResponseStatusIncomplete {
		if s.reply.reason = e.Response.IncompleteDetails.Reason; s.reply.reason == "" {
			s.reply.reason = "unknown"
		}
	}
	for _, at := range slices.Sorted(func(yield func(int64) bool) {
		for at := range s.items {
			if !yield(at) {
				return
			}
		}
	}) {
		s.reply.items = append(s.reply.items, s.items[at])
	}
	if len(s.items) > 0 {
		return nil
	}
	// A server that doesn't send the items one by one sends them at the end.
	s.reply.items = e.Response.Output
	for _, item := range s.reply.items {
		if err := s.whole(item); err != nil {
			return err
		}
	}
	return nil
}

// count keeps a number that no answer can have from becoming a price.
func count(n int64) int { return int(min(max(n, 0), 1<<40)) }

// replays says whether an item of an answer is sent back. Reasoning without its encrypted content would be looked for
// in OpenAI's store, where it isn't.
func replays(item responses.ResponseOutputItemUnion) bool {
	return item.RawJSON() != "" && (item.Type != "reasoning" || item.EncryptedContent != "")
}

// spoken is the text of an answer's messages.
func spoken(items []responses.ResponseOutputItemUnion) string {
	var all []string
	for _, item := range items {
		if item.Type != "message" {
			continue
		}
		for _, part := range item.Content {
			if part.Text != "" {
				all = append(all, part.Text)
			}
		}
	}
	return strings.Join(all, "\n")
}
