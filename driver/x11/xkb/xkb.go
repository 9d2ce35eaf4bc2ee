//go:build linux

package xkb

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"conch/driver/x11/xraw"
)

// Keyboard is the core keyboard of a connection's server.
type Keyboard struct {
	conn *xraw.Conn
	ext  xraw.Extension
}

// useCore names the core keyboard wherever a device is asked for.
const useCore = 0x100

// Requests of the extension.
const (
	reqUse    = 0
	reqSelect = 1
	reqState  = 4
	reqLatch  = 5
	reqGetMap = 8
	reqSetMap = 9
)

// Open starts the extension on conn and asks to be told about each change of the map (Changed).
func Open(ctx context.Context, conn *xraw.Conn) (*Keyboard, error) {
	ext, err := conn.Extension(ctx, "XKEYBOARD")
	if err != nil {
		return nil, err
	}
	k := &Keyboard{conn: conn, ext: ext}
	got, err := conn.Request(ctx, k.request(reqUse, 1, 0, 0, 0)) // version 1.0
	if err != nil {
		return nil, fmt.Errorf("start the X Keyboard Extension: %w", err)
	}
	if got[1] == 0 {
		return nil, errors.New("the X server speaks another version of the X Keyboard Extension")
	}
	const mapNews = 1<<0 | 1<<1 // NewKeyboardNotify and MapNotify
	sel := k.request(reqSelect)
	for _, v := range []uint16{useCore, mapNews, 0, mapNews, 0, 0} {
		sel = binary.LittleEndian.AppendUint16(sel, v)
	}
	if err := conn.Do(ctx, sel); err != nil {
		return nil, fmt.Errorf("follow changes of the keyboard: %w", err)
	}
	return k, nil
}

func (k *Keyboard) request(minor byte, rest ...byte) []byte {
	return append([]byte{k.ext.Major, minor, 0, 0}, rest...)
}

// Changed says whether an event is about a new keyboard map, our own changes included.
func (k *Keyboard) Changed(e xraw.Event) bool {
	return e.Code() == k.ext.FirstEvent && (e[1] == 0 || e[1] == 1)
}

// Read asks for the map.
func (k *Keyboard) Read(ctx context.Context) (*Map, error) {
	req := k.request(reqGetMap)
	req = binary.LittleEndian.AppendUint16(req, useCore)
	req = binary.LittleEndian.AppendUint16(req, partTypes|partSyms|partModifier)
	req = append(req, make([]byte, 20)...) // no partial parts
	got, err := k.conn.Request(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("read the keyboard map: %w", err)
	}
	return parseMap(got)
}

// SetSyms gives the codes from first on new keys, all in one request, so that every program hears of one
// change. A program that knows nothing of the extension gets one MappingNotify too.
func (k *Keyboard) SetSyms(ctx context.Context, m *Map, first byte, keys []Key) error {
	return k.conn.Do(ctx, k.setSyms(m, first, keys))
}

func (k *Keyboard) setSyms(m *Map, first byte, keys []Key) []byte {
	req := k.request(reqSetMap)
	req = binary.LittleEndian.AppendUint16(req, useCore)
	req = binary.LittleEndian.AppendUint16(req, partSyms)
	req = binary.LittleEndian.AppendUint16(req, 0) // no flags: actions and types stay as they are
	req = append(req, m.Min, m.Max, 0, 0, first, byte(len(keys)))
	at := len(req)
	req = append(req, make([]byte, 36-at)...)
	req, total := encodeSyms(req, keys)
	binary.LittleEndian.PutUint16(req[at:], uint16(total))
	return req
}

// State is what modifiers and group the keyboard is in.
type State struct {
	Mods    Mods // all together
	Base    Mods // of keys that are down
	Latched Mods
	Locked  Mods // Caps Lock, Num Lock
	Group   int  // the group that counts
	Lock    int  // the locked group, whatever is latched or held on top
}

// State asks for the state.
func (k *Keyboard) State(ctx context.Context) (State, error) {
	got, err := k.conn.Request(ctx, k.request(reqState, 0, 1, 0, 0))
	if err != nil {
		return State{}, fmt.Errorf("read the keyboard's state: %w", err)
	}
	return State{
		Mods: Mods(got[8]), Base: Mods(got[9]), Latched: Mods(got[10]), Locked: Mods(got[11]),
		Group: int(got[12]), Lock: int(got[13]),
	}, nil
}

// Lock is the request that locks those of the affected modifiers that are in on, unlocks the others of them,
// drops every latch, and locks group unless it is negative. Nothing is sent: Post it in the order of the keys.
func (k *Keyboard) Lock(affect, on Mods, group int) []byte {
	set, g := byte(0), byte(0)
	if group >= 0 {
		set, g = 1, byte(group)
	}
	return k.request(reqLatch, 0, 1, byte(affect), byte(on), set, g, 0xff, 0, 0, set, 0, 0)
}
