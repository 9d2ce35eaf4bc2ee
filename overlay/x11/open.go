//go:build linux

package x11

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xfixes"
	"github.com/jezek/xgb/xproto"

	"conch/driver"
	"conch/driver/x11/xconn"
	"conch/driver/x11/xraw"
	"conch/overlay"
	"conch/overlay/draw"
)

// Option changes how a Desktop is opened.
type Option func(*options)

type options struct {
	hearOthers bool
	still      func(context.Context) (still, known bool)
	getenv     func(string) string
}

// Env says in which environment the display's cookie, its session bus and, for "", its name are looked up;
// without it, in this process's own.
func Env(getenv func(string) string) Option { return func(o *options) { o.getenv = getenv } }

// HearOthers lets presses count that come by XTEST: someone at the computer through x11vnc, or a test. Without
// it they are ignored, since Conch's own input comes that way too. Give it only where all of Conch's input
// goes through overlay.Behind, which lets Conch's own clicks pass through the card; the Stop key is never
// pressed by Conch because its policy refuses it.
func HearOthers() Option { return func(o *options) { o.hearOthers = true } }

// Motion asks f whether the person wants reduced motion, before the desktop's own settings are asked.
func Motion(f func(context.Context) (still, known bool)) Option {
	return func(o *options) { o.still = f }
}

// Desktop is one X11 display as the overlay's Painter and Keys. One goroutine owns the connection; Close ends it.
type Desktop struct {
	opts   options
	conn   *xgb.Conn // that of x
	x      *xconn.Conn
	raw    *xraw.Conn
	xi     atomic.Pointer[xraw.XI]
	screen xproto.ScreenInfo
	number int // of the screen on the display
	atoms  map[string]xproto.Atom
	visual visuals
	pen    *draw.Pen

	in     *inbox
	calls  chan func()
	events chan overlay.Event
	quit   chan struct{}
	done   chan struct{}
	once   sync.Once
	ends   sync.WaitGroup

	// Read by xraw's goroutine and by other callers, so they are swapped whole.
	synthetic atomic.Pointer[map[uint16]bool]
	card      atomic.Pointer[driver.ScreenRect] // where the card is; nil while dark
	asideNow  atomic.Bool                       // as loopState.aside
	listen    listener

	loopState
}

// loopState is what only the loop touches.
type loopState struct {
	rings   []*ring
	stop    *cardWindow
	probe   *probeWindow
	scene   overlay.Scene
	turn    float64 // of the spectrum, 0–1
	turned  time.Time
	ticker  *time.Ticker
	still   bool            // as the person had it when asked last
	pending []overlay.Event // to be sent on events
	lastRun time.Time       // when the stacking was looked at last
	later   *time.Timer     // looks at it again
	grabbed []grab
	keymap  keymap
	held    overlay.Held
	lit     bool // the Stop key is held
	aside   bool // the card lets presses through just now
	lost    error
}

var (
	_ overlay.Painter = (*Desktop)(nil)
	_ overlay.Keys    = (*Desktop)(nil)
	_ overlay.Aside   = (*Desktop)(nil)
	_ overlay.Prober  = (*Desktop)(nil)
)

// Open connects to an X11 display; "" is $DISPLAY. The error is a *driver.Unready where there is none.
func Open(ctx context.Context, display string, opts ...Option) (*Desktop, error) {
	d := &Desktop{
		in: newInbox(), calls: make(chan func()), events: make(chan overlay.Event),
		quit: make(chan struct{}), done: make(chan struct{}),
		opts: options{getenv: os.Getenv},
	}
	for _, o := range opts {
		o(&d.opts)
	}
	ok := false
	defer func() {
		if !ok {
			d.drop()
		}
	}()
	if err := d.connect(ctx, display); err != nil {
		return nil, err
	}
	if err := d.prepare(ctx); err != nil {
		return nil, err
	}
	ok = true
	d.ends.Go(d.pump)
	go d.loop()
	return d, nil
}

func (d *Desktop) connect(ctx context.Context, display string) error {
	// The raw connection first: it honours ctx, and it says best what is wrong.
	raw, err := xraw.DialEnv(ctx, display, d.opts.getenv, d.hear)
	if err != nil {
		why := driver.WhyNoDisplay
		say := "There is no X11 screen here, so Conch can't show that it uses the computer, and doesn't use it."
		next := "Start Conch in a desktop session, or with DISPLAY set."
		if !errors.Is(err, xraw.ErrNoDisplay) {
			say = "The X11 screen doesn't answer, so Conch can't show that it uses the computer, and doesn't use it."
			next = "Check that DISPLAY and XAUTHORITY are those of your session."
		}
		return &driver.Unready{Why: why, Say: say, Next: next, Err: err}
	}
	d.raw = raw
	var missing *xraw.NoExtensionError
	if _, err := raw.Extension(ctx, "XWAYLAND"); err == nil {
		return &driver.Unready{
			Why: driver.WhyWayland, Say: "This is a Wayland session, where Conch can't show the glowing edge.",
			Next: "Sign in with an X11 (Xorg) session.", Err: nil,
		}
	} else if !errors.As(err, &missing) {
		return fmt.Errorf("open the X display: %w", err)
	}
	xi, err := raw.XI(ctx)
	if err != nil {
		return fmt.Errorf("open the X display: %w", err)
	}
	d.xi.Store(xi)
	if d.x, err = xconn.Dial(ctx, display, d.opts.getenv); err != nil {
		return fmt.Errorf("open the X display: %w", err)
	}
	d.conn = d.x.Conn
	return nil
}

