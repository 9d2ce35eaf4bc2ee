//go:build linux

package xconn

import (
	"bufio"
	"net"
	"sync"
)

// socket is what xgb speaks through. It swaps xgb's greeting for ours, which has the right cookie in it. It
// reads in larger pieces: xgb asks for 32 bytes at a time. And it writes in larger pieces, since xgb writes each
// request by itself, and each write wakes the server: a goroutine sends what has gathered while it sent before.
type socket struct {
	net.Conn
	r     *bufio.Reader
	hello []byte

	mu      sync.Mutex // guards all below
	out     []byte     // to be sent
	spare   []byte     // the buffer that out is swapped with
	err     error      // why sending ended
	some    chan struct{}
	closed  chan struct{}
	closing sync.Once
}

func newSocket(nc net.Conn, hello []byte) *socket {
	s := &socket{
		Conn: nc, r: bufio.NewReaderSize(nc, 64<<10), hello: hello,
		some: make(chan struct{}, 1), closed: make(chan struct{}),
	}
	go s.send()
	return s
}

func (s *socket) Read(b []byte) (int, error) { return s.r.Read(b) }

func (s *socket) Write(b []byte) (int, error) {
	n := len(b)
	if s.hello != nil {
		b, s.hello = s.hello, nil
	}
	s.mu.Lock()
	s.out = append(s.out, b...)
	err := s.err
	s.mu.Unlock()
	if err != nil {
		return 0, err
	}
	select {
	case s.some <- struct{}{}:
	default:
	}
	return n, nil
}

func (s *socket) send() {
	for {
		select {
		case <-s.some:
		case <-s.closed:
			return
		}
		s.mu.Lock()
		b := s.out
		s.out, s.spare = s.spare[:0], nil
		s.mu.Unlock()
		_, err := s.Conn.Write(b)
		s.mu.Lock()
		s.spare = b
		s.err = err
		s.mu.Unlock()
		if err != nil {
			_ = s.Conn.Close() // xgb's reader finds out
			return
		}
	}
}

func (s *socket) Close() error {
	s.closing.Do(func() { close(s.closed) })
	return s.Conn.Close()
}
