//go:build linux

package x11

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"conch/driver"
	"conch/driver/key"
	"conch/driver/x11/xkb"

	"github.com/rivo/uniseg"
)

// How many keys go out before the app has to show that it keeps up, and before the server has to: what it has
// not worked through yet still comes after a cancel.
const (
	keysAhead    = 64
	keysInFlight = 16
)

var errOwnKeyHeld = errors.New("a key is still held down: let go of it before typing text")

// Text types s by character and says how many graphemes went out.
func (h *hands) Text(ctx context.Context, s string, into driver.Into) (int, error) {
	clusters, err := graphemes(s)
	if err != nil || len(clusters) == 0 {
		return 0, err
	}
	if err := h.take(ctx); err != nil {
		return 0, err
	}
	defer h.give()
	t := typist{h: h, text: clusters, into: into}
	err = t.begin(ctx)
	if err == nil {
		err = t.run(ctx)
	}
	return t.done, h.gone(errors.Join(err, t.end(ctx)))
}

// graphemes cuts s into what a person counts as one character. Characters that would press a key of their own,
// such as Escape, are refused before anything is typed.
func graphemes(s string) ([][]rune, error) {
	if !utf8.ValidString(s) {
		return nil, errors.New("the text is not valid Unicode (UTF-8)")
	}
	var out [][]rune
	for state := -1; s != ""; {
		var c string
		c, s, _, state = uniseg.FirstGraphemeClusterInString(s, state)
		if c == "\r\n" || c == "\r" {
			c = "\n"
		}
		for _, r := range c {
			if unicode.IsControl(r) && r != '\n' && r != '\t' {
				return nil, noKey(fmt.Sprintf("U+%04X", r))
			}
		}
		out = append(out, []rune(c))
	}
	return out, nil
}

// typist types one text.
type typist struct {
	h     *hands
	text  [][]rune
	into  driver.Into
	held  bool // keys go where they may, and can't go elsewhere until what is queued is sent
	next  int  // graphemes that are queued
	done  int  // graphemes that went out
	was   xkb.State
	ahead int // keys since the app last showed that it keeps up
	sent  int // keys since the server last did
	mods  xkb.Mods
}

func (t *typist) begin(ctx context.Context) error {
	h := t.h
	if len(h.keys) > 0 {
		return errOwnKeyHeld
	}
	st, err := h.kb.State(ctx)
	if err != nil {
		return err
	}
	if err := h.refresh(ctx, st.Locked); err != nil {
		return err
	}
	if err := h.personKeys(ctx); err != nil {
		return err
	}
	if err := h.aim(ctx); err != nil {
		return err
	}
	t.was = st
	if len(h.spare.codes) == 0 {
		if r, miss := t.foreign(); miss {
			return noKey(string(r))
		}
	}
	if st.Locked&xkb.Lock != 0 || st.Latched != 0 || st.Group != 0 {
		h.lockState(st, xkb.Lock, 0)
	}
	return nil
}

func (t *typist) run(ctx context.Context) error {
	for i, cluster := range t.text {
		if err := ctx.Err(); err != nil {
			return err
		}
		// All of a grapheme has its places before any of it goes out, so that a stop doesn't leave half of one.
		if !t.placed(cluster) {
			if err := t.lend(ctx, i, 0); err != nil {
				return err
			}
		}
		if err := t.cluster(ctx, i); err != nil {
			return err
		}
		t.next++
		if t.sent >= keysInFlight || t.ahead >= keysAhead {
			if err := t.send(ctx); err != nil {
				return err
			}
		}
		if t.ahead >= keysAhead {
			if err := t.checkpoint(ctx); err != nil {
				return err
			}
		}
	}
	return t.send(ctx)
}

func (t *typist) placed(cluster []rune) bool {
	return !slices.ContainsFunc(cluster, func(r rune) bool { _, ok := t.stroke(r); return !ok })
}

// cluster queues the keys of grapheme i. Only one with more characters than there are places goes out in parts.
func (t *typist) cluster(ctx context.Context, i int) error {
	for j, r := range t.text[i] {
		s, ok := t.stroke(r)
		if !ok {
			if err := t.lend(ctx, i, j); err != nil {
				return err
			}
			if s, ok = t.stroke(r); !ok {
				return noKey(string(t.text[i]))
			}
		}
		if err := t.hold(ctx); err != nil {
			return err
		}
		t.hit(s)
	}
	return nil
}

// hold sees to it that the keys that are queued next go where they may.
func (t *typist) hold(ctx context.Context) error {
	if t.held {
		return nil
	}
	err := t.h.hold(ctx, t.into, t.h.keysLand)
	if t.held = err == nil; t.held && !t.into.Anywhere() {
		t.sent = 0
	}
	return err
}

