package mac

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/progrium/darwinkit/dispatch"
	"github.com/progrium/darwinkit/objc"

	"conch/driver"
	"conch/overlay"
	"conch/overlay/draw"
)

// Desktop is a Mac as the overlay's Painter and Keys, and as what hears the person. There is one in a process.
type Desktop struct {
	pipe    *os.File
	pen     *draw.Pen
	wake    chan struct{}
	events  chan overlay.Event
	quit    chan struct{}
	once    sync.Once
	ends    sync.WaitGroup
	closing error

	mu      sync.Mutex
	pending []overlay.Event // to be sent on events
	watches map[chan driver.PersonEvent]struct{}
	ear     ear

	keys sync.Mutex // guards heard and on, and that one call at a time changes them
	on   bool       // the Stop keys are held
	now  reach

	// Where the Stop button is while the card lets presses through; nil otherwise.
	aside atomic.Pointer[driver.ScreenRect]
	card  atomic.Pointer[overlay.Card] // nil while dark

	ui ui
}

var (
	_ overlay.Painter = (*Desktop)(nil)
	_ overlay.Keys    = (*Desktop)(nil)
	_ overlay.Aside   = (*Desktop)(nil)
	_ overlay.Prober  = (*Desktop)(nil)
	_ driver.Watcher  = (*Desktop)(nil)
)

// opened is held by the one Desktop that there may be: the C side has one pipe and one set of keys.
var opened atomic.Bool

var errSecond = errors.New("the screen's edge is open already")

// Open gets ready to show the edge and to hold the Stop keys. It needs a running main loop, and must not be
// called on the main thread, nor may any method here be: they wait for it. Close ends it.
func Open(ctx context.Context) (*Desktop, error) {
	if !opened.CompareAndSwap(false, true) {
		return nil, errSecond
	}
	pen, err := draw.NewPen()
	if err != nil {
		opened.Store(false)
		return nil, err
	}
	fd, err := openEvents(driver.EventMark)
	if err != nil {
		opened.Store(false)
		return nil, errors.Join(fmt.Errorf("make a pipe for the Stop keys: %w", err), pen.Close())
	}
	d := &Desktop{
		pipe: os.NewFile(fd, "stop keys"), pen: pen,
		wake: make(chan struct{}, 1), events: make(chan overlay.Event), quit: make(chan struct{}),
		watches: map[chan driver.PersonEvent]struct{}{},
	}
	d.ends.Go(d.read)
	d.ends.Go(d.send)
	if err := onMain(ctx, observe); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// askMain runs f on the main thread, in an autorelease pool, and returns what it returns, or when ctx ends; f may
// run even so. The main thread never waits for us.
func askMain[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type answer struct {
		v   T
		err error
	}
	if err := ctx.Err(); err != nil {
		var none T
		return none, err
	}
	done := make(chan answer, 1)
	soon(func() {
		v, err := f()
		done <- answer{v, err}
	})
	select {
	case a := <-done:
		return a.v, a.err
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("the Mac's main thread does not answer: %w", ctx.Err())
	}
}

// soon has f run on the main thread, in an autorelease pool, after all that was given to it before.
func soon(f func()) {
	dispatch.MainQueue().DispatchAsync(func() { objc.WithAutoreleasePool(f) })
}

// onMain is askMain for what has no answer.
func onMain(ctx context.Context, f func()) error {
	_, err := askMain(ctx, func() (struct{}, error) { f(); return struct{}{}, nil })
	return err
}

// read takes in the pipe's records until it is closed.
func (d *Desktop) read() {
	in := bufio.NewReaderSize(d.pipe, 64*recordSize)
	for {
		var b [recordSize]byte
		if _, err := io.ReadFull(in, b[:]); err != nil {
			select {
			case <-d.quit:
			default:
				d.emit(overlay.Lost{Err: &driver.Unready{
					Why: driver.WhyLost, Say: "Conch no longer hears its Stop keys.", Next: "Quit Conch and open it again.", Err: err,
				}})
			}
			return
		}
		d.told(parseRecord(b))
	}
}

func (d *Desktop) told(r record) {
	switch r.kind {
	case toldHotKey, toldChord, toldButton:
		d.emit(overlay.StopPressed{})
	case toldScreens, toldMotion:
		d.ends.Go(d.screensMoved) // it waits for the main thread, and Stop must not wait with it
	case toldTapLost:
		d.ends.Go(d.tapLost)
	case toldPerson:
		d.person(r)
	}
}

// emit queues an event for the overlay.
func (d *Desktop) emit(e overlay.Event) {
	d.mu.Lock()
	d.pending = overlay.Queue(d.pending, e)
	d.mu.Unlock()
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// send brings what is queued to the overlay.
func (d *Desktop) send() {
	for {
		d.mu.Lock()
		var out chan<- overlay.Event
		var first overlay.Event
		if len(d.pending) > 0 {
			out, first = d.events, d.pending[0]
			d.pending = d.pending[1:] // what comes while it waits is queued anew, so nothing is lost
		}
		d.mu.Unlock()
		select {
		case <-d.quit:
			return
		case out <- first:
		case <-d.wake:
			if out != nil {
				d.mu.Lock()
				d.pending = append([]overlay.Event{first}, d.pending...)
				d.mu.Unlock()
			}
		}
	}
}

// Events brings what the person does to the card and the Stop keys, and what happens to the screens.
func (d *Desktop) Events() <-chan overlay.Event { return d.events }

// screensMoved tells the overlay what there is to paint on, while something is painted.
func (d *Desktop) screensMoved() {
	if d.card.Load() == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), mainLimit)
	defer cancel()
	if s, err := d.Screens(ctx); err == nil {
		d.emit(overlay.ScreensChanged{Screens: s})
	}
}

// mainLimit is how long the main thread is waited for where nobody says.
const mainLimit = 3 * time.Second

// Close takes everything off the screen, gives the Stop keys back and ends all that listens. The main loop must
// still run, else it gives up after a moment; windows and keys end with the process in any case.
func (d *Desktop) Close() error {
	d.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), mainLimit)
		defer cancel()
		d.closing = errors.Join(d.Ungrab(ctx), onMain(ctx, func() {
			unobserve()
			d.ui.clear()
		}))
		close(d.quit)
		closeEvents()
		d.closing = errors.Join(d.closing, d.pipe.Close())
		d.ends.Wait()
		d.mu.Lock()
		for w := range d.watches {
			delete(d.watches, w)
			close(w)
		}
		d.mu.Unlock()
		d.closing = errors.Join(d.closing, d.pen.Close())
		opened.Store(false)
	})
	return d.closing
}
