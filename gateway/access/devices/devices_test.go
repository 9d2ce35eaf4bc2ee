package devices

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/gateway/access"
	"conch/gateway/access/keep"
	"conch/gateway/leaktest"
	"conch/gateway/state"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

type rig struct {
	*Devices
	home string
	now  time.Time
}

func open(t *testing.T) *rig {
	t.Helper()
	r := &rig{home: t.TempDir(), now: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)}
	d, err := state.Open(r.home)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	file := keep.Open(d, nil)
	if err := file.Change(func(d *keep.Doc) error { d.Address.On = true; return nil }); err != nil {
		t.Fatal(err)
	}
	r.Devices = New(file, func() time.Time { return r.now })
	return r
}

func (r *rig) let(t *testing.T) (cookie, id string) {
	t.Helper()
	cookie = r.SignIn("Safari on iPhone", "192.0.2.7")
	id, _ = r.Known(cookie)
	if was, err := r.LetIn(id); err != nil || !was {
		t.Fatal(was, err)
	}
	return cookie, id
}

func TestWaitingThenIn(t *testing.T) {
	r := open(t)
	if id, in := r.Known(""); id != "" || in {
		t.Error("no cookie is somebody's")
	}
	cookie := r.SignIn("Safari on iPhone", "192.0.2.7")
	id, in := r.Known(cookie)
	if id == "" || in {
		t.Fatalf("%q, in: %v", id, in)
	}
	if w := r.Waiting(); len(w) != 1 || w[0].ID != id || w[0].Name != "Safari on iPhone" || w[0].From != "192.0.2.7" || len(w[0].Number) != 4 {
		t.Errorf("waiting: %+v", w)
	}
	if _, err := os.Stat(filepath.Join(r.home, keep.Name)); err != nil {
		t.Fatal(err)
	}
	text := func() string {
		data, err := os.ReadFile(filepath.Join(r.home, keep.Name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if strings.Contains(text(), id) {
		t.Error("signing in alone leaves something behind")
	}
	if was, err := r.LetIn("nobody"); was || err != nil {
		t.Error(was, err)
	}
	if was, err := r.LetIn(id); !was || err != nil {
		t.Fatal(was, err)
	}
	if got, in := r.Known(cookie); got != id || !in || len(r.Waiting()) != 0 {
		t.Errorf("let in: %q, %v", got, in)
	}
	if was, _ := r.LetIn(id); was {
		t.Error("let in twice")
	}
	if strings.Contains(text(), cookie) || !strings.Contains(text(), hash(cookie)) {
		t.Error("the file has the cookie, or lacks its hash")
	}
	// Somebody who holds only what the file says isn't let in.
	if got, _ := r.Known(hash(cookie)); got != "" {
		t.Error("the hash is as good as the cookie")
	}
	r.now = r.now.Add(access.CookieAge + time.Hour)
	if got, _ := r.Known(cookie); got != "" {
		t.Error("a cookie holds for ever")
	}
}

func TestWaitingIsBounded(t *testing.T) {
	r := open(t)
	first := r.SignIn("a", "")
	var last string
	for range MostWaiting {
		last = r.SignIn("b", "")
	}
	if id, _ := r.Known(first); id != "" || len(r.Waiting()) != MostWaiting {
		t.Errorf("%d wait", len(r.Waiting()))
	}
	r.now = r.now.Add(WaitsFor + time.Second)
	if id, _ := r.Known(last); id != "" || len(r.Waiting()) != 0 {
		t.Error("a device waits for ever")
	}
	for range Most {
		r.let(t)
	}
	id, _ := r.Known(r.SignIn("c", ""))
	if was, err := r.LetIn(id); was || !errors.Is(err, ErrFull) {
		t.Errorf("one too many: %v, %v", was, err)
	}
}

func TestRemovedIsGoneAtOnce(t *testing.T) {
	r := open(t)
	cookie, id := r.let(t)
	_, other := r.let(t)
	mine, release := r.Hold(t.Context(), id)
	defer release()
	theirs, releaseOther := r.Hold(t.Context(), other)
	defer releaseOther()
	if mine.Err() != nil {
		t.Fatal("it ended already")
	}
	if was, err := r.Remove(id); !was || err != nil {
		t.Fatal(was, err)
	}
	if mine.Err() == nil || theirs.Err() != nil {
		t.Error("what the device holds must end, and nobody else's")
	}
	if got, _ := r.Known(cookie); got != "" {
		t.Error("a removed device is known")
	}
	if was, _ := r.Remove(id); was {
		t.Error("removed twice")
	}
	// One that was let past the guard a moment before.
	late, releaseLate := r.Hold(t.Context(), id)
	defer releaseLate()
	if !errors.Is(late.Err(), context.Canceled) {
		t.Error("a removed device holds something new")
	}
	waits := r.SignIn("w", "")
	wid, _ := r.Known(waits)
	if was, err := r.Remove(wid); !was || err != nil {
		t.Error("one that waits can't be refused")
	}
	r.SignIn("w", "")
	r.EndAll()
	if theirs.Err() == nil || len(r.Waiting()) != 0 {
		t.Error("turning the address off leaves somebody in")
	}
}

func TestSeen(t *testing.T) {
	r := open(t)
	_, id := r.let(t)
	r.now = r.now.Add(24 * time.Hour)
	r.Here(id)
	r.Here("nobody")
	if in, err := r.In(); err != nil || !in[0].Seen.Equal(r.now) || len(in) != 1 {
		t.Errorf("%+v, %v", in, err)
	}
	again := New(r.file, func() time.Time { return r.now })
	if in, err := again.In(); err != nil || !in[0].Seen.Equal(r.now) {
		t.Errorf("after a restart: %+v, %v", in, err)
	}
}

// A list that can't be read lets nobody in and is never replaced: the same file may ask for confirming.
func TestUnreadable(t *testing.T) {
	r := open(t)
	cookie, id := r.let(t)
	path := filepath.Join(r.home, keep.Name)
	const torn = `{"confirm":"password","devices":[`
	if err := os.WriteFile(path, []byte(torn), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _ := r.Known(cookie); got != "" {
		t.Error("somebody is let in")
	}
	r.SignIn("w", "")
	wid := r.Waiting()[0].ID
	_, inErr := r.In()
	_, letErr := r.LetIn(wid)
	_, removeErr := r.Remove(id)
	r.now = r.now.Add(time.Hour)
	r.Here(id)
	if inErr == nil || letErr == nil || removeErr == nil {
		t.Errorf("%v, %v, %v", inErr, letErr, removeErr)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != torn {
		t.Errorf("it was replaced: %s, %v", data, err)
	}
}

func TestName(t *testing.T) {
	for agent, want := range map[string]string{
		"":                 "A browser",
		"<script>alert(1)": "A browser",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1": "Safari on iPhone",
		"Mozilla/5.0 (Linux; Android 16; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36":                         "Chrome on Android",
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0":                                                                  "Firefox on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0":           "Edge on Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15":                   "Safari on a Mac",
	} {
		if got := Name(agent); got != want {
			t.Errorf("%q is %q, want %q", agent, got, want)
		}
	}
}