// send lets what is queued go out. How far the server is with it shows before more is sent: by where the keys go, or
// where that doesn't matter, by asking it now and then.
func (t *typist) send(ctx context.Context) error {
	t.held = false
	if err := t.h.letGo(); err != nil {
		return err
	}
	t.done, t.next = t.done+t.next, 0
	if t.sent < keysInFlight || !t.into.Anywhere() {
		return nil
	}
	t.sent = 0
	if err := t.h.settle(ctx); ctx.Err() == nil {
		return err
	}
	return nil // it has gone out; the end of ctx is seen to before the next
}

// stroke finds how a character is made right now.
func (t *typist) stroke(r rune) (xkb.Stroke, bool) {
	if s, ok := t.own(r); ok {
		return s, true
	}
	return t.h.spare.stroke(key.RuneKeysym(r))
}

// Keysyms of the two characters that are keys of their own.
const (
	symReturn = 0xff0d
	symTab    = 0xff09
)

// own finds how the layout itself makes a character. Only its first group counts, which is active while we
// type: a program that doesn't speak XKB never learns of another.
func (t *typist) own(r rune) (xkb.Stroke, bool) {
	switch r {
	case '\n':
		return t.h.keyboard.layout.FirstSym(symReturn)
	case '\t':
		return t.h.keyboard.layout.FirstSym(symTab)
	}
	return t.h.keyboard.layout.First(r)
}

// hit queues one key going down and up, with the modifiers it needs. Modifiers stay down for the next one.
func (t *typist) hit(s xkb.Stroke) {
	h := t.h
	t.shift(s.Mods)
	h.press(s.Code)
	h.lift(s.Code)
	h.spare.mark(s)
	t.ahead++
	t.sent++
}

// shift queues what makes exactly these modifiers be down.
func (t *typist) shift(mods xkb.Mods) {
	for m := range xkb.Each(t.mods &^ mods) {
		if code, ok := t.h.keyboard.layout.ModKey(m); ok {
			t.h.lift(code)
		}
	}
	for m := range xkb.Each(mods &^ t.mods) {
		if code, ok := t.h.keyboard.layout.ModKey(m); ok {
			t.h.press(code)
		}
	}
	t.mods = mods
}

// lend asks for places for what the layout lacks from rune j of grapheme i on, as far as there is room. What is
// queued goes out before: its keys mean what they mean now, and an app may have to take them first.
func (t *typist) lend(ctx context.Context, i, j int) error {
	if err := t.send(ctx); err != nil {
		return err
	}
	room := len(t.h.spare.slots)
	var want []uint32
	add := func(r rune) bool {
		if _, ok := t.own(r); ok {
			return true
		}
		if sym := key.RuneKeysym(r); !slices.Contains(want, sym) {
			want = append(want, sym)
		}
		return len(want) < room
	}
	from := t.text[i][j:]
	for {
		for _, r := range from {
			if !add(r) {
				return t.h.lend(ctx, want)
			}
		}
		if i++; i == len(t.text) {
			return t.h.lend(ctx, want)
		}
		from = t.text[i]
	}
}

// foreign finds the first character that the layout lacks.
func (t *typist) foreign() (rune, bool) {
	for _, c := range t.text {
		for _, r := range c {
			if _, ok := t.own(r); !ok {
				return r, true
			}
		}
	}
	return 0, false
}

// checkpoint lets the app catch up, and looks whether the person has come to the keyboard or changed its map.
func (t *typist) checkpoint(ctx context.Context) error {
	h := t.h
	t.ahead = 0
	if h.to.window != 0 {
		if err := h.ping(ctx); err != nil {
			return err
		}
	} else if err := h.settle(ctx); err != nil {
		return err
	}
	if err := h.personKeys(ctx); err != nil {
		return err
	}
	if err := h.aim(ctx); err != nil {
		return err
	}
	if h.keyboard.seen == h.news.Load() {
		return nil
	}
	t.shift(0) // the modifiers' codes may be other ones on the new map
	return h.refresh(ctx, t.was.Locked)
}

// end lifts what is down, puts Caps Lock and the group back, and waits until the server has done it all: after
// that no event comes any more.
func (t *typist) end(ctx context.Context) error {
	h := t.h
	if err := t.send(ctx); err != nil {
		return err
	}
	if h.keyboard.layout != nil {
		t.shift(0)
	}
	h.unlockState()
	if err := h.settle(ctx); ctx.Err() == nil {
		return err
	}
	return nil
}
