package drivertest

import (
	"context"
	"errors"
	"strings"

	"github.com/rivo/uniseg"

	"conch/driver"
	"conch/driver/gesture"
	"conch/driver/key"
)

// typingSample has what keyboards lack: accents, other scripts, quotes, and emoji (of one code point: what a
// person counts as one character may be several to the app).
const typingSample = "Hello, World! 2+2=4 <a@b> {x|y}~ \"it's\"\tÄÖÜß éñç Привет Ελλάδα 日本語 한국 👋🎉\nsecond line "

var keyTests = map[string]func(*suite){
	"text arrives and is counted": func(s *suite) {
		s.begin()
		w := s.Desk.Open(s, mainWin)
		n, err := s.d.Text(s.ctx(), typingSample, driver.Anywhere)
		s.ok(err)
		s.same("typed", uniseg.GraphemeClusterCount(typingSample), n)
		s.until("all of it arrives", func() bool { return len(w.Text()) >= len(typingSample) })
		s.same("what arrived", typingSample, w.Text())
		n, err = s.d.Text(s.ctx(), "", driver.Anywhere)
		s.ok(err)
		s.same("typed of nothing", 0, n)
		s.nothingHeld()
	},
	"a long text arrives whole": func(s *suite) {
		s.begin()
		w := s.Desk.Open(s, mainWin)
		text := strings.Repeat("The quick brown fox, çà et là — 日本. ", 40)
		n, err := gesture.Type(s.ctx(), s.d, text, gesture.Unguarded)
		s.ok(err)
		s.same("typed", uniseg.GraphemeClusterCount(text), n)
		s.until("all of it arrives", func() bool { return len(w.Text()) >= len(text) })
		s.same("what arrived", text, w.Text())
	},
	"a cancel stops typing": func(s *suite) {
		s.begin()
		w := s.Desk.Open(s, mainWin)
		text := strings.Repeat("Stop works. ", 2000)
		ctx, cancel := context.WithCancel(s.ctx())
		defer cancel()
		watched := make(chan struct{})
		go func() {
			defer close(watched)
			for len(w.Text()) < 30 && ctx.Err() == nil {
			}
			cancel()
		}()
		n, err := s.d.Text(ctx, text, driver.Anywhere)
		cancel()
		<-watched
		if !errors.Is(err, context.Canceled) || n >= len(text) {
			s.Fatalf("typed %d of %d, then %v", n, len(text), err)
		}
		s.nothingHeld()
		// What is typed next comes right after what was typed before the cancel.
		m, err := s.d.Text(s.ctx(), "#", driver.Anywhere)
		s.ok(err)
		s.same("typed after a cancel", 1, m)
		s.until("what comes next", func() bool { return strings.HasSuffix(w.Text(), "#") })
		got := len(w.Text()) - 1
		if w.Text() != text[:got]+"#" || got < n || got > n+2 {
			s.Errorf("%d characters arrived and %d were reported; it ends in %q", got, n, tail(w.Text()))
		}
	},
	"keys make their characters": func(s *suite) {
		s.begin()
		w := s.Desk.Open(s, mainWin)
		for _, k := range []string{"a", "shift+a", "7", "minus", "plus", "space", "é", "ж", "Return", "Tab", "z"} {
			c, err := key.Parse(k)
			s.ok(err)
			s.ok(gesture.Press(s.ctx(), s.d, c, 1, gesture.Unguarded))
		}
		s.until("the last one arrives", func() bool { return strings.HasSuffix(w.Text(), "z") })
		s.same("what arrived", "aA7-+ éж\n\tz", w.Text())
		s.nothingHeld()
	},
	"keys that are held are lifted": func(s *suite) {
		s.begin()
		s.Desk.Open(s, mainWin)
		for i, k := range []key.Key{key.Shift, key.Control, "F9"} {
			s.ok(s.d.Key(s.ctx(), k, true, driver.Anywhere))
			s.same("held", i+1, len(s.Desk.Held(s)))
		}
		gone, cancel := context.WithCancel(s.ctx())
		cancel()
		if err := s.d.Key(gone, "b", true, driver.Anywhere); !errors.Is(err, context.Canceled) {
			s.Errorf("a key on a cancelled context: %v", err)
		}
		s.ok(s.d.Release(context.WithoutCancel(gone)))
		s.nothingHeld()
	},
	"every chord lets go": func(s *suite) {
		s.begin()
		w := s.Desk.Open(s, mainWin)
		for _, k := range []string{"ctrl+shift+F7", "super+F6", "alt+F8", "KP_Enter", "Page_Down", "shift", "ctrl+alt+é"} {
			c, err := key.Parse(k)
			s.ok(err)
			before := w.Keys()
			s.ok(gesture.Press(s.ctx(), s.d, c, 2, gesture.Unguarded))
			s.nothingHeld()
			s.until(k+" arrives", func() bool { return w.Keys() > before })
		}
	},
	"a key that isn't one is refused": func(s *suite) {
		s.begin()
		w := s.Desk.Open(s, mainWin)
		var no *driver.NoKeyError
		if err := s.d.Key(s.ctx(), "No_Such_Key", true, driver.Anywhere); !errors.As(err, &no) || no.Name != "No_Such_Key" {
			s.Errorf("it gives %v", err)
		}
		s.nothingHeld()
		s.same("keys that arrived", 0, w.Keys())
	},
	"a cancelled context posts nothing": func(s *suite) {
		s.begin()
		w := s.Desk.Open(s, mainWin)
		s.ok(s.d.Move(s.ctx(), middle(mainWin.Field), driver.Anywhere))
		gone, cancel := context.WithCancel(s.ctx())
		cancel()
		typed, err := s.d.Text(gone, "abc", driver.Anywhere)
		s.same("typed", 0, typed)
		for name, err := range map[string]error{
			"Text": err, "Move": s.d.Move(gone, pt(1, 1), driver.Anywhere), "Button": s.d.Button(gone, driver.Left, true, driver.Anywhere),
			"Key": s.d.Key(gone, "a", true, driver.Anywhere), "Scroll": s.d.Scroll(gone, 0, 1, driver.Anywhere),
		} {
			if !errors.Is(err, context.Canceled) {
				s.Errorf("%s gives %v", name, err)
			}
		}
		s.nothingHeld()
		at, err := s.d.Pointer(s.ctx())
		s.ok(err)
		s.same("the pointer", middle(mainWin.Field), at)
		// One event that does arrive shows that none came before it.
		s.ok(gesture.Press(s.ctx(), s.d, key.Chord{Key: "z"}, 1, gesture.Unguarded))
		s.until("a later key arrives", func() bool { return w.Text() != "" })
		dx, dy := w.Scrolled()
		s.same("all that arrived", []any{"z", 0, 0, 0}, []any{w.Text(), w.Downs(), dx, dy})
	},
}

func tail(s string) string { return s[max(0, len(s)-30):] }
