package fake

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/rivo/uniseg"

	"conch/driver"
	"conch/driver/key"
)

// Driver is a driver.Driver on a written desktop.
type Driver struct {
	mu      sync.Mutex
	desk    *desk
	scripts []script
	looks   int

	begun  bool
	closed bool
	change uint64
	wake   chan struct{} // closed, and made anew, at each change
	gone   chan struct{} // closed by Close
	timers map[*time.Timer]struct{}

	held   []input
	press  *press // of a button that is down
	events []Event
	clicks map[string]int // by control
}

// input is a key or a button that is down.
type input struct {
	key    key.Key
	button driver.Button
}

type press struct {
	window  *window
	control *control
}

var _ driver.Driver = (*Driver)(nil)

// T is what New needs of a *testing.T.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// New starts a screen for a test, and closes it when the test ends.
func New(t T, archive string) *Driver {
	t.Helper()
	s, err := Parse([]byte(archive))
	if err != nil {
		t.Fatalf("fake screen: %v", err)
		return nil
	}
	d := s.Start()
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// Start makes a desktop as the screen says. Close ends it.
func (s *Screen) Start() *Driver {
	d := &Driver{
		desk: newDesk(), scripts: s.scripts, wake: make(chan struct{}), gone: make(chan struct{}),
		timers: map[*time.Timer]struct{}{}, clicks: map[string]int{},
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.desk.starting = true
	d.run(s.start)
	d.desk.starting = false
	if w := d.desk.focused(); w != nil {
		d.desk.focus = w.ID
	}
	return d
}

// run does steps, those after a wait later. The lock is held.
func (d *Driver) run(steps []step) {
	for i, s := range steps {
		if s.wait > 0 {
			rest := slices.Clone(steps[i:])
			rest[0].wait = 0
			d.later(s.wait, func() { d.run(rest) })
			break
		}
		s.do(d.desk)
	}
	d.settle()
}

// settle tells whoever waits about what changed, and starts what draws by itself. The lock is held.
func (d *Driver) settle() {
	for _, w := range d.desk.drawing {
		left := w.draws
		w.draws = 0
		d.draw(w, left)
	}
	d.desk.drawing = nil
	if d.desk.changed {
		d.desk.changed = false
		d.change++
		close(d.wake)
		d.wake = make(chan struct{})
	}
}

// frame is how long one picture of a window that draws by itself lasts.
const frame = 20 * time.Millisecond

func (d *Driver) draw(w *window, left time.Duration) {
	if left <= 0 || d.desk.window(w.ID) != w {
		return
	}
	w.paint++
	d.desk.touched(w)
	d.later(min(frame, left), func() { d.draw(w, left-frame); d.settle() })
}

// later runs f with the lock held, unless the driver was closed by then.
func (d *Driver) later(after time.Duration, f func()) {
	var t *time.Timer
	t = time.AfterFunc(after, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if _, ok := d.timers[t]; ok {
			delete(d.timers, t)
			f()
		}
	})
	d.timers[t] = struct{}{}
}

var errClosed = &driver.Unready{Why: driver.WhyLost, Say: "The screen is gone.", Next: "Start Conch again.", Err: errors.New("the driver was closed")}

// enter begins a method: it misbehaves as the screen says, then takes the lock. When err is nil the caller
// unlocks.
func (d *Driver) enter(ctx context.Context, method string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.mu.Lock()
	f := d.desk.faults[method]
	if f.hang || f.slow > 0 && method != "text" {
		d.mu.Unlock()
		if err := d.pause(ctx, f); err != nil {
			return err
		}
		d.mu.Lock()
	}
	err := d.usable(method)
	if err == nil && f.fail != "" {
		err = errors.New(f.fail)
	}
	if err != nil {
		d.mu.Unlock()
	}
	return err
}

// pause waits as a fault says: for its time, or for ever.
func (d *Driver) pause(ctx context.Context, f fault) error {
	var after <-chan time.Time
	if !f.hang {
		t := time.NewTimer(f.slow)
		defer t.Stop()
		after = t.C
	}
	select {
	case <-after:
		return nil
	case <-d.gone:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// usable says whether a method can act now. The lock is held.
func (d *Driver) usable(method string) error {
	switch {
	case d.closed:
		return errClosed
	case method == "release" || method == "end":
		return nil
	case d.desk.unready != nil:
		u := *d.desk.unready
		return &u
	}
	return nil
}

// Ready says whether the screen file let it be used.
func (d *Driver) Ready(ctx context.Context) error {
	err := d.enter(ctx, "ready")
	if err == nil {
		d.mu.Unlock()
	}
	return err
}

// Begin starts counting changes.
func (d *Driver) Begin(ctx context.Context) error {
	if err := d.enter(ctx, "begin"); err != nil {
		return err
	}
	defer d.mu.Unlock()
	if !d.begun {
		d.begun, d.change = true, 0
	}
	return nil
}

// End stops counting and lifts what is held.
func (d *Driver) End(ctx context.Context) error {
	if err := d.enter(ctx, "end"); err != nil {
		return err
	}
	defer d.mu.Unlock()
	d.begun = false
	d.releaseAll()
	close(d.wake) // whoever waits for a change learns that none will come
	d.wake = make(chan struct{})
	return nil
}

// Displays lists the displays.
func (d *Driver) Displays(ctx context.Context) ([]driver.Display, error) {
	if err := d.enter(ctx, "displays"); err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	return slices.Clone(d.desk.displays), nil
}

// Windows lists the windows front to back.
func (d *Driver) Windows(ctx context.Context) ([]driver.Window, error) {
	if err := d.enter(ctx, "windows"); err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	return d.desk.list(), nil
}

// Pointer says where the pointer is.
func (d *Driver) Pointer(ctx context.Context) (driver.ScreenPoint, error) {
	if err := d.enter(ctx, "pointer"); err != nil {
		return driver.ScreenPoint{}, err
	}
	defer d.mu.Unlock()
	return d.desk.pointer, nil
}

// Answers returns at once, unless a fault of "answers" says otherwise.
func (d *Driver) Answers(ctx context.Context) error {
	if err := d.enter(ctx, "answers"); err != nil {
		return err
	}
	d.mu.Unlock()
	return nil
}

// Changed waits until the screen changed more than seen times.
func (d *Driver) Changed(ctx context.Context, seen uint64) (uint64, error) {
	for {
		d.mu.Lock()
		err, now, wake := d.usable("changed"), d.change, d.wake
		if err == nil && !d.begun {
			err = driver.ErrNotBegun
		}
		d.mu.Unlock()
		if err != nil {
			return now, err
		}
		if err := ctx.Err(); err != nil {
			return now, err
		}
		if now > seen {
			return now, nil
		}
		select {
		case <-wake:
		case <-d.gone:
		case <-ctx.Done():
		}
	}
}

// Apps lists the apps that were written down and those with a window.
func (d *Driver) Apps(ctx context.Context) ([]driver.App, error) {
	if err := d.enter(ctx, "apps"); err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	return d.desk.running(), nil
}

// Open brings an app's windows to the front, or runs what happens after it is opened.
func (d *Driver) Open(ctx context.Context, id driver.AppID) error {
	if err := d.enter(ctx, "open"); err != nil {
		return err
	}
	defer d.mu.Unlock()
	apps := d.desk.running()
	i := slices.IndexFunc(apps, func(a driver.App) bool { return a.ID == id })
	if i < 0 {
		return driver.ErrNoApp
	}
	d.record(Event{Kind: Opened, App: id})
	var its []driver.WindowID
	for _, w := range d.desk.windows {
		if w.App == id && !w.ours {
			its = append(its, w.ID)
		}
	}
	for _, w := range slices.Backward(its) {
		d.desk.arrange("front", w)
	}
	if len(its) == 0 {
		d.after("open", string(id))
	}
	d.settle()
	return nil
}

// Release lifts everything that is held.
func (d *Driver) Release(ctx context.Context) error {
	if err := d.enter(ctx, "release"); err != nil {
		return err
	}
	defer d.mu.Unlock()
	d.releaseAll()
	return nil
}

// Close ends the driver.
func (d *Driver) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.releaseAll()
	d.closed, d.begun = true, false
	for t := range d.timers {
		t.Stop()
	}
	clear(d.timers)
	close(d.gone)
	return nil
}

// graphemes cuts text as a person counts it.
func graphemes(s string) []string {
	var out []string
	for g := uniseg.NewGraphemes(s); g.Next(); {
		out = append(out, g.Str())
	}
	return out
}
