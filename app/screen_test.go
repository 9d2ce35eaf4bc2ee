package main

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"conch/driver"
)

// part is a driver of which only a few methods are asked.
type part struct {
	driver.Driver // nil: any other method is a fault of the test
	ready         func() error
	closed        *int
	released      *int
}

func (p part) Ready(context.Context) error   { return p.ready() }
func (p part) Begin(context.Context) error   { return p.ready() }
func (p part) End(context.Context) error     { return nil }
func (p part) Release(context.Context) error { *p.released++; return nil }
func (p part) Close() error                  { *p.closed++; return nil }

func (p part) Pointer(context.Context) (driver.ScreenPoint, error) {
	return driver.ScreenPoint{X: 3, Y: 4}, nil
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestScreenWaitsForTheOneBeingOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var closed, released int
		s := newScreen(t.Context(), quiet(), func(context.Context) (*display, error) {
			time.Sleep(time.Second) // of the bubble's clock
			return &display{Driver: part{ready: func() error { return nil }, closed: &closed, released: &released}}, nil
		})
		// Before it is open there is nothing to lift, and nobody has to wait to learn that.
		if err := s.Release(t.Context()); err != nil || released != 0 {
			t.Errorf("release: %v, reached the driver %d times", err, released)
		}
		soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if _, err := s.Pointer(soon); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a caller's own end: got %v", err)
		}
		if p, err := s.Pointer(t.Context()); err != nil || p.X != 3 {
			t.Errorf("got %v, %v", p, err)
		}
		if err := errors.Join(s.Release(t.Context()), s.Close(), s.Close()); err != nil || released != 1 || closed != 1 {
			t.Errorf("err %v, released %d, closed %d; want 1 and 1", err, released, closed)
		}
		var u *driver.Unready
		if _, err := s.Pointer(t.Context()); !errors.As(err, &u) {
			t.Errorf("after Close: %v, want an *Unready", err)
		}
	})
}

func TestScreenOpensAgain(t *testing.T) {
	lost := &driver.Unready{Why: driver.WhyLost, Say: "The display is gone."}
	locked := &driver.Unready{Why: driver.WhyLocked, Say: "The screen is locked."}
	cases := []struct {
		name   string
		opened []error // what each attempt to open gives
		ready  []error // what each asking gives, over all that were opened
		want   error
		opens  int
		closes int // before the end
	}{
		{"ready at once", []error{nil}, []error{nil}, nil, 1, 0},
		{"can't be opened at first", []error{errors.New("no display"), nil}, []error{nil}, nil, 2, 0},
		{"never", []error{lost, lost}, nil, lost, 2, 0},
		{"lost and back", []error{nil, nil}, []error{lost, nil}, nil, 2, 1},
		{"lost again", []error{nil, nil}, []error{lost, lost}, lost, 2, 1},
		{"locked is no reason to open it again", []error{nil}, []error{locked}, locked, 1, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var opens, asked, closes, released int
				s := newScreen(t.Context(), quiet(), func(context.Context) (*display, error) {
					err := c.opened[opens]
					opens++
					if err != nil {
						return nil, err
					}
					return &display{Driver: part{closed: &closes, released: &released, ready: func() error {
						err := c.ready[asked]
						asked++
						return err
					}}}, nil
				})
				if err := s.Ready(t.Context()); !errors.Is(err, c.want) {
					t.Errorf("got %v, want %v", err, c.want)
				}
				synctest.Wait()
				if opens != c.opens || closes != c.closes {
					t.Errorf("opened %d times and closed %d, want %d and %d", opens, closes, c.opens, c.closes)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestScreenClosedWhileItOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var closed, released int
		s := newScreen(ctx, quiet(), func(ctx context.Context) (*display, error) {
			<-ctx.Done() // and opens all the same: what was opened must be closed
			return &display{Driver: part{closed: &closed, released: &released}}, nil
		})
		cancel()
		if err := s.Close(); err != nil || closed != 1 {
			t.Errorf("err %v, closed %d times, want 1", err, closed)
		}
	})
}
