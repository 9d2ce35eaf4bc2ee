//go:build linux

package xkb

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"conch/driver/x11/xraw"
	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRune(t *testing.T) {
	for sym, want := range map[uint32]rune{
		'a': 'a', 0xe9: 'é', 0x01000436: 'ж', 0x6c1: 'а', 0x6df: 'ъ', 0x6e0: 'Ю', 0x6a3: 'ё', 0x6b3: 'Ё', 0x6b0: '№', 0x6bf: 'Џ',
		0x7a1: 'Ά', 0x7af: '―', 0x7b1: 'ά', 0x7bb: 'ώ', 0x7c1: 'Α', 0x7d2: 'Σ', 0x7d9: 'Ω', 0x7f3: 'ς', 0x7f9: 'ω',
		0x1a1: 'Ą', 0x1b3: 'ł', 0x1bf: 'ż', 0x1c0: 'Ŕ', 0x1c6: 'Ć', 0x1d5: 'Ő', 0x1e8: 'č', 0x1f9: 'ů', 0x1ff: '˙',
		0x5c7: 'ا', 0x5ea: 'ي', 0xce0: 'א', 0xcfa: 'ת', 0xda1: 'ก', 0x20ac: '€', 0x0101f44b: '👋',
	} {
		if r, ok := Rune(sym); !ok || r != want {
			t.Errorf("%#x is %q, want %q", sym, r, want)
		}
	}
	for _, sym := range []uint32{0, 0xff0d, 0xffe1, 0xfe50, 0x1a4, 0x7d3, 0x1000000, 0x01110000} {
		if r, ok := Rune(sym); ok {
			t.Errorf("%#x is %q, want nothing", sym, r)
		}
	}
}

func open(t *testing.T, layout string) (*Keyboard, context.Context) {
	t.Helper()
	s := xtest.Start(t, xserver.Options{Layout: layout})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	c, err := xraw.DialEnv(ctx, s.Display(), s.Getenv, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	k, err := Open(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	return k, ctx
}

// What is sent back byte for byte changes nothing, and what is changed is read back.
func TestSetSymsChangesOnlyWhatItIsToldTo(t *testing.T) {
	for _, layout := range []string{"us", "de", "us,ru,gr", "jp"} {
		k, ctx := open(t, layout)
		before, err := k.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if len(before.Types) < 4 || before.Types[1].Level(Shift) != 1 || before.Types[1].Level(Lock) != 0 {
			t.Fatalf("%s: the second type is not TWO_LEVEL: %+v", layout, before.Types[1])
		}
		if err := k.SetSyms(ctx, before, before.Min, before.Keys[before.Min:int(before.Max)+1]); err != nil {
			t.Fatal(err)
		}
		after, err := k.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(before, after); d != "" {
			t.Errorf("%s: %s", layout, d)
		}
		code := before.Max
		for !before.Keys[code].Empty() {
			code--
		}
		mine := Key{Types: [4]byte{1}, GroupInfo: 1, Width: 2, Syms: []uint32{0x01004e00, 0x0101f44b}}
		if err := k.SetSyms(ctx, before, code, []Key{mine}); err != nil {
			t.Fatal(err)
		}
		if after, err = k.Read(ctx); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(mine, after.Keys[code]); d != "" {
			t.Errorf("%s: %s", layout, d)
		}
		after.Keys[code] = before.Keys[code]
		if d := cmp.Diff(before, after); d != "" {
			t.Errorf("%s: more was changed: %s", layout, d)
		}
	}
}

func TestGroup(t *testing.T) {
	k := Key{GroupInfo: 2}
	for g, want := range map[int]int{0: 0, 1: 1, 2: 0, 3: 1, -1: 1} {
		if got, ok := k.Group(g); !ok || got != want {
			t.Errorf("wrap %d: %d", g, got)
		}
	}
	k.GroupInfo = 0x42
	if got, _ := k.Group(3); got != 1 {
		t.Errorf("clamp: %d", got)
	}
	k.GroupInfo = 0x92
	if got, _ := k.Group(3); got != 1 {
		t.Errorf("redirect: %d", got)
	}
	if _, ok := (Key{}).Group(0); ok {
		t.Error("a dead key has a group")
	}
}

func FuzzParseMap(f *testing.F) {
	head := make([]byte, 40)
	binary.LittleEndian.PutUint16(head[12:], partTypes|partSyms|partModifier)
	head[10], head[11], head[15], head[17], head[20], head[33] = 8, 255, 1, 8, 2, 1
	body := []byte{1, 1, 0, 0, 2, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 2, 2, 0, 97, 0, 0, 0, 65, 0, 0, 0}
	f.Add(append(head, body...))
	f.Add(head[:12])
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parseMap(b)
		if err != nil {
			return
		}
		l := NewLayout(m, Mod2, func(byte) bool { return false })
		_, _ = l.First('a')
		_, _ = l.Sym(0xff0d, 3)
		for _, k := range m.Keys {
			_, _ = encodeSyms(nil, []Key{k})
		}
	})
}
