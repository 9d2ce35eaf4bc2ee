package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"conch/driver"
	"conch/driver/key"
	"conch/overlay"
)

// display is an opened screen: its driver, and what goes with it when it closes.
type display struct {
	driver.Driver
	overlay   *overlay.Overlay // its edge and Stop card; nil where there is none
	closeRest func() error     // the practice desktop; may be nil
	mends     mends            // what repair can do here
}

func (d *display) close() error {
	var err error
	if d.overlay != nil {
		err = d.overlay.Close()
	}
	err = errors.Join(err, d.Driver.Close())
	if d.closeRest != nil {
		err = errors.Join(err, d.closeRest())
	}
	return err
}

// screen is the driver that the gateway is given at once, while the real one is still being opened, so that
// pages are served before the screen is ready. Every method waits for the real driver. Ready and Begin, which
// stand before everything else that is done with a screen, open it again after it was lost or could not be
// opened: a person who has just logged in need not start Conch again.
type screen struct {
	ctx  context.Context // ends with the program
	log  *slog.Logger
	open func(context.Context) (*display, error)

	mu      sync.Mutex
	current *display
	err     error         // why there is no current one
	opening chan struct{} // closed when the attempt under way has ended; nil when none is
	closed  bool
}

var (
	_ driver.Driver  = (*screen)(nil)
	_ driver.Watcher = (*screen)(nil)
)

var errClosed = &driver.Unready{Why: driver.WhyLost, Say: "Conch is closing."}

// newScreen starts opening the screen. ctx ends all attempts.
func newScreen(ctx context.Context, log *slog.Logger, open func(context.Context) (*display, error)) *screen {
	s := &screen{ctx: ctx, log: log, open: open}
	s.mu.Lock()
	s.start()
	s.mu.Unlock()
	return s
}

