package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/app/internal/running"
	"conch/gateway/state"
)

func openState(t *testing.T) (*state.Dir, string) {
	t.Helper()
	home := filepath.Join(t.TempDir(), "conch")
	dir, err := state.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })
	return dir, home
}

func TestOneInstance(t *testing.T) {
	dir, home := openState(t)
	first, err := claim(t.Context(), dir, quiet())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := claim(t.Context(), dir, quiet()); !errors.Is(err, errRunning) {
		t.Errorf("a second one: got %v, want errRunning", err)
	}
	if err := first.announce(4778); err != nil {
		t.Fatal(err)
	}
	a, key, err := findRunning(t.Context(), home, quiet())
	if err != nil || a.Port != 4778 || a.PID != os.Getpid() || len(key) != 64 {
		t.Errorf("found %+v, a key of %d, %v", a, len(key), err)
	}
	if err := first.leave(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir.Path(running.AddressName)); !errors.Is(err, os.ErrNotExist) {
		t.Error("the address is still there after the end")
	}
	again, err := claim(t.Context(), dir, quiet())
	if err != nil {
		t.Fatalf("after the first has left: %v", err)
	}
	if err := again.leave(); err != nil {
		t.Error(err)
	}
}

// A crash leaves the address behind. Whoever listens there now is a stranger, and must not be sent the key.
func TestAddressAfterACrash(t *testing.T) {
	dir, home := openState(t)
	if err := dir.Put(running.AddressName, []byte(`{"version":1,"port":4778,"pid":1}`)); err != nil {
		t.Fatal(err)
	}
	var s *said
	if _, key, err := findRunning(t.Context(), home, quiet()); !errors.As(err, &s) || s.Code != exitNotRunning || key != "" {
		t.Errorf("got key %q, %v", key, err)
	}
	in, err := claim(t.Context(), dir, quiet())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.leave() }()
	if _, err := os.Stat(dir.Path(running.AddressName)); !errors.Is(err, os.ErrNotExist) {
		t.Error("the old address outlived the next start")
	}
	// It holds the lock and hasn't said where it answers: that is waited for, not guessed.
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := findRunning(ctx, home, quiet()); !errors.As(err, &s) || !strings.Contains(s.Say, "starting") {
		t.Errorf("got %v", err)
	}
}

func TestNotRunning(t *testing.T) {
	home := filepath.Join(t.TempDir(), "never")
	var s *said
	if _, _, err := findRunning(t.Context(), home, quiet()); !errors.As(err, &s) || s.Code != exitNotRunning {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(home); !errors.Is(err, os.ErrNotExist) {
		t.Error("asking made the folder")
	}
}

func TestPagePath(t *testing.T) {
	for word, want := range map[string]string{
		"": "/", "settings": "/settings", "computer": "/settings/computer", "/chats/abc?x=1": "/chats/abc?x=1",
		"//evil.test/": "", "http://evil.test": "", "/a#here=b": "", "/a b": "", "/\\evil.test": "", "nonsense": "", "/a\r\nX: y": "",
	} {
		got, err := pagePath(word)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v; want %q", word, got, err, want)
		}
	}
}

func TestOpenPage(t *testing.T) {
	dir, _ := openState(t)
	file, err := writeOpenPage(dir, pageURL(4778, "/settings?a=1&b=2", "C0de-_"))
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`content="0;url=http://localhost:4778/settings?a=1&amp;b=2#here=C0de-_"`,
		`href="http://localhost:4778/settings?a=1&amp;b=2#here=C0de-_"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in:\n%s", want, text)
		}
	}
}
