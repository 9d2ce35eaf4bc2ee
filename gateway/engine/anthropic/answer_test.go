package anthropic

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
)

func silent(t testing.TB) *wire.Out {
	return wire.NewOut(t.Context(), func(engine.Event, error) bool { return true })
}

// stream writes events, one for each line.
func stream(lines string) string {
	return "data: " + strings.ReplaceAll(strings.TrimSpace(lines), "\n", "\n\ndata: ") + "\n\n"
}

// TestEcho: what is sent back is what came, with what the engine doesn't know of.
func TestEcho(t *testing.T) {
	a := &answer{}
	err := a.read(strings.NewReader(stream(`
{"type":"message_start","message":{"usage":{"input_tokens":7,"cache_read_input_tokens":null}}}
{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":"","new":{"x":[1]}}}
{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm"}}
{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"ab"}}
{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"cd"}}
{"type":"content_block_stop","index":0}
{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"zzz"}}
{"type":"content_block_stop","index":1}
{"type":"content_block_start","index":2,"content_block":{"type":"text","text":" "}}
{"type":"content_block_stop","index":2}
{"type":"content_block_start","index":3,"content_block":{"type":"text","text":"So","citations":null}}
{"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":" it is."}}
{"type":"content_block_delta","index":3,"delta":{"type":"citations_delta","citation":{"type":"x"}}}
{"type":"content_block_delta","index":3,"delta":{"type":"mood_delta","text":["not","text"]}}
{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"t1","name":"left_click","toolset_name":"computer","caller":{"type":"direct"},"input":{}}}
{"type":"content_block_delta","index":4,"delta":{"type":"input_json_delta","partial_json":""}}
{"type":"content_block_delta","index":4,"delta":{"type":"input_json_delta","partial_json":"{\"coordinate\":"}}
{"type":"content_block_stop","index":3}
{"type":"content_block_delta","index":4,"delta":{"type":"input_json_delta","partial_json":"[1,2]}"}}
{"type":"content_block_stop","index":4}
{"type":"content_block_start","index":5,"content_block":{"type":"tool_use","id":"t2","name":"note","input":{"text":"whole"}}}
{"type":"content_block_stop","index":5}
{"type":"content_block_start","index":6,"content_block":{"type":"tool_use","id":"t3","name":"note","input":{}}}
{"type":"content_block_delta","index":6,"delta":{"type":"input_json_delta","partial_json":"{\"text\":"}}
{"type":"content_block_stop","index":6}
{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}
{"type":"message_stop"}`)), silent(t))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range a.blocks {
		raw, err := b.echo()
		if err != nil {
			t.Fatal(err)
		}
		if raw != nil {
			got = append(got, string(raw))
		}
	}
	if d := cmp.Diff([]string{
		`{"new":{"x":[1]},"signature":"abcd","thinking":"Hm","type":"thinking"}`,
		`{"data":"zzz","type":"redacted_thinking"}`,
		`{"citations":[{"type":"x"}],"text":"So it is.","type":"text"}`,
		`{"caller":{"type":"direct"},"id":"t1","input":{"coordinate":[1,2]},"name":"left_click","toolset_name":"computer","type":"tool_use"}`,
		`{"id":"t2","input":{"text":"whole"},"name":"note","type":"tool_use"}`,
		`{"id":"t3","input":{},"name":"note","type":"tool_use"}`,
	}, got); d != "" {
		t.Error(d)
	}
	if a.usage != (usage{In: 7, Out: 9}) || a.stop != "tool_use" || len(a.calls()) != 3 {
		t.Errorf("%+v", a)
	}
}

