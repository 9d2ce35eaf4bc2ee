package memory

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"conch/gateway/tool"
)

var update = flag.Bool("update", false, "write the golden files again")

func fromChat(context.Context, tool.Call) (Source, error) { return chatSource, nil }

// TestTools makes what models are told visible in review.
func TestTools(t *testing.T) {
	var b strings.Builder
	for _, tl := range Tools(open(t).Store, fromChat) {
		var schema any
		if err := json.Unmarshal(tl.Schema, &schema); err != nil || tl.Effect == tool.EffectUnknown || tl.Outside != "" {
			t.Errorf("%s: %v", tl.Name, err)
		}
		fmt.Fprintf(&b, "%s\n%s\neffect %d, scope %s, direct %v\n\n%s\n\n%s\n", tl.Name, tl.Title, tl.Effect, tl.Scope, tl.Direct, tl.About, tl.Schema)
	}
	const golden = "testdata/tools.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != b.String() {
		t.Errorf("%v (-update writes it)\n%s", err, cmp.Diff(string(want), b.String()))
	}
}

func TestToolsRun(t *testing.T) {
	r, ctx := open(t), t.Context()
	tools := Tools(r.Store, fromChat)
	run := func(i int, args string) tool.Result {
		return tools[i].Run(ctx, tool.Call{Chat: "c1", Args: []byte(args)})
	}
	if got := run(0, `{"query":""}`); got.Failed || !strings.Contains(got.Text, "knows nothing") || string(got.Data) != `{"facts":[]}` {
		t.Errorf("%+v", got)
	}
	r.ok(r.Add(ctx, "Lives in Oslo"))
	fresh, known := run(1, `{"fact":"Likes tea"}`), run(1, `{"fact":"I live in Oslo."}`)
	if fresh.Failed || fmt.Sprint(fresh) != fmt.Sprint(known) || fresh.Text != known.Text {
		t.Errorf("an answer tells what is known: %q, %q", fresh.Text, known.Text)
	}
	if got := run(0, `{"query":"oslo tea","limit":5}`); got.Failed || !strings.HasSuffix(got.Text, ":\n- Lives in Oslo") || strings.Contains(string(got.Data), "tea") {
		t.Errorf("%q %s", got.Text, got.Data)
	}
	if got := run(0, `{"query":"tea"}`); got.Failed || !strings.Contains(got.Text, "nothing that fits") {
		t.Errorf("%+v", got.Text)
	}
	for i, bad := range map[int][]string{
		0: {``, `{}`, `null`, `{"query":1}`, `{"query":null}`, `{"QUERY":"x"}`, `{"query":"a","query":"b"}`, `{"query":"a"} {}`, `{"query":"a","all":true}`, `{"query":"a","limit":0}`, `{"query":"a","limit":51}`, `{"query":"a","limit":1.5}`, `{"query":"` + strings.Repeat("x", queryMax+1) + `"}`},
		1: {``, `{}`, `[]`, `{"fact":""}`, `{"fact":"x","keep":true}`, `{"fact":"` + strings.Repeat("x", TextMax+1) + `"}`, `{"fact":"` + strings.Repeat("x", argsMax) + `"}`},
	} {
		for _, args := range bad {
			got := run(i, args)
			if !got.Failed || !got.Refused || !strings.HasSuffix(got.Text, ".") {
				t.Errorf("%d %.60s: %+v", i, args, got)
			}
		}
	}
	if got := r.in(Waiting); len(got) != 1 {
		t.Errorf("waiting %q", got)
	}
	nobody := SuggestMemory(r.Store, func(context.Context, tool.Call) (Source, error) { return Source{}, errors.New("typed words") })
	if got := nobody.Run(ctx, tool.Call{Args: []byte(`{"fact":"Likes milk"}`)}); !got.Failed || strings.Contains(got.Text, "typed") {
		t.Errorf("%+v", got.Text)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for i, args := range []string{`{"query":"x"}`, `{"fact":"Likes milk"}`} {
		if got := tools[i].Run(ended, tool.Call{Args: []byte(args)}); !got.Failed || got.Refused {
			t.Errorf("a database that doesn't answer: %+v", got)
		}
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{"query":"x","limit":3}`, `{"fact":"x"}`, `{}`, `{"query":"a","query":"b"}`, "\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if query, limit, err := parseSearch(raw); err == nil && (len(query) > queryMax || limit < 1 || limit > limitMax) {
			t.Fatalf("%q: %q, %d", raw, query, limit)
		}
		_, _ = parseSuggest(raw)
	})
}