// start begins an attempt. Call it with mu held and no attempt under way.
func (s *screen) start() {
	done := make(chan struct{})
	s.opening = done
	go func() {
		d, err := s.open(s.ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.opening = nil
		s.err = asUnready(err)
		switch {
		case err != nil:
			s.log.Info("the screen can't be used", "error", err)
		case s.closed:
			if err := d.close(); err != nil {
				s.log.Warn("the screen did not close cleanly", "error", err)
			}
		default:
			s.current = d
		}
		close(done)
	}()
}

// asUnready gives every failure to open a screen the words of a driver.
func asUnready(err error) error {
	var u *driver.Unready
	if err == nil || errors.As(err, &u) {
		return err
	}
	return &driver.Unready{Why: driver.WhyNoDisplay, Say: "Conch can't use the screen.", Next: "What went wrong: " + err.Error() + ".", Err: err}
}

// now returns the opened driver, waiting for an attempt under way.
func (s *screen) now(ctx context.Context) (driver.Driver, error) {
	for {
		s.mu.Lock()
		current, err, opening, closed := s.current, s.err, s.opening, s.closed
		s.mu.Unlock()
		switch {
		case closed:
			return nil, errClosed
		case opening != nil:
		case current != nil:
			return current, nil
		default:
			return nil, err
		}
		select {
		case <-opening:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// again opens the screen anew if what is there is still the lost one, or nothing.
func (s *screen) again(lost driver.Driver) {
	s.mu.Lock()
	var old *display
	if !s.closed && s.opening == nil && (s.current == nil || s.current == lost) {
		old, s.current = s.current, nil
		s.start()
	}
	s.mu.Unlock()
	if old != nil {
		if err := old.close(); err != nil {
			s.log.Info("closing the lost screen", "error", err)
		}
	}
}

// fresh is now, with one more try where the last one failed or the display has gone since.
func (s *screen) fresh(ctx context.Context, do func(driver.Driver) error) error {
	for try := range 2 {
		d, err := s.now(ctx)
		if err == nil {
			err = do(d)
		}
		var u *driver.Unready
		if try > 0 || !errors.As(err, &u) || (d != nil && u.Why != driver.WhyLost) {
			return err
		}
		s.again(d)
	}
	return nil
}

// Close ends the driver for good. An attempt under way ends with the program's context.
func (s *screen) Close() error {
	s.mu.Lock()
	current, opening := s.current, s.opening
	s.current, s.closed = nil, true
	s.mu.Unlock()
	if opening != nil {
		<-opening
	}
	if current == nil {
		return nil
	}
	return current.close()
}

func (s *screen) Ready(ctx context.Context) error {
	return s.fresh(ctx, func(d driver.Driver) error { return d.Ready(ctx) })
}

func (s *screen) Begin(ctx context.Context) error {
	return s.fresh(ctx, func(d driver.Driver) error { return d.Begin(ctx) })
}

// with does something with the opened driver.
func with[T any](ctx context.Context, s *screen, do func(driver.Driver) (T, error)) (T, error) {
	d, err := s.now(ctx)
	if err != nil {
		var zero T
		return zero, err
	}
	return do(d)
}

func (s *screen) do(ctx context.Context, f func(driver.Driver) error) error {
	d, err := s.now(ctx)
	if err != nil {
		return err
	}
	return f(d)
}

// End and Release clean up, so a screen that never opened has nothing to answer for.

func (s *screen) End(ctx context.Context) error {
	if d := s.opened(); d != nil {
		return d.End(ctx)
	}
	return nil
}

func (s *screen) Release(ctx context.Context) error {
	if d := s.opened(); d != nil {
		return d.Release(ctx)
	}
	return nil
}

// overlay is the edge of the screen that is open now, or nil.
func (s *screen) overlay() *overlay.Overlay {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return nil
	}
	return s.current.overlay
}

func (s *screen) opened() driver.Driver {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return nil
	}
	return s.current
}

func (s *screen) Displays(ctx context.Context) ([]driver.Display, error) {
	return with(ctx, s, func(d driver.Driver) ([]driver.Display, error) { return d.Displays(ctx) })
}

func (s *screen) Look(ctx context.Context, shot driver.Shot) (*driver.Picture, error) {
	return with(ctx, s, func(d driver.Driver) (*driver.Picture, error) { return d.Look(ctx, shot) })
}

func (s *screen) Changed(ctx context.Context, seen uint64) (uint64, error) {
	return with(ctx, s, func(d driver.Driver) (uint64, error) { return d.Changed(ctx, seen) })
}

func (s *screen) Answers(ctx context.Context) error {
	return s.do(ctx, func(d driver.Driver) error { return d.Answers(ctx) })
}

func (s *screen) Windows(ctx context.Context) ([]driver.Window, error) {
	return with(ctx, s, func(d driver.Driver) ([]driver.Window, error) { return d.Windows(ctx) })
}

func (s *screen) Pointer(ctx context.Context) (driver.ScreenPoint, error) {
	return with(ctx, s, func(d driver.Driver) (driver.ScreenPoint, error) { return d.Pointer(ctx) })
}

func (s *screen) Control(ctx context.Context, p driver.ScreenPoint) (driver.Control, error) {
	return with(ctx, s, func(d driver.Driver) (driver.Control, error) { return d.Control(ctx, p) })
}

func (s *screen) Focus(ctx context.Context) (driver.Focus, error) {
	return with(ctx, s, func(d driver.Driver) (driver.Focus, error) { return d.Focus(ctx) })
}

func (s *screen) Secrets(ctx context.Context) ([]driver.ScreenRect, error) {
	return with(ctx, s, func(d driver.Driver) ([]driver.ScreenRect, error) { return d.Secrets(ctx) })
}

func (s *screen) Find(ctx context.Context, name string) ([]driver.Control, error) {
	return with(ctx, s, func(d driver.Driver) ([]driver.Control, error) { return d.Find(ctx, name) })
}

func (s *screen) Move(ctx context.Context, p driver.ScreenPoint, into driver.Into) error {
	return s.do(ctx, func(d driver.Driver) error { return d.Move(ctx, p, into) })
}

func (s *screen) Button(ctx context.Context, b driver.Button, down bool, into driver.Into) error {
	return s.do(ctx, func(d driver.Driver) error { return d.Button(ctx, b, down, into) })
}

func (s *screen) Scroll(ctx context.Context, dx, dy int, into driver.Into) error {
	return s.do(ctx, func(d driver.Driver) error { return d.Scroll(ctx, dx, dy, into) })
}

func (s *screen) Key(ctx context.Context, k key.Key, down bool, into driver.Into) error {
	return s.do(ctx, func(d driver.Driver) error { return d.Key(ctx, k, down, into) })
}

func (s *screen) Text(ctx context.Context, text string, into driver.Into) (int, error) {
	return with(ctx, s, func(d driver.Driver) (int, error) { return d.Text(ctx, text, into) })
}

// Watch hears the person, where the opened screen can.
func (s *screen) Watch(ctx context.Context) (<-chan driver.PersonEvent, error) {
	return with(ctx, s, func(d driver.Driver) (<-chan driver.PersonEvent, error) {
		if shown, ok := d.(*display); ok {
			d = shown.Driver // a display is no more than its driver here
		}
		if w, ok := d.(driver.Watcher); ok {
			return w.Watch(ctx)
		}
		return nil, driver.ErrNoWatch
	})
}

func (s *screen) Apps(ctx context.Context) ([]driver.App, error) {
	return with(ctx, s, func(d driver.Driver) ([]driver.App, error) { return d.Apps(ctx) })
}

func (s *screen) Open(ctx context.Context, id driver.AppID) error {
	return s.do(ctx, func(d driver.Driver) error { return d.Open(ctx, id) })
}
