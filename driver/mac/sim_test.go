package mac

import (
	"bytes"
	"context"
	"fmt"
	"image/color"
	"math"
	"slices"
	"sync"
	"testing/fstest"
	"time"
	"unicode/utf16"

	"conch/driver"
	"conch/driver/drivertest"
)

// sim is a Mac on paper: it answers system as macOS is documented to, and its windows write down what arrives.
// It shows that the Go above the seam is right about such a Mac, and nothing about a real one.
type sim struct {
	mu        sync.Mutex
	screens   []rawDisplay
	wins      []*simWin // front to back
	at        driver.ScreenPoint
	down      map[string]bool // keys and buttons that are down
	flags     uint64          // of the person's own keyboard
	buttons   uint32          // of the person's own mouse
	sess      rawSession
	see       bool
	click     bool
	table     *layout
	told      map[int]chan watched
	ownKnown  bool // macOS lists our own process
	front     rawFocus
	installed []rawApp

	captures int
	onShot   func(n int) error // before the n-th picture; an error is the answer
	late     func(n int)       // after it
	drags    int
	counts   []int // click counts of presses
	tree     map[element][]element
	controls map[element]rawControl
	open     map[element]int // elements handed out and not given back
	asked    int
	kind     string // the subrole of its windows

	noWatch error // what following the screen comes to, when it fails
	noNames error // what asking for a control comes to, when it fails
	tried   []tell
}

// tell is what a driver told of a permission.
type tell struct {
	p   Permission
	how Tried
}

const simSelf, simOwner = 100, 500

type simWin struct {
	s     *sim
	id    uint32
	pid   int
	layer int
	alpha float64
	spec  drivertest.Win
	color color.RGBA
	text  []rune

	clicks, downs, ups, keys int
	dx, dy                   int
	armed                    bool
}

func newSim(ds ...rawDisplay) *sim {
	if len(ds) == 0 {
		ds = []rawDisplay{{id: 1, main: true, scale: 2, bounds: driver.ScreenRect{W: 1000, H: 700}}}
	}
	return &sim{
		screens: ds, down: map[string]bool{}, see: true, click: true, ownKnown: true,
		sess: rawSession{known: true, onConsole: true}, table: usLayout(), told: map[int]chan watched{},
		open: map[element]int{}, installed: []rawApp{{bundle: "org.example.notes", name: "Notizen", english: "Notes", path: "/Applications/Notes.app"}},
	}
}

// usLayout is the part of Apple's US layout that the tests type with.
func usLayout() *layout {
	l := &layout{id: "com.apple.keylayout.US"}
	plain := map[int]string{
		0: "aA", 1: "sS", 2: "dD", 3: "fF", 4: "hH", 5: "gG", 6: "zZ", 7: "xX", 8: "cC", 9: "vV", 11: "bB", 12: "qQ", 13: "wW",
		14: "eE", 15: "rR", 16: "yY", 17: "tT", 18: "1!", 19: "2@", 26: "7&", 39: "éÉ", 24: "=+", 27: "-_", 31: "oO", 32: "uU", 34: "iI", 35: "pP",
		37: "lL", 38: "jJ", 40: "kK", 43: ",<", 44: "/?", 45: "nN", 46: "mM", 47: ".>", 0x53: "11", 0x45: "++", 0x24: "\r\r",
	}
	for code, two := range plain {
		for column, r := range []rune(two) {
			l.unit[column*codesPerColumn+code] = uint16(r)
			l.unit[(columnCommand+column)*codesPerColumn+code] = uint16(r)
		}
	}
	l.unit[columnOption*codesPerColumn+14] = 0 // dead
	l.unit[columnOption*codesPerColumn+1] = 'ß'
	return l
}

func (s *sim) driver() *Driver {
	return newDriver(s, appFiles{root: fstest.MapFS{"Applications/Notes.app/Contents/Info.plist": {}}, folders: []string{"Applications"}}, Options{Tried: s.heard}, time.Now)
}

func (s *sim) lock() func() { s.mu.Lock(); return s.mu.Unlock }

