package computer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"conch/driver"
	"conch/driver/key"
)

// LimitError says that one call of the driver took too long and was given up.
type LimitError struct {
	Call  string // in words: "pressing a key"
	After time.Duration
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s took longer than %v and was given up", e.Call, e.After)
}

var (
	errStuck      = errors.New("an earlier call of the driver has not come back")
	errNoSettings = errors.New("this part of Conch isn't there")
)

// grace is how long a call may take to return once its context has ended, which a driver promises to do at
// once.
const grace = 500 * time.Millisecond

// limited is a driver whose every call has a limit. A call that doesn't come back even then is left behind:
// nothing else is sent while it may still act, and free is told when the last such call has returned.
type limited struct {
	driver.Driver
	limit time.Duration
	free  func()
	acts  func() // is told of each input that is about to be sent; nil tells nobody

	mu     sync.Mutex
	stuck  int
	posted int // input that was sent, whether or not it got there
}

// stuckCalls says how many calls were left behind and have not returned.
func (d *limited) stuckCalls() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stuck
}

// sent says how much input was sent so far; a difference of two says whether anything was.
func (d *limited) sent() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.posted
}

func (d *limited) posting() {
	d.mu.Lock()
	d.posted++
	d.mu.Unlock()
	if d.acts != nil {
		d.acts()
	}
}

// unsent takes back what the driver said that it didn't send, since another window was there.
func (d *limited) unsent(err error) error {
	if errors.Is(err, driver.ErrElsewhere) {
		d.mu.Lock()
		d.posted--
		d.mu.Unlock()
	}
	return err
}

func (d *limited) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stuck++
}

func (d *limited) back() {
	d.mu.Lock()
	d.stuck--
	last := d.stuck == 0
	d.mu.Unlock()
	if last {
		d.free()
	}
}

// call makes one call, unless an earlier one was left behind.
func call[T any](ctx context.Context, d *limited, name string, limit time.Duration, f func(context.Context) (T, error)) (T, error) {
	if d.stuckCalls() > 0 {
		var none T
		return none, errStuck
	}
	return within(ctx, d, name, limit, f)
}

// within makes one call and leaves it behind when it doesn't come back.
func within[T any](ctx context.Context, d *limited, name string, limit time.Duration, f func(context.Context) (T, error)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	type answer struct {
		v   T
		err error
	}
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan answer, 1)
	var mu sync.Mutex
	left, over := false, false
	go func() {
		v, err := f(timed)
		done <- answer{v, err}
		mu.Lock()
		over = true
		wasLeft := left
		mu.Unlock()
		if wasLeft {
			d.back()
		}
	}()
	late := func(v T, err error) (T, error) {
		if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			err = &LimitError{name, limit}
		}
		return v, err
	}
	select {
	case a := <-done:
		return late(a.v, a.err)
	case <-timed.Done():
	}
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case a := <-done:
		return late(a.v, a.err)
	case <-t.C:
	}
	mu.Lock()
	if left = !over; left {
		d.leave()
	}
	mu.Unlock()
	if err := ctx.Err(); err != nil {
		return none, err
	}
	return none, &LimitError{name, limit}
}

func do(ctx context.Context, d *limited, name string, f func(context.Context) error) error {
	_, err := call(ctx, d, name, d.limit, func(ctx context.Context) (struct{}, error) { return struct{}{}, f(ctx) })
	return err
}

func (d *limited) Ready(ctx context.Context) error {
	return do(ctx, d, "asking whether the screen can be used", d.Driver.Ready)
}

func (d *limited) Begin(ctx context.Context) error {
	return do(ctx, d, "getting ready to look", d.Driver.Begin)
}

// End goes out even while a call is left behind: it is what may free it.
func (d *limited) End(ctx context.Context) error {
	return d.anyway(ctx, "letting go of the screen", d.Driver.End)
}

// Release goes out even while a call is left behind: nothing may stay held.
func (d *limited) Release(ctx context.Context) error {
	return d.anyway(ctx, "letting go of keys", d.Driver.Release)
}

func (d *limited) anyway(ctx context.Context, name string, f func(context.Context) error) error {
	_, err := within(ctx, d, name, d.limit, func(ctx context.Context) (struct{}, error) { return struct{}{}, f(ctx) })
	return err
}

func (d *limited) Displays(ctx context.Context) ([]driver.Display, error) {
	return call(ctx, d, "reading the displays", d.limit, d.Driver.Displays)
}

