package overlay

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// desk is a Painter and Keys that writes down what it is told.
type desk struct {
	events chan Event

	mu     sync.Mutex
	scene  Scene
	paints int
	held   bool
	fail   error         // of Paint
	block  chan struct{} // Paint waits for it
	grab   Held
	noGrab error
	closed bool
}

func newDesk() *desk { return &desk{events: make(chan Event), grab: Held{Key: "Super+Esc"}} }

func (d *desk) Screens(context.Context) (Screens, error) { return screens(1), nil }
func (d *desk) Events() <-chan Event                     { return d.events }

func (d *desk) Paint(ctx context.Context, s Scene) error {
	d.mu.Lock()
	block := d.block
	d.mu.Unlock()
	if block != nil && !s.Dark() {
		select {
		case <-block:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fail != nil && !s.Dark() {
		return d.fail
	}
	d.scene = s
	d.paints++
	return nil
}

func (d *desk) Grab(context.Context) (Held, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held = d.noGrab == nil
	return d.grab, d.noGrab
}

func (d *desk) Ungrab(context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held = false
	return nil
}

func (d *desk) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	return nil
}

func (d *desk) now() (Scene, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.scene, d.held
}

func TestLightShowsBeforeItReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		o := New(Config{Painter: d, Keys: d})
		defer o.Close()
		d.block = make(chan struct{})
		lit := make(chan error, 1)
		go func() { lit <- o.Light(t.Context(), "a", "Looking at the screen") }()
		synctest.Wait()
		select {
		case err := <-lit:
			t.Fatalf("Light returned %v before anything was shown", err)
		default:
		}
		close(d.block)
		if err := <-lit; err != nil {
			t.Fatal(err)
		}
		s, held := d.now()
		if s.Dark() || !held || s.Card.Key != "Super+Esc" || s.Card.Step != "Looking at the screen" {
			t.Errorf("shown: %+v, key held: %v", s.Card, held)
		}
		o.Step("a", "Clicking in Mousepad")
		synctest.Wait()
		if s, _ := d.now(); s.Card.Step != "Clicking in Mousepad" {
			t.Errorf("the card says %q", s.Card.Step)
		}
		if st := o.Status(); !st.Lit || st.Label != "Clicking in Mousepad" || st.Key != "Super+Esc" {
			t.Errorf("status %+v", st)
		}
		o.Dark("a")
		if s, held := d.now(); !s.Dark() || held || o.Status().Lit {
			t.Errorf("after Dark: %+v, key held %v", s, held)
		}
	})
}

func TestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, bad, runs := newDesk(), ErrSeen, 0
		o := New(Config{Painter: d, Keys: d, First: func(context.Context) error { runs++; return bad }})
		defer o.Close()
		for range 2 {
			if err := o.Light(t.Context(), "a", "x"); !errors.Is(err, ErrSeen) {
				t.Errorf("lit although what comes first failed: %v", err)
			}
			if s, held := d.now(); !s.Dark() || held {
				t.Error("something is shown although what comes first failed")
			}
		}
		bad = nil
		for _, turn := range []string{"a", "b"} {
			if err := o.Light(t.Context(), turn, "x"); err != nil {
				t.Error(err)
			}
			o.Dark(turn)
		}
		if runs != 3 {
			t.Errorf("what comes first ran %d times, want until it passed: 3", runs)
		}
	})
}

func TestStopInterruptsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		stopped := make(chan string, 8)
		var o *Overlay
		o = New(Config{Painter: d, Keys: d, Stop: func(turn string) {
			stopped <- turn
			o.Dark(turn) // as an interrupted turn does
		}})
		defer o.Close()
		if err := o.Light(t.Context(), "a", "Typing"); err != nil {
			t.Fatal(err)
		}
		d.events <- StopPressed{}
		d.events <- StopPressed{}
		synctest.Wait()
		if len(stopped) != 1 || <-stopped != "a" {
			t.Fatal("want exactly one interrupt, of a")
		}
		if s, held := d.now(); !s.Dark() || held {
			t.Error("still shown after the turn ended")
		}
		if err := o.Light(t.Context(), "a", "again"); !errors.Is(err, ErrStopped) {
			t.Errorf("a stopped turn was lit again: %v", err)
		}
		if err := o.Light(t.Context(), "b", "another"); err != nil {
			t.Error(err)
		}
	})
}

func TestLightFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		d.fail = errors.New("no such thing")
		o := New(Config{Painter: d, Keys: d, Limit: time.Second})
		defer o.Close()
		if err := o.Light(t.Context(), "a", ""); !errors.Is(err, d.fail) {
			t.Errorf("got %v, want what painting failed with", err)
		}
		if _, held := d.now(); held || o.Status().Fault == "" {
			t.Errorf("key held: %v, status %+v", held, o.Status())
		}
		d.mu.Lock()
		d.fail, d.block = nil, make(chan struct{})
		d.mu.Unlock()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if err := o.Light(ctx, "b", ""); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the deadline", err)
		}
		close(d.block)
		synctest.Wait()
		if err := o.Light(t.Context(), "", ""); err == nil {
			t.Error("a turn without an id was lit")
		}
		if err := o.Light(t.Context(), "c", ""); err != nil {
			t.Error(err)
		}
	})
	o := New(Config{})
	if err := o.Light(t.Context(), "a", ""); !errors.Is(err, ErrNoScreen) {
		t.Errorf("without a painter: %v", err)
	}
	o.Dark("a")
	if err := o.Close(); err != nil {
		t.Error(err)
	}
	if err := o.Light(t.Context(), "a", ""); err == nil {
		t.Error("lit after Close")
	}
}

func TestNoKeyIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		d.noGrab = errors.New("every Stop key is taken by another program")
		o := New(Config{Painter: d, Keys: d, ReducedMotion: true})
		defer o.Close()
		if err := o.Light(t.Context(), "a", ""); err != nil {
			t.Fatal(err)
		}
		if s, _ := d.now(); s.Card.Key != "" || !s.Still {
			t.Errorf("shown %+v still %v, want no key and no motion", s.Card, s.Still)
		}
		if st := o.Status(); st.Key != "" || st.Why == "" {
			t.Errorf("status %+v, want it to say why there is no key", st)
		}
		d.events <- KeyChanged{Held{Key: "Ctrl+Super+Esc", Second: true, Why: "taken"}}
		synctest.Wait()
		if s, _ := d.now(); s.Card.Key != "Ctrl+Super+Esc" {
			t.Errorf("the card says %q", s.Card.Key)
		}
	})
}

func TestCloseWhileLit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		stopped := make(chan string, 1)
		o := New(Config{Painter: d, Keys: d, Stop: func(turn string) { stopped <- turn }})
		if err := o.Light(t.Context(), "a", ""); err != nil {
			t.Fatal(err)
		}
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
		s, held := d.now()
		if !s.Dark() || held || !d.closed || <-stopped != "a" {
			t.Errorf("after Close: %+v, key held %v, closed %v", s, held, d.closed)
		}
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestStopWhilePainting holds a painting up: Stop must be acted on all the same, and what was waiting to be
// painted must not come back after the end.
func TestStopWhilePainting(t *testing.T) {
	for name, fail := range map[string]error{"painted late": nil, "painting fails": errors.New("gone")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDesk()
				stopped := make(chan string, 2)
				o := New(Config{Painter: d, Keys: d, Stop: func(turn string) { stopped <- turn }})
				defer o.Close()
				if err := o.Light(t.Context(), "a", "one"); err != nil {
					t.Fatal(err)
				}
				block := make(chan struct{})
				d.mu.Lock()
				d.block, d.fail = block, fail
				d.mu.Unlock()
				o.Step("a", "two")
				synctest.Wait()
				d.events <- ScreensChanged{screens(2)}
				d.events <- StopPressed{}
				if turn := <-stopped; turn != "a" {
					t.Errorf("interrupted %q", turn)
				}
				gone := make(chan struct{})
				if fail == nil {
					go func() { o.Dark("a"); close(gone) }()
					synctest.Wait()
				}
				close(block)
				if fail == nil {
					<-gone
				}
				synctest.Wait()
				if s, held := d.now(); !s.Dark() || held || o.Status().Lit {
					t.Errorf("shown %+v, key held %v, status %+v", s, held, o.Status())
				}
				if len(stopped) != 0 {
					t.Error("interrupted twice")
				}
			})
		})
	}
}
