package xraw

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// ErrClosed says that the connection has been closed by us.
var ErrClosed = errors.New("the X connection is closed")

// Error is an error that the server answered with.
type Error struct {
	Code     byte   // 10 is BadAccess: something is taken by another program
	Major    byte   // the request it belongs to
	Minor    uint16 // for an extension's request
	Resource uint32 // the bad id or value, where there is one
}

// BadAccess is the code of an Error about something that another client holds.
const BadAccess = 10

func (e *Error) Error() string {
	return fmt.Sprintf("X error %d on request %d.%d (0x%x)", e.Code, e.Major, e.Minor, e.Resource)
}

// Event is one event as it came: 32 bytes, more for a generic event.
type Event []byte

// Code is the event's type without the mark of SendEvent. 35 is a generic event.
func (e Event) Code() byte { return e[0] & 0x7f }

// Sent says whether another client made the event up with SendEvent.
func (e Event) Sent() bool { return e[0]&0x80 != 0 }

// Setup is what the server said when the connection was made.
type Setup struct {
	Root       uint32 // the root window of the display's screen
	MinKeycode byte
	MaxKeycode byte
	IDBase     uint32 // resource ids of this connection: IDBase | n, where n is within IDMask
	IDMask     uint32
	MaxRequest int // longest request in bytes
}

// maxUnit bounds one reply or generic event, so that a broken peer can't make us allocate without end.
const maxUnit = 64 << 20

type answer struct {
	data []byte
	err  error
}

// Conn is a connection. Its methods may be called from several goroutines.
type Conn struct {
	net     net.Conn
	setup   Setup
	onEvent func(Event)
	done    chan struct{} // closed when the reader has ended

	mu      sync.Mutex // guards all below, and the order of writes
	seq     uint16
	pending map[uint16]chan answer
	err     error // why it ended; nil while it lives
}

// Dial connects to display ("" is $DISPLAY) with the cookie from the Xauthority file, if there is one.
// onEvent is called for each event, in order, from the connection's own goroutine: it must not block and
// must not call back into the connection. It may be nil.
func Dial(ctx context.Context, display string, onEvent func(Event)) (*Conn, error) {
	return DialEnv(ctx, display, os.Getenv, onEvent)
}

// DialEnv is Dial with another environment: DISPLAY, XAUTHORITY and HOME are asked of getenv.
func DialEnv(ctx context.Context, display string, getenv func(string) string, onEvent func(Event)) (*Conn, error) {
	if display == "" {
		display = getenv("DISPLAY")
	}
	a, err := parseDisplay(display)
	if err != nil {
		return nil, err
	}
	nc, err := a.dial(ctx)
	if err != nil {
		return nil, err
	}
	// A server that never answers must not outlive ctx.
	stop := context.AfterFunc(ctx, func() { _ = nc.SetDeadline(time.Unix(1, 0)) })
	r := bufio.NewReaderSize(nc, 16<<10)
	setup, err := shake(nc, r, a, cookieFor(a, getenv))
	if !stop() || err != nil {
		_ = nc.Close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, fmt.Errorf("connect to X display %s: %w", a, err)
	}
	if onEvent == nil {
		onEvent = func(Event) {}
	}
	c := &Conn{net: nc, setup: setup, onEvent: onEvent, done: make(chan struct{}), pending: map[uint16]chan answer{}}
	go c.read(r)
	return c, nil
}

// Setup returns what the server said when the connection was made.
func (c *Conn) Setup() Setup { return c.setup }

// Done is closed once nothing more can be read: after Close, or when the server has gone.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err says why the connection ended; nil while it lives.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the connection and waits until onEvent is called no more. The server frees all that it held.
func (c *Conn) Close() error {
	c.fail(ErrClosed)
	<-c.done
	return nil
}

// Request sends a request that has an answer and returns the whole answer (32 bytes and what follows).
// req[0] is the opcode and req[1] the second byte; the length is filled in and the end padded to four.
// An *Error is what the server refused it with.
func (c *Conn) Request(ctx context.Context, req []byte) ([]byte, error) {
	wait, err := c.send(req)
	if err != nil {
		return nil, err
	}
	return c.wait(ctx, wait[0])
}

