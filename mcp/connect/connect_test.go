package connect_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"conch/mcp/connect"
	"conch/mcp/connect/apps"
	"conch/mcp/connect/disk"
)

// A person's additions to our entry stay, and the receipt of the first time still takes it out without a trace.
func TestConnectAgain(t *testing.T) {
	for _, app := range apps.All() {
		t.Run(app.ID, func(t *testing.T) {
			b := newBench(t, apps.Linux, app.ID)
			first := b.connect("c-1")
			p, err := b.Plan(app, "c-2")
			if err != nil || p.Replaces != "c-1" || !strings.Contains(p.Before, "c-1") || p.After != strings.ReplaceAll(p.Before, "c-1", "c-2") {
				t.Fatalf("%v %+v", err, p)
			}
			r, err := b.Apply(p)
			if err != nil || r.Receipt != nil {
				t.Fatalf("%v %+v", err, r)
			}
			if f := b.found(); len(f) != 1 || f[0].Client != "c-2" {
				t.Errorf("%+v", f)
			}
			if out := b.remove("c-1", first.Receipt); out.Changed {
				t.Error("the old client's entry was taken out, and it is the new one's")
			}
			b.remove("c-2", first.Receipt)
			b.is("(none)")
		})
	}
}

func TestWhatAPersonAddedStays(t *testing.T) {
	b := newBench(t, apps.Mac, "codex")
	b.write("a = 1\n")
	first := b.connect("c-1")
	b.write(b.text() + "enabled = false # for now\ntool_timeout_sec = 60\n")
	p, err := b.Plan(b.app, "c-2")
	if err != nil || !p.Off {
		t.Fatalf("%v %+v", err, p)
	}
	r := b.connect("c-2")
	if !strings.Contains(r.Say, "switched off there") {
		t.Errorf("%q", r.Say)
	}
	b.is("a = 1\n\n[mcp_servers.conch]\ncommand = \"/opt/conch/bin/conch\"\nargs = [\"launcher\", \"--client\", \"c-2\"]\nenabled = false # for now\ntool_timeout_sec = 60\n")
	b.remove("c-2", first.Receipt)
	b.is("a = 1\n")
}

// Apps write their settings anew in their own style. Ours goes out of that too, with the table that was ours.
func TestAppRewroteItsFile(t *testing.T) {
	for _, before := range []string{"(none)", "{}", `{"theme":"dark"}`, `{"mcpServers":{},"theme":"dark"}`, `{"mcpServers":{"x":{"command":"y"}}}`} {
		t.Run(before, func(t *testing.T) {
			for _, withReceipt := range []bool{true, false} {
				b := newBench(t, apps.Mac, "claude-desktop")
				if before != "(none)" {
					b.write(before)
				}
				r := b.connect("c-1").Receipt
				var doc map[string]any
				if err := json.Unmarshal([]byte(b.text()), &doc); err != nil {
					t.Fatal(err)
				}
				doc["locale"] = "de"
				text, err := json.MarshalIndent(doc, "", "    ")
				if err != nil {
					t.Fatal(err)
				}
				b.write(string(text))
				if !withReceipt {
					r = nil
				}
				b.remove("c-1", r)
				var got, want map[string]any
				if before != "(none)" {
					if err := json.Unmarshal([]byte(before), &want); err != nil {
						t.Fatal(err)
					}
				}
				if err := json.Unmarshal([]byte(b.text()), &got); err != nil {
					t.Fatal(err)
				}
				delete(got, "locale")
				if servers, ok := got["mcpServers"].(map[string]any); !withReceipt && before == "(none)" && ok && len(servers) == 0 {
					delete(got, "mcpServers") // without a receipt and a copy nobody knows whose the empty table is
				}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("receipt %v: %v, want %v", withReceipt, got, want)
				}
			}
		})
	}
}