// prepare learns what there is and follows what changes.
func (d *Desktop) prepare(ctx context.Context) error {
	for _, name := range []string{"SHAPE", "RENDER", "XFIXES", "RANDR"} {
		if !d.x.Has(name) { // xgb panics when one is used that isn't there
			return fmt.Errorf("the X server has no %s, which the glowing edge needs", name)
		}
	}
	d.screen, d.number = *d.x.Screen, d.conn.DefaultScreen
	var err error
	if d.atoms, err = d.intern(); err != nil {
		return err
	}
	if d.visual, err = d.findVisuals(); err != nil {
		return err
	}
	if d.pen, err = draw.NewPen(); err != nil {
		return err
	}
	if err := d.learnDevices(ctx); err != nil {
		return err
	}
	if err := d.readKeymap(); err != nil {
		return err
	}
	root := d.screen.Root
	mask := []uint32{xproto.EventMaskStructureNotify | xproto.EventMaskSubstructureNotify}
	if err := xproto.ChangeWindowAttributesChecked(d.conn, root, xproto.CwEventMask, mask).Check(); err != nil {
		return fmt.Errorf("follow the X screen: %w", err)
	}
	const changes = randr.NotifyMaskScreenChange | randr.NotifyMaskCrtcChange | randr.NotifyMaskOutputChange
	if err := randr.SelectInputChecked(d.conn, root, changes).Check(); err != nil {
		return fmt.Errorf("follow the X screen's size: %w", err)
	}
	const owners = xfixes.SelectionEventMaskSetSelectionOwner |
		xfixes.SelectionEventMaskSelectionWindowDestroy | xfixes.SelectionEventMaskSelectionClientClose
	if err := xfixes.SelectSelectionInputChecked(d.conn, root, d.compositorAtom(), owners).Check(); err != nil {
		return fmt.Errorf("follow the compositor: %w", err)
	}
	return d.xi.Load().Select(ctx, uint32(root), xraw.AllDevices, xraw.HierarchyChanged)
}

// Names of the atoms we use, besides the compositor's and the settings manager's, which carry the screen's number.
var atomNames = []string{
	"_NET_WM_NAME", "UTF8_STRING", "_NET_WM_PID", "_NET_WM_WINDOW_TYPE", "_NET_WM_WINDOW_TYPE_NOTIFICATION",
	"_NET_WM_STATE", "_NET_WM_STATE_ABOVE", "_NET_WM_BYPASS_COMPOSITOR", "_COMPTON_SHADOW", "_XSETTINGS_SETTINGS",
	"WM_STATE",
}

func (d *Desktop) intern() (map[string]xproto.Atom, error) {
	names := append([]string{d.compositorName(), d.settingsName()}, atomNames...)
	cookies := make([]xproto.InternAtomCookie, len(names))
	for i, n := range names {
		cookies[i] = xproto.InternAtom(d.conn, false, uint16(len(n)), n)
	}
	atoms := map[string]xproto.Atom{}
	for i, n := range names {
		r, err := cookies[i].Reply()
		if err != nil {
			return nil, fmt.Errorf("name %s on the X screen: %w", n, err)
		}
		atoms[n] = r.Atom
	}
	return atoms, nil
}

func (d *Desktop) compositorName() string { return fmt.Sprintf("_NET_WM_CM_S%d", d.number) }
func (d *Desktop) settingsName() string   { return fmt.Sprintf("_XSETTINGS_S%d", d.number) }

func (d *Desktop) compositorAtom() xproto.Atom { return d.atoms[d.compositorName()] }

// drop ends the connections, and with them everything that the server holds for us.
func (d *Desktop) drop() {
	if d.x != nil {
		d.x.Close()
	}
	if d.raw != nil {
		_ = d.raw.Close()
	}
	if d.pen != nil {
		_ = d.pen.Close()
	}
}

// Close takes everything off the screen and ends the connections.
func (d *Desktop) Close() error {
	d.once.Do(func() { close(d.quit) })
	<-d.done
	d.ends.Wait()
	return nil
}
