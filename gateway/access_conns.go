package gateway

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
)

const (
	// Connections that proved nothing yet: so many from one address, and from all.
	unprovenEach = 24
	unprovenAll  = 128
)

// doorway is a listener at which strangers can't hold all connections. One that proved itself doesn't count. When an
// address has too many that didn't, its oldest goes: a new one may be the person's own, and an old one that has still
// proved nothing isn't.
type doorway struct {
	net.Listener

	mu       sync.Mutex
	unproven []*doorConn // oldest first
}

func newDoorway(ln net.Listener) *doorway { return &doorway{Listener: ln} }

// doorConn is one connection through it.
type doorConn struct {
	net.Conn
	door *doorway
	from netip.Addr
	once sync.Once
}

// Accept takes the next connection, and drops an old one that takes its place for too long.
func (d *doorway) Accept() (net.Conn, error) {
	conn, err := d.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &doorConn{Conn: conn, door: d}
	if peer, err := netip.ParseAddrPort(conn.RemoteAddr().String()); err == nil {
		c.from = peer.Addr().Unmap()
	}
	if old := d.enter(c); old != nil {
		_ = old.Close()
	}
	return c, nil
}

func (d *doorway) enter(c *doorConn) (drop *doorConn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unproven = append(d.unproven, c)
	n := 0
	for _, other := range d.unproven {
		if other.from == c.from {
			n++
		}
	}
	switch {
	case n > unprovenEach:
		i := slices.IndexFunc(d.unproven, func(other *doorConn) bool { return other.from == c.from })
		drop = d.unproven[i]
	case len(d.unproven) > unprovenAll:
		drop = d.unproven[0]
	}
	return drop
}

// leave takes a connection off the list: it proved itself, or it is gone.
func (c *doorConn) leave() {
	c.once.Do(func() {
		c.door.mu.Lock()
		defer c.door.mu.Unlock()
		c.door.unproven = slices.DeleteFunc(c.door.unproven, func(other *doorConn) bool { return other == c })
	})
}

func (c *doorConn) Close() error {
	c.leave()
	return c.Conn.Close()
}

type connKey struct{}

// connOf remembers a request's connection, for Proven.
func connOf(ctx context.Context, conn net.Conn) context.Context {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	return context.WithValue(ctx, connKey{}, conn)
}

// Proven says that a request's connection is of somebody who proved who they are, so that it isn't counted among those
// of strangers. A handler behind access.Door says it once its caller proved itself; elsewhere the guard does.
func Proven(r *http.Request) {
	if c, ok := r.Context().Value(connKey{}).(*doorConn); ok {
		c.leave()
	}
}
