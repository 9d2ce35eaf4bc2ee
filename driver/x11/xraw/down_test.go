package xraw

import (
	"fmt"
	"testing"
)

func state(classes ...[]byte) []byte {
	r := make([]byte, 32)
	r[0], r[8] = 1, byte(len(classes))
	for _, c := range classes {
		r = append(r, c...)
	}
	n := (len(r) - 32) / 4
	r[4] = byte(n)
	return r
}

func class(kind byte, down ...byte) []byte {
	c := make([]byte, 36)
	c[0], c[1] = kind, 36
	for _, d := range down {
		c[4+d/8] |= 1 << (d % 8)
	}
	return c
}

func TestParseDown(t *testing.T) {
	axes := []byte{2, 12, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	keys, buttons, err := parseDown(state(axes, class(classKeys, 8, 38, 255), class(classButtons, 1)))
	if err != nil || fmt.Sprint(keys, buttons) != "[8 38 255] [1]" {
		t.Errorf("%v %v %v", keys, buttons, err)
	}
	whole := state(class(classKeys, 38))
	for n := range whole {
		if _, _, err := parseDown(whole[:n]); err == nil {
			t.Errorf("cut to %d bytes, and read", n)
		}
	}
}

func FuzzParseDown(f *testing.F) {
	f.Add(state(class(classKeys, 38), class(classButtons, 1)))
	f.Add([]byte{})
	f.Fuzz(func(_ *testing.T, r []byte) { _, _, _ = parseDown(r) })
}
