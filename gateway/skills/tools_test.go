package skills

import (
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

func call(chat, args string) tool.Call { return tool.Call{Chat: chat, Turn: "t", Args: []byte(args)} }

// TestTools makes what models are told visible in review.
func TestTools(t *testing.T) {
	var b strings.Builder
	for _, tl := range Tools(open(t).Skills) {
		var schema any
		if err := json.Unmarshal(tl.Schema, &schema); err != nil || tl.Effect == tool.EffectUnknown || tl.Outside != "" {
			t.Errorf("%s: %v", tl.Name, err)
		}
		fmt.Fprintf(&b, "%s\n%s\neffect %d, scope %s, direct %v\n\n%s\n\n%s\n", tl.Name, tl.Title, tl.Effect, tl.Scope, tl.Direct, tl.About, tl.Schema)
	}
	golden(t, "testdata/tools.golden", b.String())
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("%s: %v (-update writes it)\n%s", file, err, cmp.Diff(string(want), got))
	}
}

func TestToolsRun(t *testing.T) {
	r := open(t)
	tools := Tools(r.Skills)
	list := func() tool.Result { return tools[0].Run(t.Context(), call("c", "{}")) }
	use := func(args string) tool.Result { return tools[1].Run(t.Context(), call("c", args)) }
	if got := list(); got.Failed || !strings.Contains(got.Text, "No skill") || string(got.Data) != `{"skills":[]}` {
		t.Errorf("%+v", got)
	}
	r.put("notes/SKILL.md", safe("notes"))
	r.put("risky/SKILL.md", dangerous)
	r.put("broken/SKILL.md", "hello")
	for name, why := range map[string]string{"notes": "isn't switched on. ", "risky": "read and accept", "broken": "can't be read", "nobody": "no skill called"} {
		if got := use(`{"name":"` + name + `"}`); !got.Refused || !strings.Contains(got.Text, why) {
			t.Errorf("%s: %q", name, got.Text)
		}
	}
	if _, held := r.Hold("c"); held {
		t.Error("what wasn't loaded holds the chat")
	}
	r.ok(r.Set("notes", true, r.get("notes").Hash))
	if got := list(); got.Text != "The skills that are switched on:\n- notes: Tidies notes." ||
		string(got.Data) != `{"skills":[{"name":"notes","description":"Tidies notes.","allowed_tools":["computer","search_memory"]}]}` {
		t.Errorf("%q %s", got.Text, got.Data)
	}
	got := use(`{"name":"notes"}`)
	if got.Failed || !strings.HasSuffix(got.Text, "Put the newest first.") || !strings.Contains(got.Text, "computer, search_memory") {
		t.Errorf("%+v", got)
	}
	if allowed, held := r.Hold("c"); !held || fmt.Sprint(allowed) != "[computer search_memory]" {
		t.Errorf("%v %v", allowed, held)
	}
	r.put("notes/SKILL.md", safe("notes")+"More.")
	if got := use(`{"name":"notes"}`); !got.Refused || !strings.Contains(got.Text, "was changed") {
		t.Errorf("%q", got.Text)
	}
	r.ok(r.Accept("risky", r.get("risky").Hash))
	if got := use(`{"name":"risky"}`); got.Failed || !strings.Contains(got.Text, "lists no tool") {
		t.Errorf("%q", got.Text)
	}
	// Without a place in the log the chat isn't held, so it is given nothing.
	r.log.broken = errors.New("no disk")
	if got := use(`{"name":"risky"}`); !got.Failed || strings.Contains(got.Text, "curl") {
		t.Errorf("%q", got.Text)
	}
	for _, bad := range []string{``, `{}`, `null`, `{"name":1}`, `{"name":"../x"}`, `{"name":"A"}`, `{"NAME":"a"}`, `{"name":"a","name":"b"}`, `{"name":"a"} {}`, `{"name":"a","more":1}`, `{"name":"` + strings.Repeat("a", argsMax) + `"}`} {
		if got := use(bad); !got.Refused || !strings.HasSuffix(got.Text, ".") {
			t.Errorf("%.40s: %+v", bad, got)
		}
	}
	for _, bad := range []string{`{"name":"a"}`, `[]`, `x`} {
		if got := tools[0].Run(t.Context(), call("c", bad)); !got.Refused {
			t.Errorf("%s: %+v", bad, got)
		}
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{"name":"notes"}`, `{}`, `{"name":"a","name":"b"}`, "\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if name, err := parseUse(raw); err == nil && (!skillName.MatchString(name) || len(name) > nameMax) {
			t.Fatalf("%q: %q", raw, name)
		}
		_ = parseList(raw)
	})
}