func TestChangedMeanwhile(t *testing.T) {
	t.Run("elsewhere: planned again", func(t *testing.T) {
		b := newBench(t, apps.Linux, "claude-code")
		b.write(`{"n": 1}`)
		p, err := b.Plan(b.app, "c-1")
		if err != nil {
			t.Fatal(err)
		}
		b.write(`{"n": 2}`)
		times := 0
		b.Disk.At = func(s disk.Step) error {
			if s == disk.Written && times == 0 { // and once more while it is written
				times++
				b.write(`{"n": 3}`)
			}
			return nil
		}
		if _, err := b.Apply(p); err != nil {
			t.Fatal(err)
		}
		if got := b.text(); !strings.HasPrefix(got, `{"n": 3, "mcpServers": {"conch"`) || times != 1 {
			t.Errorf("%d %s", times, got)
		}
	})
	t.Run("the lines: asked again", func(t *testing.T) {
		b := newBench(t, apps.Linux, "claude-code")
		p, err := b.Plan(b.app, "c-1")
		if err != nil {
			t.Fatal(err)
		}
		text := `{"mcpServers": {"conch": {"command": "seashell"}}}`
		b.write(text)
		_, err = b.Apply(p)
		if _, ok := errors.AsType[*connect.ChangedError](err); !ok {
			t.Errorf("%v", err)
		}
		b.is(text)
	})
	t.Run("all the time: given up", func(t *testing.T) {
		b := newBench(t, apps.Linux, "claude-code")
		b.write(`{}`)
		p, err := b.Plan(b.app, "c-1")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		b.Disk.At = func(s disk.Step) error {
			if s == disk.Written {
				n++
				b.write(`{}` + strings.Repeat(" ", n))
			}
			return nil
		}
		_, err = b.Apply(p)
		if _, ok := errors.AsType[*connect.ChangedError](err); !ok || n != 3 {
			t.Errorf("%d %v", n, err)
		}
		b.is(`{}   `)
	})
	t.Run("written over", func(t *testing.T) {
		b := newBench(t, apps.Mac, "claude-desktop")
		b.write(`{}`)
		p, err := b.Plan(b.app, "c-1")
		if err != nil || !strings.Contains(p.First, "quit it first") {
			t.Fatalf("%v %q", err, p.First)
		}
		b.Disk.At = func(s disk.Step) error {
			if s == disk.Replaced {
				b.write(`{"theme": "dark"}`)
			}
			return nil
		}
		_, err = b.Apply(p)
		if _, ok := errors.AsType[*connect.OverwrittenError](err); !ok {
			t.Errorf("%v", err)
		}
	})
	t.Run("written over with ours in it", func(t *testing.T) {
		b := newBench(t, apps.Mac, "claude-desktop")
		b.write(`{}`)
		p, err := b.Plan(b.app, "c-1")
		if err != nil {
			t.Fatal(err)
		}
		b.Disk.At = func(s disk.Step) error {
			if s == disk.Replaced {
				b.write(strings.Replace(b.text(), "{", `{"theme": "dark",`, 1))
			}
			return nil
		}
		if _, err = b.Apply(p); err != nil {
			t.Errorf("%v", err)
		}
	})
}

// A crash at any step of connecting or taking out leaves settings that are whole, and the next try ends it.
func TestCutOffAnywhere(t *testing.T) {
	crash := errors.New("crash")
	steps := []disk.Step{disk.BackupWritten, disk.BackupKept, disk.Written, disk.Checked, disk.Replaced}
	before := "{\n  \"a\": 1\n}"
	for _, step := range steps {
		b := newBench(t, apps.Mac, "claude-desktop")
		b.write(before)
		p, err := b.Plan(b.app, "c-1")
		if err != nil {
			t.Fatal(err)
		}
		cut := func(s disk.Step) error {
			if s == step {
				return crash
			}
			return nil
		}
		b.Disk.At = cut
		if _, err := b.Apply(p); err == nil {
			t.Errorf("%s: no crash", step)
		}
		if f := b.found(); step != disk.Replaced && len(f) != 0 || step == disk.Replaced && len(f) != 1 {
			t.Errorf("%s: %+v", step, f)
		}
		b.Disk.At = nil
		b.connect("c-1")
		after := b.text()
		if step != disk.BackupWritten && step != disk.BackupKept {
			b.Disk.At = cut
			if _, err := b.Remove(b.app, "c-1", nil); err == nil {
				t.Errorf("%s: no crash", step)
			}
			if got := b.text(); got != before && got != after {
				t.Errorf("%s: %q", step, got)
			}
			b.Disk.At = nil
		}
		b.remove("c-1", nil)
		b.is(before)
		entries, err := os.ReadDir(filepath.Dir(b.file))
		if err != nil || len(entries) != 2 {
			t.Errorf("%s: left behind: %v %v", step, entries, err)
		}
	}
}

