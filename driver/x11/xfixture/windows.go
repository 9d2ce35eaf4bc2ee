//go:build linux

package xfixture

import (
	"errors"
	"os"
	"strings"

	"github.com/jezek/xgb/xproto"
)

func (p *program) atom(name string) xproto.Atom {
	if a, ok := p.atoms[name]; ok {
		return a
	}
	r, err := xproto.InternAtom(p.conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		return 0
	}
	p.atoms[name] = r.Atom
	return r.Atom
}

const listens = xproto.EventMaskButtonPress | xproto.EventMaskButtonRelease | xproto.EventMaskPointerMotion |
	xproto.EventMaskKeyPress | xproto.EventMaskKeyRelease | xproto.EventMaskFocusChange |
	xproto.EventMaskStructureNotify | xproto.EventMaskExposure

func (p *program) open(s Spec) (xproto.Window, error) {
	id, err := xproto.NewWindowId(p.conn)
	if err != nil {
		return 0, err
	}
	depth, visual, cmap := p.scr.RootDepth, p.scr.RootVisual, p.scr.DefaultColormap
	if s.Alpha {
		if depth, visual, cmap, err = p.argb(); err != nil {
			return 0, err
		}
	}
	override := uint32(0)
	if s.Override {
		override = 1
	}
	// In the order of the mask's bits; a window of another depth than its parent must name border and colormap.
	mask, values := uint32(0), []uint32{}
	if !s.NoBack {
		mask, values = xproto.CwBackPixel, append(values, s.Color)
	}
	mask |= xproto.CwBorderPixel | xproto.CwOverrideRedirect | xproto.CwEventMask | xproto.CwColormap
	values = append(values, 0, override, listens, uint32(cmap))
	err = xproto.CreateWindowChecked(p.conn, depth, id, p.scr.Root, int16(s.X), int16(s.Y), uint16(max(s.W, 1)),
		uint16(max(s.H, 1)), uint16(s.Border), xproto.WindowClassInputOutput, visual, mask, values).Check()
	if err != nil {
		return 0, err
	}
	w := &window{id: id, spec: s, colors: [2]uint32{s.Color, s.Other}}
	if w.gc, err = xproto.NewGcontextId(p.conn); err != nil {
		return 0, err
	}
	if err := xproto.CreateGCChecked(p.conn, w.gc, xproto.Drawable(id), 0, nil).Check(); err != nil {
		return 0, err
	}
	if err := p.describe(w); err != nil {
		return 0, err
	}
	p.windows[id] = w
	if err := p.show(w); err != nil {
		return 0, err
	}
	if !s.NoBack {
		if err := p.paint(w); err != nil {
			return 0, err
		}
	}
	p.blink(w, s.BlinkMS)
	_, err = xproto.GetInputFocus(p.conn).Reply()
	return id, err
}

func (p *program) argb() (byte, xproto.Visualid, xproto.Colormap, error) {
	for _, d := range p.scr.AllowedDepths {
		if d.Depth != 32 || len(d.Visuals) == 0 {
			continue
		}
		cmap, err := xproto.NewColormapId(p.conn)
		if err != nil {
			return 0, 0, 0, err
		}
		v := d.Visuals[0].VisualId
		return 32, v, cmap, xproto.CreateColormapChecked(p.conn, xproto.ColormapAllocNone, cmap, p.scr.Root, v).Check()
	}
	return 0, 0, 0, errors.New("the server has no 32-bit visual")
}

func (p *program) set(w xproto.Window, name, kind string, format byte, n int, data []byte) error {
	return xproto.ChangePropertyChecked(p.conn, xproto.PropModeReplace, w, p.atom(name), p.atom(kind), format,
		uint32(n), data).Check()
}

func words(v ...uint32) []byte {
	var b []byte
	for _, x := range v {
		b = append(b, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	return b
}

func (p *program) setTitle(id xproto.Window, title string) error {
	if err := p.set(id, "_NET_WM_NAME", "UTF8_STRING", 8, len(title), []byte(title)); err != nil {
		return err
	}
	return p.set(id, "WM_NAME", "STRING", 8, len(title), []byte(title))
}

// describe sets what a window manager and a window list read.
func (p *program) describe(w *window) error {
	s := w.spec
	if s.Instance == "" {
		s.Instance = strings.ToLower(s.Class)
	}
	class := s.Instance + "\x00" + s.Class + "\x00"
	protocols := []uint32{uint32(p.atom("WM_DELETE_WINDOW"))}
	if s.Ping {
		protocols = append(protocols, uint32(p.atom("_NET_WM_PING")))
	}
	input := uint32(1)
	if s.NoInput {
		input = 0
	}
	const posAndSize = 1<<2 | 1<<3 // the program chose them: PPosition and PSize of WM_NORMAL_HINTS
	hints := make([]uint32, 18)
	hints[0], hints[1], hints[2], hints[3], hints[4] = posAndSize, uint32(int32(s.X)), uint32(int32(s.Y)), uint32(s.W), uint32(s.H)
	err := errors.Join(
		p.setTitle(w.id, s.Title),
		p.set(w.id, "WM_PROTOCOLS", "ATOM", 32, len(protocols), words(protocols...)),
		p.set(w.id, "WM_HINTS", "WM_HINTS", 32, 9, words(1, input, 0, 0, 0, 0, 0, 0, 0)),
		p.set(w.id, "WM_NORMAL_HINTS", "WM_SIZE_HINTS", 32, 18, words(hints...)),
		p.set(w.id, "_NET_WM_PID", "CARDINAL", 32, 1, words(uint32(os.Getpid()))),
	)
	if s.Class != "" {
		err = errors.Join(err, p.set(w.id, "WM_CLASS", "STRING", 8, len(class), []byte(class)))
	}
	if s.Kind != "" {
		kind := p.atom("_NET_WM_WINDOW_TYPE_" + strings.ToUpper(s.Kind))
		err = errors.Join(err, p.set(w.id, "_NET_WM_WINDOW_TYPE", "ATOM", 32, 1, words(uint32(kind))))
	}
	if s.Transient != 0 {
		err = errors.Join(err, p.set(w.id, "WM_TRANSIENT_FOR", "WINDOW", 32, 1, words(s.Transient)))
	}
	return err
}

// paint fills the window. Its background is set too, so that what is uncovered later has the colour at once.
func (p *program) paint(w *window) error {
	xproto.ChangeWindowAttributes(p.conn, w.id, xproto.CwBackPixel, []uint32{w.colors[0]})
	if err := xproto.ClearAreaChecked(p.conn, false, w.id, 0, 0, 0, 0).Check(); err != nil {
		return err
	}
	if !w.spec.Checks {
		return nil
	}
	const side = 8
	var squares []xproto.Rectangle
	for y := 0; y < w.spec.H; y += side {
		for x := y % (2 * side); x < w.spec.W; x += 2 * side {
			squares = append(squares, xproto.Rectangle{X: int16(x), Y: int16(y), Width: side, Height: side})
		}
	}
	xproto.ChangeGC(p.conn, w.gc, xproto.GcForeground, []uint32{w.colors[1]})
	for len(squares) > 0 {
		n := min(len(squares), 4000) // a request is at most 256 kB
		if err := xproto.PolyFillRectangleChecked(p.conn, xproto.Drawable(w.id), w.gc, squares[:n]).Check(); err != nil {
			return err
		}
		squares = squares[n:]
	}
	return nil
}