// TestStreamsThatMakeNoSense are never taken for an answer.
func TestStreamsThatMakeNoSense(t *testing.T) {
	begin := `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n"
	for name, lines := range map[string]string{
		"a block out of order":       `{"type":"content_block_start","index":1,"content_block":{"type":"text"}}`,
		"a block without a kind":     `{"type":"content_block_start","index":0,"content_block":{}}`,
		"a call without a name":      `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"x"}}`,
		"a delta of no block":        `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`,
		"a delta before the first":   `{"type":"content_block_delta","index":-1,"delta":{"type":"text_delta","text":"x"}}`,
		"a delta without a block":    begin + `{"type":"content_block_delta","delta":{"type":"text_delta","text":"x"}}`,
		"a delta after the end":      begin + `{"type":"content_block_stop","index":0}` + "\n" + `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`,
		"a known delta that is none": begin + `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":5}}`,
		"a second beginning":         begin + `{"type":"message_start","message":{}}`,
		"an open block at the end":   begin + `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n" + `{"type":"message_stop"}`,
		"no reason at the end":       `{"type":"message_stop"}`,
		"no JSON":                    `{"type":`,
		"no object":                  `[1]`,
	} {
		if err := (&answer{}).read(strings.NewReader(stream(lines)), silent(t)); !errors.Is(err, wire.ErrStrange) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (&answer{}).read(strings.NewReader(stream(begin)), silent(t)); !errors.Is(err, wire.ErrCut) {
		t.Error(err)
	}
}

// FuzzAnswer: whatever comes, an answer is whole or an error, what was shown is in it, and what is sent back is JSON
// of the kind that came.
func FuzzAnswer(f *testing.F) {
	f.Add(`{"type":"message_start","message":{"usage":{"input_tokens":7}}}
{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}
{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}
{"type":"content_block_stop","index":0}
{"type":"message_delta","delta":{"stop_reason":"end_turn"}}
{"type":"message_stop"}`)
	f.Add(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"n","input":{}}}
{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}
{"type":"content_block_stop","index":0}
{"type":"message_delta","delta":{"stop_reason":"tool_use"}}
{"type":"message_stop"}`)
	f.Add(`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"a","signature":"b"}}
{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c"}}
{"type":"error","error":{"type":"overloaded_error"}}`)
	f.Fuzz(func(t *testing.T, lines string) {
		var text strings.Builder
		out := wire.NewOut(t.Context(), func(e engine.Event, _ error) bool {
			if e, ok := e.(engine.Text); ok {
				text.WriteString(e.Piece)
			}
			return true
		})
		a := &answer{}
		err := a.read(strings.NewReader(stream(lines)), out)
		held := ""
		for _, b := range a.blocks {
			held += string(b.text)
			if err != nil {
				continue
			}
			raw, echoErr := b.echo()
			if echoErr != nil || raw != nil && !raw.IsValid() {
				t.Fatalf("%s, %v", raw, echoErr)
			}
			var back struct {
				Type  string         `json:"type"`
				Input jsontext.Value `json:"input"`
			}
			if raw != nil && (json.Unmarshal(raw, &back) != nil || back.Type != b.kind || b.kind == "tool_use" && back.Input.Kind() != '{') {
				t.Fatalf("%s", raw)
			}
		}
		if len(held) != text.Len() || a.shown != (text.Len() > 0) {
			t.Fatalf("%q was shown, %q is held", text.String(), held)
		}
		if err == nil && a.stop == "" {
			t.Fatal("an answer without an end was taken for whole")
		}
	})
}

func TestGenerations(t *testing.T) {
	for id, want := range map[string]struct {
		g        generation
		computer string
		binds    bool
		tiles    int
	}{
		"claude-opus-5-5":            {generation{"opus", 55}, toolset, true, largeTiles},
		"claude-opus-5":              {generation{"opus", 50}, toolset, false, largeTiles},
		"claude-opus-4-8":            {generation{"opus", 48}, toolset, false, largeTiles},
		"claude-opus-4-7":            {generation{"opus", 47}, computer2511, false, largeTiles},
		"claude-opus-4-5-20251101":   {generation{"opus", 45}, computer2511, false, smallTiles},
		"claude-opus-4-1-20250805":   {generation{"opus", 41}, computer2501, false, smallTiles},
		"claude-sonnet-4-20250514":   {generation{"sonnet", 40}, computer2501, false, smallTiles},
		"claude-sonnet-4-5-20250929": {generation{"sonnet", 45}, computer2501, false, smallTiles},
		"claude-sonnet-4-6":          {generation{"sonnet", 46}, computer2511, false, smallTiles},
		"claude-sonnet-5":            {generation{"sonnet", 50}, toolset, false, largeTiles},
		"claude-sonnet-5-5":          {generation{"sonnet", 55}, toolset, true, largeTiles},
		"claude-haiku-4-5-20251001":  {generation{"haiku", 45}, computer2501, false, smallTiles},
		"claude-haiku-5-5":           {generation{"haiku", 55}, toolset, true, largeTiles},
		"claude-fable-5":             {generation{"fable", 50}, toolset, false, largeTiles},
		"claude-fable-5-1":           {generation{"fable", 51}, toolset, true, largeTiles},
		"claude-mythos-5-2":          {generation{"mythos", 52}, toolset, true, largeTiles},
		"claude-opus-6":              {generation{"opus", 60}, toolset, true, largeTiles},
		"claude-3-5-sonnet-20241022": {generation{}, "", false, smallTiles},
		"claude-next":                {generation{}, "", false, smallTiles},
		"gpt-6":                      {generation{}, "", false, smallTiles},
	} {
		g := generationOf(id)
		if g != want.g || g.computer() != want.computer || g.binds() != want.binds || g.picture().Tiles != want.tiles {
			t.Errorf("%s: %+v, %q, binds %v, %+v", id, g, g.computer(), g.binds(), g.picture())
		}
		m, _ := modelInfo{ID: id}.model()
		if m.Forgets != (want.g.version > 0 && !want.binds) || m.Name == "" {
			t.Errorf("%+v", m)
		}
	}
}

// TestPrices: each row is whole, none is there twice, and a model that isn't there has no price.
func TestPrices(t *testing.T) {
	for i, p := range prices {
		if x := p.price; p.from > p.to || x.In <= 0 || x.Out <= x.In || x.CacheRead <= 0 || x.CacheRead >= x.In || x.CacheMade <= x.In {
			t.Errorf("%+v", p)
		}
		for _, q := range prices[:i] {
			if p.line == q.line && p.from <= q.to && q.from <= p.to {
				t.Errorf("%+v and %+v", p, q)
			}
		}
	}
	for _, id := range []string{"claude-next", "claude-opus-4-1", "claude-haiku-9"} {
		if m, _ := (modelInfo{ID: id}).model(); m.Price != (engine.Price{}) {
			t.Errorf("%s costs %+v", id, m.Price)
		}
	}
}
