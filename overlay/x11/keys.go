//go:build linux

package x11

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jezek/xgb/xproto"

	"conch/driver/x11/xraw"
	"conch/overlay"
)

// Key symbols (keysymdef.h).
const (
	symEscape     = 0xff1b
	symNumLock    = 0xff7f
	symScrollLock = 0xff14
	symAltL       = 0xffe9
	symAltR       = 0xffea
	symSuperL     = 0xffeb
	symSuperR     = 0xffec
)

// chord is one way to press Stop. All of them are Escape with Super, so that one rule ("Escape while Super is
// down") keeps Conch itself from pressing any of them.
type chord struct {
	name string
	more func(keymap) uint16 // modifiers besides Super; 0 means the keyboard lacks it
}

// chords, the usual one first.
var chords = []chord{
	{"Super+Esc", nil},
	{"Ctrl+Super+Esc", func(keymap) uint16 { return xproto.ModMaskControl }},
	{"Shift+Super+Esc", func(keymap) uint16 { return xproto.ModMaskShift }},
	{"Alt+Super+Esc", func(k keymap) uint16 { return k.alt }},
}

// keymap is where the keys of interest are now.
type keymap struct {
	escape, superKeys []byte   // key codes
	super, alt        uint16   // modifier bits; 0 none
	locks             []uint16 // Caps Lock, Num Lock and Scroll Lock, where they are modifiers
}

func (k keymap) equal(o keymap) bool {
	return bytes.Equal(k.escape, o.escape) && bytes.Equal(k.superKeys, o.superKeys) &&
		k.super == o.super && k.alt == o.alt && slices.Equal(k.locks, o.locks)
}

// grab is one passive grab that we hold.
type grab struct {
	mods uint16
	code xproto.Keycode
}

func (d *Desktop) readKeymap() error {
	s := xproto.Setup(d.conn)
	first, n := s.MinKeycode, byte(s.MaxKeycode-s.MinKeycode+1)
	keys, err := xproto.GetKeyboardMapping(d.conn, first, n).Reply()
	if err != nil {
		return fmt.Errorf("read the keyboard's layout: %w", err)
	}
	mods, err := xproto.GetModifierMapping(d.conn).Reply()
	if err != nil {
		return fmt.Errorf("read the keyboard's modifiers: %w", err)
	}
	codes := make([]byte, len(mods.Keycodes))
	for i, c := range mods.Keycodes {
		codes[i] = byte(c)
	}
	syms := make([]uint32, len(keys.Keysyms))
	for i, k := range keys.Keysyms {
		syms[i] = uint32(k)
	}
	d.keymap = keymapFrom(byte(first), int(keys.KeysymsPerKeycode), syms, int(mods.KeycodesPerModifier), codes)
	d.listen.learn(d.keymap.escape, d.keymap.superKeys)
	return nil
}

// keymapFrom finds the keys of interest in the core keyboard and modifier mappings.
func keymapFrom(first byte, per int, syms []uint32, perMod int, mods []byte) keymap {
	var k keymap
	bySym := map[uint32][]byte{}
	for i := 0; per > 0 && (i+1)*per <= len(syms); i++ {
		code := first + byte(i)
		for level, sym := range syms[i*per : (i+1)*per] {
			// Escape counts only without Shift or AltGr, in either group; a modifier wherever it is named.
			plain := level == 0 || level == 2
			if (sym != symEscape || plain) && !slices.Contains(bySym[sym], code) {
				bySym[sym] = append(bySym[sym], code)
			}
		}
	}
	k.escape = bySym[symEscape]
	bit := func(of ...uint32) (mask uint16, with []byte) {
		for m := 0; perMod > 0 && m < 8 && (m+1)*perMod <= len(mods); m++ {
			for _, code := range mods[m*perMod : (m+1)*perMod] {
				for _, sym := range of {
					if code != 0 && slices.Contains(bySym[sym], code) {
						if !slices.Contains(with, code) {
							with = append(with, code)
						}
						mask = 1 << m
					}
				}
			}
			if mask != 0 {
				return mask, with
			}
		}
		return 0, nil
	}
	k.super, k.superKeys = bit(symSuperL, symSuperR)
	k.alt, _ = bit(symAltL, symAltR)
	k.locks = []uint16{xproto.ModMaskLock}
	for _, sym := range []uint32{symNumLock, symScrollLock} {
		if m, _ := bit(sym); m != 0 && m != k.super && m != k.alt && !slices.Contains(k.locks, m) {
			k.locks = append(k.locks, m)
		}
	}
	return k
}

