package connect_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"conch/mcp/connect/apps"
)

// styles are ways in which a program may write its settings anew: other indents, other spaces, other order.
var styles = map[string]func(*jsontext.Value) error{
	"as it was":   func(*jsontext.Value) error { return nil },
	"two spaces":  func(v *jsontext.Value) error { return v.Indent(jsontext.WithIndent("  ")) },
	"tabs":        func(v *jsontext.Value) error { return v.Indent(jsontext.WithIndent("\t")) },
	"one line":    func(v *jsontext.Value) error { return v.Compact() },
	"other order": sorted,
}

// sorted puts all members in the order of their names.
func sorted(v *jsontext.Value) error {
	if err := v.Canonicalize(); err != nil {
		return err
	}
	return v.Indent(jsontext.WithIndent("    "))
}

// Claude Code writes ~/.claude.json anew whenever a server is added with it, a project is opened, or it just runs: in its
// own order, with its own indent, and with more in it than there was. Taking ours out leaves exactly what it would have
// written without ours.
func TestClaudeCodeRewroteItsFile(t *testing.T) {
	const ours = `"conch":{"type":"stdio","command":"` + launcher + `","args":["launcher","--client","c-1"],"env":{}}`
	const theirs = `"%s":{"type":"stdio","command":"/bin/true","args":["x"],"env":{}}`
	other, third := strings.ReplaceAll(theirs, "%s", "other"), strings.ReplaceAll(theirs, "%s", "third")
	// A project has a server of the same name, in the same words: it is the person's.
	const rest = `"numStartups":13,"projects":{"/home/anna/src":{"mcpServers":{"conch":{"type":"stdio","command":"x","args":["launcher","--client","c-1"]}},"history":["\"mcpServers\": {\"conch\": {}}"]}},"userID":"0f3a"`
	doc := func(servers ...string) string {
		return `{` + rest + `,"mcpServers":{` + strings.Join(servers, ",") + `},"zoom":1.50}`
	}
	for name, c := range map[string]struct{ before, with, without string }{
		"it had none":            {`{` + rest + `}`, doc(ours), `{` + rest + `,"zoom":1.50}`},
		"it had none, one added": {`{` + rest + `}`, doc(ours, third), doc(third)},
		"it had one":             {doc(other), doc(other, ours), doc(other)},
		"it had one, one added":  {doc(other), doc(other, ours, third), doc(other, third)},
		"ours came first":        {doc(other), doc(ours, other, third), doc(other, third)},
		"it had no file":         {"(none)", doc(ours, third), doc(third)},
	} {
		for style, write := range styles {
			for _, withReceipt := range []bool{true, false} {
				b := newBench(t, apps.Linux, "claude-code")
				if c.before != "(none)" {
					b.write(c.before)
				}
				r := b.connect("c-1").Receipt
				if !withReceipt {
					r = nil
				}
				styled := func(text string) string {
					t.Helper()
					v := jsontext.Value(text)
					if err := write(&v); err != nil {
						t.Fatal(err)
					}
					return string(v)
				}
				b.write(styled(c.with))
				if f := b.found(); len(f) != 1 || f[0].Client != "c-1" || !f[0].Current {
					t.Fatalf("%s, %s: found %+v", name, style, f)
				}
				b.remove("c-1", r)
				if got, want := b.text(), styled(c.without); got != want {
					t.Errorf("%s, %s, receipt %v: the file is\n%s\nwant\n%s", name, style, withReceipt, got, want)
				}
			}
		}
	}
}
