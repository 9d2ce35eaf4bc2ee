package pair

import (
	"fmt"
	"os"
	"testing"
	"time"

	"conch/gateway/chat"
	"conch/gateway/state"
)

// What was read is kept while the file is left alone, and anybody's change of it holds with the next question.
func TestRecordsAreReadAgain(t *testing.T) {
	home := t.TempDir()
	open := func() *Registry {
		dir, err := state.Open(home)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = dir.Close() })
		r, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r, other := open(), open()
	c, _, err := r.Pair(Client{Name: "Cursor", Kind: HTTP, Mode: chat.Ask, Scopes: []string{Skills}})
	if err != nil {
		t.Fatal(err)
	}
	at := r.dir.Path(File)
	if first, second := r.read(), r.read(); first == second {
		t.Error("what was written just now is kept, though a second change may look the same")
	}
	long := time.Now().Add(-time.Hour)
	age := func() {
		t.Helper()
		if err := os.Chtimes(at, long, long); err != nil {
			t.Fatal(err)
		}
	}
	age()
	if first, second := r.read(), r.read(); first != second {
		t.Error("a file that nobody changed is read again")
	}
	may := func(Client, Client) error { return nil }
	for i, scope := range []string{MemoryRead, Browser, ""} {
		if _, err := other.Change(c.ID, func(c *Client) {
			c.Name, c.Scopes = fmt.Sprint("App ", i), []string{scope}
			if scope == "" {
				c.Scopes = nil
			}
		}, may); err != nil {
			t.Fatal(err)
		}
		age() // also one that has the same time and size as before
		got, ok := r.Get(c.ID)
		if !ok || got.Name != fmt.Sprint("App ", i) || got.May(Skills) || scope != "" && !got.May(scope) {
			t.Errorf("after another's change it has %+v", got)
		}
	}
	if err := other.SetElsewhere(true); err != nil || !r.Elsewhere() {
		t.Error("the way from elsewhere isn't known to be open", err)
	}
	if was, err := other.Remove(c.ID); !was || err != nil {
		t.Fatal(was, err)
	}
	age()
	if _, ok := r.Get(c.ID); ok {
		t.Error("a removed app is still paired")
	}
	if err := os.Remove(at); err != nil {
		t.Fatal(err)
	}
	if len(r.List()) != 0 || r.Elsewhere() {
		t.Error("without a file somebody is paired")
	}
}

// Who edits a list that was handed out changes nobody else's.
func TestListIsYours(t *testing.T) {
	dir, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	r, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := r.Pair(Client{Name: "Cursor", Kind: HTTP, Mode: chat.Ask, Scopes: []string{Skills}})
	if err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(dir.Path(File), long, long); err != nil {
		t.Fatal(err)
	}
	list := r.List()
	list[0].Scopes[0], list[0].Name = Computer, "Another"
	if got, _ := r.Get(c.ID); got.Name != "Cursor" || !got.May(Skills) {
		t.Errorf("it is %+v", got)
	}
}
