//go:build linux

package x11

import (
	"strings"
	"unicode/utf8"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// propAsk is a question for a property that is under way, so that many share a round trip.
type propAsk struct{ cookie xproto.GetPropertyCookie }

// askProp asks for at most words four-byte units of a property.
func (d *Driver) askProp(w xproto.Window, a xproto.Atom, words uint32) propAsk {
	return propAsk{xproto.GetProperty(d.conn.Conn, false, w, a, xproto.GetPropertyTypeAny, 0, words)}
}

// reply is nil where there is no such property, or no such window any more.
func (p propAsk) reply() *xproto.GetPropertyReply {
	r, err := p.cookie.Reply()
	if err != nil || r == nil || r.Type == xproto.AtomNone {
		return nil
	}
	return r
}

// card32 reads numbers, window ids and atoms.
func (p propAsk) card32() []uint32 {
	r := p.reply()
	if r == nil || r.Format != 32 {
		return nil
	}
	out := make([]uint32, len(r.Value)/4)
	for i := range out {
		out[i] = xgb.Get32(r.Value[4*i:])
	}
	return out
}

func (p propAsk) window() xproto.Window {
	if v := p.card32(); len(v) > 0 {
		return xproto.Window(v[0])
	}
	return xproto.WindowNone
}

// bytes reads text as it is.
func (p propAsk) bytes() []byte {
	r := p.reply()
	if r == nil || r.Format != 8 {
		return nil
	}
	return r.Value
}

// text reads a title: UTF-8, or Latin-1, which is what STRING is (ICCCM 2.7.1). COMPOUND_TEXT comes out with
// its escapes, which is rare: whoever sets that also sets _NET_WM_NAME.
func text(b []byte) string {
	b, _, _ = cutByte(b, 0)
	if utf8.Valid(b) {
		return string(b)
	}
	var s strings.Builder
	for _, c := range b {
		s.WriteRune(rune(c))
	}
	return s.String()
}

func cutByte(b []byte, sep byte) (before, after []byte, found bool) {
	for i, c := range b {
		if c == sep {
			return b[:i], b[i+1:], true
		}
	}
	return b, nil, false
}

// class reads WM_CLASS: instance and class, each ended by a zero byte (ICCCM 4.1.2.5).
func class(b []byte) (instance, class string) {
	i, rest, _ := cutByte(b, 0)
	c, _, _ := cutByte(rest, 0)
	return text(i), text(c)
}
