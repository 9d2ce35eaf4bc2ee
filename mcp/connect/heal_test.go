package connect_test

import (
	"errors"
	"strings"
	"testing"

	"conch/mcp/connect"
	"conch/mcp/connect/apps"
)

// paired knows some clients.
type paired map[string]*connect.Receipt

func (p paired) Paired(client string) bool              { _, ok := p[client]; return ok }
func (p paired) Receipt(client string) *connect.Receipt { return p[client] }

func TestHeal(t *testing.T) {
	for _, app := range apps.All() {
		t.Run(app.ID, func(t *testing.T) {
			b := newBench(t, apps.Linux, app.ID)
			b.Launcher = "/old/place/conch"
			receipt := b.connect("c-1").Receipt
			whole := b.text()
			b.Launcher = launcher

			known := paired{"c-1": receipt}
			fixes, err := b.Heal(app, known)
			if err != nil || len(fixes) != 1 || fixes[0].Did != connect.Rewrite || fixes[0].Client != "c-1" || strings.Count(fixes[0].Say, ".") != 1 {
				t.Fatalf("%v %+v", err, fixes)
			}
			b.is(strings.Replace(whole, "/old/place/conch", launcher, 1))
			if fixes, err := b.Heal(app, known); err != nil || len(fixes) != 0 {
				t.Errorf("healed what is well: %v %+v", err, fixes)
			}
			fixes, err = b.Heal(app, paired{})
			if err != nil || len(fixes) != 1 || fixes[0].Did != connect.TakeOut || strings.Count(fixes[0].Say, ".") != 1 {
				t.Fatalf("%v %+v", err, fixes)
			}
			b.is("(none)")
		})
	}
}

// Healing leaves alone what isn't ours, and what can't be read.
func TestHealLeavesOthersAlone(t *testing.T) {
	for _, text := range []string{
		`{"mcpServers": {"conch": {"command": "/usr/bin/seashell", "args": ["launcher", "--client", "c-1"]}}}`,
		`{"mcpServers": {"conch": {"command": "/opt/conch/bin/conch", "args": ["launcher", "--client", "c-1", "--more"]}}}`,
		`{"mcpServers": {"conch": {"command": "/opt/conch/bin/conch", "args": ["launcher", "--client", "c 1"]}}}`,
		`{"mcpServers": {"conch": {"command": "/opt/conch/bin/conch", "args": ["serve"]}}}`,
		`{"mcpServers": {"conch": {"command": "conch", "args": ["launcher", "--client", "c-1"]}}}`,
		`{"mcpServers": {"conch": {"command": ["/opt/conch/bin/conch"], "args": "launcher --client c-1"}}}`,
		`{"mcpServers": {"shell": {"command": "/old/conch", "args": ["launcher", "--client", "c-1"]}}}`,
		`{"mcpServers": {"conch": null}}`,
		`{"mcpServers": ["conch"]}`,
		`[]`, ``, `{`,
	} {
		b := newBench(t, apps.Mac, "claude-desktop")
		b.write(text)
		fixes, err := b.Heal(b.app, paired{})
		if len(fixes) != 0 {
			t.Errorf("%s: %+v", text, fixes)
		}
		if _, left := errors.AsType[*connect.LeftAloneError](err); (text == `[]` || text == `{`) != left {
			t.Errorf("%s: %v", text, err)
		}
		b.is(text)
		if _, err := b.Remove(b.app, "c-1", nil); err != nil && text != `[]` && text != `{` {
			t.Errorf("%s: %v", text, err)
		}
		b.is(text)
	}
}

// An entry that another Conch on this computer wrote is left alone, and one of ours for nobody isn't.
func TestDecideLeavesAnotherConchAlone(t *testing.T) {
	for _, row := range []struct {
		current, paired bool
		want            connect.Do
	}{{true, true, connect.Keep}, {true, false, connect.TakeOut}, {false, true, connect.Rewrite}, {false, false, connect.Keep}} {
		if got := connect.Decide(connect.Found{Current: row.current}, row.paired); got != row.want {
			t.Errorf("%+v: %v", row, got)
		}
	}
}