func (s *sim) displays() ([]rawDisplay, error) { defer s.lock()(); return slices.Clone(s.screens), nil }
func (s *sim) pointer() driver.ScreenPoint     { defer s.lock()(); return s.at }
func (s *sim) self() int                       { return simSelf }
func (s *sim) doubleClick() time.Duration      { return 500 * time.Millisecond }
func (s *sim) session() rawSession             { defer s.lock()(); return s.sess }
func (s *sim) maySee() bool                    { defer s.lock()(); return s.see }
func (s *sim) mayClick() bool                  { defer s.lock()(); return s.click }
func (s *sim) held() (uint64, uint32)          { defer s.lock()(); return s.flags, s.buttons }
func (s *sim) layout(bool) (*layout, error)    { defer s.lock()(); return s.table, nil }

func (s *sim) windows() ([]rawWindow, error) {
	defer s.lock()()
	var out []rawWindow
	for _, w := range s.wins {
		out = append(out, rawWindow{
			id: w.id, pid: w.pid, layer: w.layer, alpha: w.alpha, bounds: w.spec.Bounds, title: w.spec.Title, owner: w.spec.App, bundle: w.spec.App,
		})
	}
	return out, nil
}

func (s *sim) focus() (rawFocus, error) {
	defer s.lock()()
	if s.front.pid != 0 {
		return s.front, nil
	}
	for _, w := range s.wins {
		if w.pid != simSelf && w.layer == levelNormal {
			return rawFocus{w.pid, w.spec.Bounds}, nil
		}
	}
	return rawFocus{}, errGone
}