// Entries in an older place are found and taken out as well, although the app uses a newer one now.
func TestAllPlaces(t *testing.T) {
	b := newBench(t, apps.Linux, "lm-studio")
	old := filepath.Join(b.Env.Home, ".cache", "lm-studio", "mcp.json")
	fresh := b.file
	b.file = old
	b.write("{}")
	b.connect("c-1")
	b.file = fresh
	b.write("{}")
	b.connect("c-2")
	if f := b.found(); len(f) != 2 || f[0].File != fresh || f[1].File != old {
		t.Fatalf("%+v", f)
	}
	if fixes, err := b.Heal(b.app, paired{"c-2": nil}); err != nil || len(fixes) != 1 || fixes[0].File != old {
		t.Fatalf("%v %+v", err, fixes)
	}
	b.file = old
	b.is("{}")
}

func TestRefusesToPlan(t *testing.T) {
	for _, client := range []string{"", "a b", "../x", "a\nb", strings.Repeat("x", 65), "ü", "--x="} {
		b := newBench(t, apps.Mac, "cursor")
		if _, err := b.Plan(b.app, client); err == nil {
			t.Errorf("client %q was taken", client)
		}
		if _, err := b.Link(b.app, client); err == nil {
			t.Errorf("client %q was taken in a link", client)
		}
	}
	for _, path := range []string{"", "conch", "./conch", "/opt/\nconch", "/opt/\xff"} {
		b := newBench(t, apps.Mac, "cursor")
		b.Launcher = path
		if _, err := b.Plan(b.app, "c-1"); err == nil {
			t.Errorf("launcher %q was taken", path)
		}
		if _, err := b.Heal(b.app, paired{}); err == nil {
			t.Errorf("healed with launcher %q", path)
		}
	}
}

func TestFilesThatAreNone(t *testing.T) {
	for what, c := range map[string]struct {
		make func(path string) error
		want string
	}{
		"folder":    {func(p string) error { return os.MkdirAll(p, 0o700) }, "is a folder"},
		"pipe":      {func(p string) error { return exec.Command("mkfifo", p).Run() }, "is not a plain file"},
		"dangling":  {func(p string) error { return os.Symlink("nowhere", p) }, "is a link that leads nowhere"},
		"read-only": {func(p string) error { return os.WriteFile(p, []byte("{}"), 0o400) }, "is marked read-only"},
		"huge":      {func(p string) error { return os.WriteFile(p, make([]byte, 10<<20+1), 0o600) }, "is larger than 10 MB"},
	} {
		b := newBench(t, apps.Mac, "cursor")
		if err := errors.Join(os.MkdirAll(filepath.Dir(b.file), 0o700), c.make(b.file)); err != nil {
			t.Fatal(err)
		}
		_, err := b.Plan(b.app, "c-1")
		l, ok := errors.AsType[*connect.LeftAloneError](err)
		if !ok || l.Why != c.want || !strings.Contains(l.Lines, launcher) {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := b.Find(b.app); (err == nil) != (what == "read-only") {
			t.Errorf("%s: searched: %v", what, err)
		}
	}
}

// Claude Code holds a lock while it writes. Ours is held while we write, and is gone afterwards.
func TestLockIsHeldWhileWriting(t *testing.T) {
	b := newBench(t, apps.Linux, "claude-code")
	b.write("{}")
	held := map[disk.Step]bool{}
	b.Disk.At = func(s disk.Step) error {
		info, err := os.Stat(b.file + ".lock")
		held[s] = err == nil && info.IsDir()
		return nil
	}
	r := b.connect("c-1")
	if !held[disk.Checked] || !held[disk.Replaced] {
		t.Errorf("connecting: %v", held)
	}
	clear(held)
	b.remove("c-1", r.Receipt)
	if !held[disk.Checked] || !held[disk.Replaced] {
		t.Errorf("taking out: %v", held)
	}
	if _, err := os.Stat(b.file + ".lock"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock stays: %v", err)
	}
}

// A link to a file among a person's own dotfiles stays a link, and the file it leads to is changed.
func TestDotfiles(t *testing.T) {
	b := newBench(t, apps.Linux, "zed")
	link := b.file
	b.file = filepath.Join(b.Env.Home, "dotfiles", "zed.json")
	b.write("{}\r\n")
	if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o700), os.Symlink(b.file, link)); err != nil {
		t.Fatal(err)
	}
	p, err := b.Plan(b.app, "c-1")
	if err != nil || p.File != link || p.Real != b.file {
		t.Fatalf("%v %+v", err, p)
	}
	r := b.connect("c-1")
	if got := b.text(); !strings.Contains(got, "\r\n    \"conch\"") || strings.Contains(strings.ReplaceAll(got, "\r\n", ""), "\n") {
		t.Errorf("%q", got)
	}
	b.remove("c-1", r.Receipt)
	b.is("{}\r\n")
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v %v", info, err)
	}
}