// lockSets is every combination of the locks, since a passive grab asks for exact modifiers.
func (k keymap) lockSets() []uint16 {
	sets := []uint16{0}
	for _, l := range k.locks {
		for _, s := range slices.Clone(sets) {
			sets = append(sets, s|l)
		}
	}
	return sets
}

// Grab takes the first Stop key that no other program holds, and starts listening to the keyboard.
func (d *Desktop) Grab(ctx context.Context) (overlay.Held, error) {
	return ask(ctx, d, func() (overlay.Held, error) {
		if d.lit {
			return d.held, nil
		}
		root := d.screen.Root
		err := d.xi.Load().Select(ctx, uint32(root), xraw.AllMasterDevices, xraw.RawKeyPress, xraw.RawKeyRelease, xraw.RawButtonPress)
		if err != nil {
			return overlay.Held{}, fmt.Errorf("listen for the Stop key: %w", err)
		}
		if err := d.readKeymap(); err != nil {
			return overlay.Held{}, err
		}
		if keys, err := xproto.QueryKeymap(d.conn).Reply(); err == nil {
			d.listen.start(keys.Keys)
		}
		d.lit = true
		d.held = d.grabFirst()
		return d.held, nil
	})
}

// grabFirst takes the first chord that is free.
func (d *Desktop) grabFirst() overlay.Held {
	if len(d.keymap.escape) == 0 || d.keymap.super == 0 {
		return overlay.Held{Why: "This keyboard has no Super or Esc key. Press Stop on the card."}
	}
	for i, c := range chords {
		mods := d.keymap.super
		if c.more != nil {
			more := c.more(d.keymap)
			if more == 0 {
				continue
			}
			mods |= more
		}
		if !d.grabChord(mods) {
			continue
		}
		held := overlay.Held{Key: c.name, Second: i > 0}
		if held.Second {
			held.Why = "Another program already uses " + chords[0].name + ", so press " + c.name + "."
		}
		return held
	}
	// Raw events hear the chord even so; only the other program acts on it as well.
	return overlay.Held{Key: chords[0].name, Why: "Other programs use " + chords[0].name + " too. It stops Conch all the same."}
}

// grabChord takes one chord with every combination of locks, or nothing.
func (d *Desktop) grabChord(mods uint16) bool {
	var want []grab
	var cookies []xproto.GrabKeyCookie
	for _, code := range d.keymap.escape {
		for _, locks := range d.keymap.lockSets() {
			g := grab{mods | locks, xproto.Keycode(code)}
			want = append(want, g)
			cookies = append(cookies, xproto.GrabKeyChecked(d.conn, false, d.screen.Root, g.mods, g.code,
				xproto.GrabModeAsync, xproto.GrabModeAsync))
		}
	}
	free := true
	var got []grab
	for i, c := range cookies {
		if err := c.Check(); err != nil {
			free = false
		} else {
			got = append(got, want[i])
		}
	}
	if !free {
		d.ungrab(got)
		return false
	}
	d.grabbed = got
	return true
}

func (d *Desktop) ungrab(all []grab) {
	for _, g := range all {
		xproto.UngrabKey(d.conn, g.code, d.screen.Root, g.mods)
	}
}

// Ungrab gives the Stop key back and stops listening.
func (d *Desktop) Ungrab(ctx context.Context) error {
	return d.call(ctx, func() error {
		if !d.lit {
			return nil
		}
		d.lit = false
		d.held = overlay.Held{}
		d.ungrab(d.grabbed)
		d.grabbed = nil
		return errors.Join(d.sync(), d.xi.Load().Select(ctx, uint32(d.screen.Root), xraw.AllMasterDevices))
	})
}

// keymapMoved takes the Stop key again where it is on the new layout. Conch's own typing changes the layout
// too, many times a second, so nothing is grabbed unless a key of interest moved.
func (d *Desktop) keymapMoved() {
	if !d.lit {
		return
	}
	old := d.keymap
	if err := d.readKeymap(); err != nil || d.keymap.equal(old) {
		return
	}
	d.ungrab(d.grabbed)
	d.grabbed = nil
	if held := d.grabFirst(); held != d.held {
		d.held = held
		d.emit(overlay.KeyChanged{Held: held})
	}
}

// grabPressed acts on the passive grab. It doesn't say which device was pressed, but the raw event of the same
// press does, and once the other connection has answered that one has been heard.
func (d *Desktop) grabPressed(at xproto.Timestamp) {
	if !d.lit {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = d.raw.Sync(ctx) // if it can't be asked, the press counts
	if d.listen.faked(uint32(at)) && !d.opts.hearOthers {
		return
	}
	d.emit(overlay.StopPressed{})
}