// Do sends a request that has no answer and returns once the server has done it.
func (c *Conn) Do(ctx context.Context, req []byte) error {
	wait, err := c.send(req, []byte{opGetInputFocus, 0, 0, 0})
	if err != nil {
		return err
	}
	defer c.forget(wait[0]) // mostly it has no answer
	if _, err := c.wait(ctx, wait[1]); err != nil {
		return err
	}
	select {
	case a := <-wait[0]: // an error of the first was read before the answer of the second
		return a.err
	default:
		return nil
	}
}

// Sync returns once the server has worked through all that was sent before.
func (c *Conn) Sync(ctx context.Context) error {
	_, err := c.Request(ctx, []byte{opGetInputFocus, 0, 0, 0})
	return err
}

const opGetInputFocus = 43

// encode fills in the lengths and joins the requests.
func (c *Conn) encode(reqs [][]byte) ([]byte, error) {
	var out []byte
	for _, q := range reqs {
		if len(q) < 4 {
			return nil, fmt.Errorf("an X request of %d bytes: at least 4 are needed", len(q))
		}
		start := len(out)
		out = append(out, q...)
		for len(out)%4 != 0 {
			out = append(out, 0)
		}
		n := len(out) - start
		if n > c.setup.MaxRequest {
			return nil, fmt.Errorf("an X request of %d bytes: the server takes at most %d", n, c.setup.MaxRequest)
		}
		binary.LittleEndian.PutUint16(out[start+2:], uint16(n/4))
	}
	return out, nil
}

func (c *Conn) send(reqs ...[]byte) ([]chan answer, error) {
	out, err := c.encode(reqs)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return nil, c.err
	}
	waits := make([]chan answer, len(reqs))
	for i := range reqs {
		c.seq++
		waits[i] = make(chan answer, 1)
		c.pending[c.seq] = waits[i]
	}
	return waits, c.write(out)
}

// write must be called with mu held.
func (c *Conn) write(out []byte) error {
	if _, err := c.net.Write(out); err != nil {
		c.end(err) // half a request may be out: nothing sensible can follow it
		return c.err
	}
	return nil
}

func (c *Conn) wait(ctx context.Context, ch chan answer) ([]byte, error) {
	select {
	case a := <-ch:
		return a.data, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.done:
	}
	select { // the answer may have come just before the end
	case a := <-ch:
		return a.data, a.err
	default:
		return nil, c.Err()
	}
}

func (c *Conn) forget(ch chan answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s, p := range c.pending {
		if p == ch {
			delete(c.pending, s)
			return
		}
	}
}

// end must be called with mu held.
func (c *Conn) end(err error) {
	if c.err == nil {
		c.err = err
		_ = c.net.Close()
	}
}

func (c *Conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(err)
}

func (c *Conn) read(r *bufio.Reader) {
	defer close(c.done)
	for {
		u, err := readUnit(r)
		if err != nil {
			c.fail(fmt.Errorf("the X server has gone: %w", err))
			return
		}
		switch u[0] {
		case 0:
			c.answer(u, answer{err: &Error{
				Code:     u[1],
				Resource: binary.LittleEndian.Uint32(u[4:]),
				Minor:    binary.LittleEndian.Uint16(u[8:]),
				Major:    u[10],
			}})
		case 1:
			c.answer(u, answer{data: u})
		default:
			c.onEvent(u)
		}
	}
}

func (c *Conn) answer(u []byte, a answer) {
	seq := binary.LittleEndian.Uint16(u[2:])
	c.mu.Lock()
	ch := c.pending[seq]
	delete(c.pending, seq)
	c.mu.Unlock()
	if ch != nil {
		ch <- a // has room for exactly this one
	}
}

// readUnit reads one error, answer or event in its full length.
func readUnit(r io.Reader) ([]byte, error) {
	u := make([]byte, 32)
	if _, err := io.ReadFull(r, u); err != nil {
		return nil, err
	}
	if u[0] != 1 && u[0]&0x7f != genericEvent {
		return u, nil
	}
	more := int64(binary.LittleEndian.Uint32(u[4:])) * 4
	if more > maxUnit {
		return nil, fmt.Errorf("an answer of %d bytes", more)
	}
	if more == 0 {
		return u, nil
	}
	u = append(u, make([]byte, more)...)
	if _, err := io.ReadFull(r, u[32:]); err != nil {
		return nil, err
	}
	return u, nil
}

const genericEvent = 35
