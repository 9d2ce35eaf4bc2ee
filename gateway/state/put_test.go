package state_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"conch/gateway/state"
)

func TestPutAndDrop(t *testing.T) {
	home := filepath.Join(t.TempDir(), "conch")
	d, err := state.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	for _, text := range []string{"one", "a longer two", ""} {
		if err := d.Put("here/open.html", []byte(text)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(home, "here", "open.html"))
		if err != nil || string(got) != text {
			t.Errorf("read %q, %v; want %q", got, err, text)
		}
		info, err := os.Stat(d.Path("here/open.html"))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
		}
	}
	if !slices.Contains(d.Protected(), "here/open.html") {
		t.Error("a file that was put is not protected")
	}
	for range 2 { // the second time it isn't there
		if err := d.Drop("here/open.html"); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(d.Path("here/open.html")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("still there: %v", err)
	}
}

func TestPutRefusesWhatIsNoPlainFile(t *testing.T) {
	home := filepath.Join(t.TempDir(), "conch")
	d, err := state.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, d.Path("page.html")); err != nil {
		t.Fatal(err)
	}
	var not *state.NotRegularError
	if err := d.Put("page.html", []byte("ours")); !errors.As(err, &not) {
		t.Errorf("got %v, want a *NotRegularError", err)
	}
	if got, _ := os.ReadFile(outside); string(got) != "theirs" {
		t.Errorf("the file outside is %q now", got)
	}
}