func (d *limited) Look(ctx context.Context, s driver.Shot) (*driver.Picture, error) {
	return call(ctx, d, "taking a picture", d.limit, func(ctx context.Context) (*driver.Picture, error) { return d.Driver.Look(ctx, s) })
}

// Changed has the limit of its caller, who waits with it on purpose.
func (d *limited) Changed(ctx context.Context, seen uint64) (uint64, error) {
	limit := d.limit
	if end, ok := ctx.Deadline(); ok {
		limit = max(time.Until(end), 0) + d.limit
	}
	type count struct {
		n   uint64
		err error
	}
	// The driver is given the caller's own context: an ended one asks for the count so far.
	c, err := call(context.WithoutCancel(ctx), d, "watching the screen", limit, func(context.Context) (count, error) {
		n, err := d.Driver.Changed(ctx, seen)
		return count{n, err}, nil
	})
	if err != nil {
		return seen, err
	}
	return c.n, c.err
}

func (d *limited) Windows(ctx context.Context) ([]driver.Window, error) {
	return call(ctx, d, "reading the windows", d.limit, d.Driver.Windows)
}

func (d *limited) Answers(ctx context.Context) error {
	return do(ctx, d, "waiting for the app in front", d.Driver.Answers)
}

func (d *limited) Pointer(ctx context.Context) (driver.ScreenPoint, error) {
	return call(ctx, d, "reading the pointer", d.limit, d.Driver.Pointer)
}

func (d *limited) Control(ctx context.Context, p driver.ScreenPoint) (driver.Control, error) {
	return call(ctx, d, "asking what is there", driver.LookUp, func(ctx context.Context) (driver.Control, error) { return d.Driver.Control(ctx, p) })
}

func (d *limited) Focus(ctx context.Context) (driver.Focus, error) {
	return call(ctx, d, "asking what has the keys", driver.LookUp, d.Driver.Focus)
}

func (d *limited) Secrets(ctx context.Context) ([]driver.ScreenRect, error) {
	return call(ctx, d, "asking where passwords are", driver.LookUp, d.Driver.Secrets)
}

func (d *limited) Find(ctx context.Context, name string) ([]driver.Control, error) {
	return call(ctx, d, "looking for a control", d.limit, func(ctx context.Context) ([]driver.Control, error) { return d.Driver.Find(ctx, name) })
}

func (d *limited) Apps(ctx context.Context) ([]driver.App, error) {
	return call(ctx, d, "listing the apps", d.limit, d.Driver.Apps)
}

func (d *limited) Move(ctx context.Context, p driver.ScreenPoint, into driver.Into) error {
	return d.unsent(d.post(ctx, "moving the pointer", func(ctx context.Context) error { return d.Driver.Move(ctx, p, into) }))
}

func (d *limited) Button(ctx context.Context, b driver.Button, down bool, into driver.Into) error {
	return d.unsent(d.post(ctx, "pressing a button", func(ctx context.Context) error { return d.Driver.Button(ctx, b, down, into) }))
}

func (d *limited) Scroll(ctx context.Context, dx, dy int, into driver.Into) error {
	return d.post(ctx, "scrolling", func(ctx context.Context) error { return d.Driver.Scroll(ctx, dx, dy, into) })
}

func (d *limited) Key(ctx context.Context, k key.Key, down bool, into driver.Into) error {
	return d.unsent(d.post(ctx, "pressing a key", func(ctx context.Context) error { return d.Driver.Key(ctx, k, down, into) }))
}

func (d *limited) Open(ctx context.Context, id driver.AppID) error {
	return d.post(ctx, "opening an app", func(ctx context.Context) error { return d.Driver.Open(ctx, id) })
}

func (d *limited) Text(ctx context.Context, s string, into driver.Into) (int, error) {
	type count struct {
		n   int
		err error
	}
	d.posting()
	c, err := call(ctx, d, "typing", d.limit, func(ctx context.Context) (count, error) {
		n, err := d.Driver.Text(ctx, s, into)
		return count{n, err}, nil
	})
	if err != nil {
		return c.n, err
	}
	if c.err != nil && ctx.Err() == nil && errors.Is(c.err, context.DeadlineExceeded) {
		c.err = &LimitError{"typing", d.limit}
	}
	if c.n == 0 {
		return 0, d.unsent(c.err)
	}
	return c.n, c.err
}

func (d *limited) post(ctx context.Context, name string, f func(context.Context) error) error {
	d.posting()
	return do(ctx, d, name, f)
}