// capture draws what macOS would: every window that is not left out, by device pixel.
func (s *sim) capture(ctx context.Context, shot rawShot) (*rawPixels, error) {
	s.mu.Lock()
	s.captures++
	n, on, late := s.captures, s.onShot, s.late
	s.mu.Unlock()
	if on != nil {
		if err := on(n); err != nil {
			if err == context.DeadlineExceeded { //nolint:errorlint // the sentinel itself: no answer comes
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return nil, err
		}
	}
	s.mu.Lock()
	defer func() {
		s.mu.Unlock()
		if late != nil {
			late(n)
		}
	}()
	i := slices.IndexFunc(s.screens, func(d rawDisplay) bool { return d.id == shot.display })
	if i < 0 {
		return nil, errGone
	}
	d := s.screens[i]
	px := &rawPixels{data: make([]byte, 4*shot.w*shot.h), stride: 4 * shot.w, w: shot.w, h: shot.h, free: func() {}}
	origin := driver.ScreenPoint{X: d.bounds.X + shot.area.X, Y: d.bounds.Y + shot.area.Y}
	sx, sy := shot.area.W/float64(shot.w), shot.area.H/float64(shot.h)
	for _, w := range slices.Backward(s.wins) {
		if out := slices.Contains(shot.leave.pids, w.pid) != slices.Contains(shot.leave.windows, w.id); out || w.alpha == 0 {
			continue // an excepted window of an app that is left out is shown: just what must never be asked for
		}
		b := w.spec.Bounds
		x0, y0 := max(0, int(math.Round((b.X-origin.X)/sx))), max(0, int(math.Round((b.Y-origin.Y)/sy)))
		x1, y1 := min(shot.w, int(math.Round((b.X+b.W-origin.X)/sx))), min(shot.h, int(math.Round((b.Y+b.H-origin.Y)/sy)))
		if x1 <= x0 || y1 <= y0 {
			continue
		}
		row := bytes.Repeat([]byte{w.color.B, w.color.G, w.color.R, 0}, x1-x0)
		for y := y0; y < y1; y++ {
			copy(px.data[y*px.stride+4*x0:], row)
		}
	}
	return px, nil
}

// heard notes what the driver tells of a permission that was needed.
func (s *sim) heard(p Permission, how Tried) {
	defer s.lock()()
	s.tried = append(s.tried, tell{p, how})
}

func (s *sim) watch(_ context.Context, _ []uint32, told chan watched) (*watching, error) {
	defer s.lock()()
	if s.noWatch != nil {
		return nil, s.noWatch
	}
	s.asked++
	n := s.asked
	s.told[n] = told
	return &watching{blur: !s.ownKnown, stop: func() { defer s.lock()(); delete(s.told, n) }}, nil
}

// change tells of a change of a window. The lock is held.
func (s *sim) change(w *simWin) {
	if w != nil && w.pid == simSelf && s.ownKnown {
		return
	}
	for _, c := range s.told {
		select {
		case c <- watched{}:
		default:
		}
	}
}

// under is the window that gets what is done at p. The lock is held.
func (s *sim) under(p driver.ScreenPoint) *simWin {
	for _, w := range s.wins {
		if w.spec.Bounds.Contains(p) && !w.spec.Through {
			return w
		}
	}
	return nil
}

func (s *sim) mouse(m mouseEvent) error {
	defer s.lock()()
	s.at = m.at
	name := fmt.Sprint("button ", m.button)
	w := s.under(m.at)
	switch m.kind {
	case mouseDrag:
		s.drags++
	case mouseDown:
		if s.down[name] {
			return fmt.Errorf("%s goes down twice", name)
		}
		s.down[name] = true
		s.counts = append(s.counts, m.count)
		if w != nil {
			w.downs++
			w.armed = m.button == 0 && w.spec.Button.Contains(m.at)
		}
	case mouseUp:
		delete(s.down, name)
		if w != nil {
			w.ups++
			if w.armed && w.spec.Button.Contains(m.at) {
				w.clicks++
			}
			w.armed = false
		}
	}
	return nil
}

func (s *sim) scroll(right, down int, _ uint64) error {
	defer s.lock()()
	if w := s.under(s.at); w != nil {
		w.dx += right / linesPerClick
		w.dy += down / linesPerClick
		s.change(w)
	}
	return nil
}

// keyWin is the window that has the keys. The lock is held.
func (s *sim) keyWin() *simWin {
	for _, w := range s.wins {
		if w.pid != simSelf && w.layer == levelNormal {
			return w
		}
	}
	return nil
}

func (s *sim) key(code uint16, down bool, flags uint64) error {
	defer s.lock()()
	name := fmt.Sprint("key ", code)
	if !down {
		delete(s.down, name)
		return nil
	}
	s.down[name] = true
	if w := s.keyWin(); w != nil {
		w.keys++
		switch code {
		case codeReturn:
			w.text = append(w.text, '\n')
		case codeTab:
			w.text = append(w.text, '\t')
		case codes["space"]:
			w.text = append(w.text, ' ')
		default:
			column := columnPlain
			if flags&flagShift != 0 {
				column = columnShift
			}
			if u := s.table.unit[column*codesPerColumn+int(code)]; u != 0 && flags&(flagCommand|flagControl|flagOption) == 0 {
				w.text = append(w.text, rune(u))
			}
		}
		s.change(w)
	}
	return nil
}

func (s *sim) unicode(units []uint16, down bool, _ uint64) error {
	defer s.lock()()
	name := fmt.Sprint("text ", units)
	if !down {
		delete(s.down, name)
		return nil
	}
	s.down[name] = true
	if len(units) > mostUnits {
		units = units[:mostUnits] // as macOS does
	}
	if w := s.keyWin(); w != nil {
		w.text = append(w.text, utf16.Decode(units)...)
		s.change(w)
	}
	return nil
}

func (s *sim) running() ([]rawApp, error) {
	return []rawApp{{pid: 7, regular: true, bundle: "org.example.notes", name: "Notizen"}}, nil
}

func (s *sim) bundle(path string) (rawApp, bool) {
	for _, a := range s.installed {
		if a.path == path {
			return a, true
		}
	}
	return rawApp{}, false
}

func (s *sim) openApp(_ context.Context, id driver.AppID) error {
	for _, a := range s.installed {
		if a.bundle == string(id) {
			return nil
		}
	}
	return errGone
}
