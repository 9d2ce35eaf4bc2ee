package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

const (
	turnsEndWithin    = 10 * time.Second
	requestsEndWithin = 3 * time.Second
)

// Handler answers requests. It can be served on any loopback listener; Serve is for the program.
func (g *Gateway) Handler() http.Handler { return g.mux }

// Serve serves on ln, which must be a loopback one, until ctx ends; then it ends everything, in order:
// streams and sockets, turns, the computer, requests, the database. A nil error says that all of it ended.
func (g *Gateway) Serve(ctx context.Context, ln net.Listener) error {
	if tcp, ok := ln.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return errors.Join(errors.New("Conch serves on this computer only: "+ln.Addr().String()+" isn't a loopback address"),
			ln.Close(), g.Close(context.WithoutCancel(ctx)))
	}
	srv := g.server()
	served := make(chan error, 1)
	go func() { served <- srv.Serve(newDoorway(ln)) }()
	g.startAddress()
	var err error
	ended := false
	select {
	case <-ctx.Done():
	case err = <-served:
		ended = true
	}
	ctx = context.WithoutCancel(ctx)
	g.close() // streams and sockets go first: they would keep Shutdown waiting
	g.stopAddress()
	err = errors.Join(err, g.endTurns(ctx))
	ending, cancel := context.WithTimeout(ctx, requestsEndWithin)
	defer cancel()
	if srv.Shutdown(ending) != nil {
		_ = srv.Close() // a request that hangs is dropped
	}
	if !ended {
		if end := <-served; !errors.Is(end, http.ErrServerClosed) {
			err = errors.Join(err, end)
		}
	}
	return errors.Join(err, g.Close(ctx))
}

// server is a server whose readers and writers can't take for ever: a stranger's slow body is cut off.
func (g *Gateway) server() *http.Server {
	return &http.Server{
		Handler:           g.mux,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ConnContext:       connOf,
		ErrorLog:          slog.NewLogLogger(g.log.Handler(), slog.LevelDebug),
	}
}

// endTurns interrupts every turn and waits for their end.
func (g *Gateway) endTurns(ctx context.Context) error {
	if g.runner == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, turnsEndWithin)
	defer cancel()
	return g.runner.Close(ctx)
}

// Close ends everything, for a Gateway that isn't served by Serve. Calling it again is free.
func (g *Gateway) Close(ctx context.Context) error {
	g.once.Do(func() {
		g.close()
		g.stopAddress()
		err := g.endTurns(ctx)
		g.open.Wait()
		g.closeComputer()
		if g.store != nil {
			err = errors.Join(err, g.store.Close())
		}
		if g.dir != nil && g.ownDir {
			err = errors.Join(err, g.dir.Close())
		}
		g.closed = err
	})
	return g.closed
}
