package care

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/gateway/access/keep"
	"conch/gateway/chat"
	"conch/gateway/confirm"
	"conch/gateway/state"
)

func folder(t *testing.T) *state.Dir {
	t.Helper()
	d, err := state.Open(filepath.Join(t.TempDir(), "home"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func write(t *testing.T, d *state.Dir, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(d.Path(name)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(d.Path(name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(d.Path(name), mode); err != nil {
		t.Fatal(err)
	}
}

func level(t *testing.T, c Check, want Level) Finding {
	t.Helper()
	f := NewList(c).Look(t.Context(), c.Area)[0].Finding
	if f.Level != want {
		t.Errorf("%s is %s, want %s: %s", c.ID, f.Level, want, f.Say)
	}
	return f
}

// press does a fix that is offered, and wants it to be seen to work.
func press(t *testing.T, c Check, id string) Result {
	t.Helper()
	r, err := NewList(c).Fix(t.Context(), id)
	if err != nil || !r.Fixed {
		t.Errorf("%s: %+v, %v", id, r, err)
	}
	return r
}

func TestModes(t *testing.T) {
	d := folder(t)
	c := Modes(d)
	write(t, d, "fine.json", "{}", 0o600)
	level(t, c, OK)
	write(t, d, "here/key", "k", 0o640)
	write(t, d, "skills/x/run.sh", "", 0o755)
	if err := os.Chmod(d.Path("skills"), 0o755); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, d.Path("link")); err != nil {
		t.Fatal(err)
	}
	f := level(t, c, Bad)
	for _, name := range []string{"here/key", "skills", "skills/x/run.sh"} {
		if !strings.Contains(f.Say, name) {
			t.Errorf("%s isn't named: %s", name, f.Say)
		}
	}
	press(t, c, "modes")
	for name, want := range map[string]os.FileMode{"here/key": 0o600, "skills": 0o700, "skills/x/run.sh": 0o700, "fine.json": 0o600} {
		if info, err := os.Stat(d.Path(name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s is %v, %v", name, info.Mode(), err)
		}
	}
	if info, err := os.Stat(outside); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("a file elsewhere was changed: %v, %v", info.Mode(), err)
	}
}

func TestDocuments(t *testing.T) {
	d := folder(t)
	use := state.NewComputerUse(d, nil, nil)
	access := keep.Open(d, nil)
	conf := confirm.New(access, nil, nil)
	c := Documents(d, func(name string) bool { return name == state.ComputerUseFile })
	if err := use.Set(true); err != nil {
		t.Fatal(err)
	}
	level(t, c, OK)
	write(t, d, state.ComputerUseFile, `{"on":tru`, 0o600)
	write(t, d, keep.Name, `{"confirm":`, 0o600)
	f := level(t, c, Bad)
	if len(f.Rows) != 2 {
		t.Fatalf("rows %+v", f.Rows)
	}
	for _, row := range f.Rows {
		if (row.ID == state.ComputerUseFile) != (row.Fix != nil) {
			t.Errorf("%s has the fix %v: absent, access.json asks for nothing", row.ID, row.Fix)
		}
		if strings.Contains(row.Say, "jsontext") || strings.Contains(row.Say, d.Path("")) {
			t.Errorf("%s says %q", row.ID, row.Say)
		}
	}
	if use.On() {
		t.Error("unreadable, and on")
	}
	press(t, c, "documents/"+state.ComputerUseFile)
	if use.On() {
		t.Error("the fix turned it on")
	}
	if how, err := conf.How(); err == nil {
		t.Errorf("the unreadable access.json reads as %q", how)
	}
	if err := os.Remove(d.Path(keep.Name)); err != nil {
		t.Fatal(err)
	}
	level(t, c, OK)
	kept := level(t, Kept(d), Info)
	if !strings.Contains(kept.Say, "computer-use.json.unreadable-1") {
		t.Errorf("kept: %s", kept.Say)
	}
	// What a newer Conch wrote, and what is no plain file, is for the person.
	write(t, d, state.ComputerUseFile, `{"version":99}`, 0o600)
	if f := level(t, c, Bad); len(f.Rows) != 1 || f.Rows[0].Fix != nil || !strings.Contains(f.Rows[0].Say, "newer Conch") {
		t.Errorf("newer: %+v", f.Rows)
	}
	level(t, Kept(folder(t)), OK)
}

func TestLeftovers(t *testing.T) {
	d := folder(t)
	now := time.Now()
	c := Leftovers(d, func() time.Time { return now }, map[string]time.Duration{"here/open.html": 5 * time.Minute})
	write(t, d, "computer-use.json", "{}", 0o600)
	level(t, c, OK)
	write(t, d, ".computer-use.json.tmp-ABC", "{", 0o600)
	write(t, d, "here/open.html", "x", 0o600)
	write(t, d, ".notes", "mine", 0o600)
	level(t, c, OK) // it may be being written right now
	now = now.Add(10 * time.Minute)
	f := level(t, c, Warn)
	if !strings.Contains(f.Say, ".computer-use.json.tmp-ABC and here/open.html") {
		t.Errorf("it says %q", f.Say)
	}
	press(t, c, "leftovers")
	for name, want := range map[string]bool{".computer-use.json.tmp-ABC": false, "here/open.html": false, ".notes": true, "computer-use.json": true} {
		if _, err := os.Stat(d.Path(name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), chat.File)
	verify := func(ctx context.Context) error { return chat.Verify(ctx, path) }
	level(t, Database(verify, nil), OK) // none yet
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("looking made it: %v", err)
	}
	s, err := chat.Open(t.Context(), path, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		c, err := s.NewChat(t.Context(), "hello")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Append(t.Context(), chat.Event{Chat: c.ID, Kind: chat.KindSaid, Text: strings.Repeat("hello ", 500)}); err != nil {
			t.Fatal(err)
		}
	}
	level(t, Database(verify, s.Rebuild), OK)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	unindex(t, path)
	if s, err = chat.Open(t.Context(), path, nil, nil); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	c := Database(verify, s.Rebuild)
	level(t, c, Bad)
	press(t, c, "database")
	// Damage that no index can make up for is told, and not called fixed.
	_ = s.Close()
	smash(t, path)
	if s, err = chat.Open(t.Context(), path, nil, nil); err != nil {
		t.Fatal(err)
	}
	if r, err := NewList(Database(verify, s.Rebuild)).Fix(t.Context(), "database"); err != nil || r.Fixed {
		t.Errorf("smashed: %+v, %v", r, err)
	}
}

// unindex makes an index disagree with its table, as a lost write does.
func unindex(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	defer func() { _ = db.Close() }()
	for _, q := range []string{
		"PRAGMA writable_schema = ON",
		"UPDATE sqlite_schema SET sql = 'CREATE INDEX chats_updated ON chats (title DESC)' WHERE name = 'chats_updated'",
	} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
}

// smash overwrites the beginnings of the last pages, which are those of the longest table.
func smash(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	const page = 4096
	junk := []byte(strings.Repeat("\xff", 100))
	for at := info.Size() / 2 / page * page; at < info.Size(); at += page {
		if _, err := f.WriteAt(junk, at); err != nil {
			t.Fatal(err)
		}
	}
}

func TestList(t *testing.T) {
	for want, names := range map[string][]string{
		"": nil, "a": {"a"}, "a and b": {"a", "b"}, "a, b, c, d and e": {"a", "b", "c", "d", "e"}, "a, b, c, d and 2 more": {"a", "b", "c", "d", "e", "f"},
	} {
		if got := list(names); got != want {
			t.Errorf("%v: %q", names, got)
		}
	}
}
