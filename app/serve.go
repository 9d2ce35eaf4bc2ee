package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"

	"conch/app/internal/heap"
	"conch/gateway"
	"conch/gateway/engine/byhand"
	"conch/gateway/state"
)

// defaultPort is where Conch answers unless it is told otherwise.
const defaultPort = 4778

// serveFlags are shown by help.
var serveFlags = [][2]string{
	{"--port N", "Answer at this port of this computer (or set CONCH_PORT); usually 4778"},
	{"--practice", "Use a practice desktop, also where there is a display"},
	{"--no-open", "Don't open the page"},
	{"--no-tray", "No icon in the menu bar"},
}

// doorWithin is how long calls of other apps may take to end when Conch does.
const doorWithin = 3 * time.Second

// settings are the flags of the program itself.
type settings struct {
	port     int
	chosen   bool // the person named the port, so another one won't do
	practice bool
	open     bool
	tray     bool
}

func (c *call) settings(args []string) (settings, error) {
	s := settings{port: defaultPort}
	flags := flag.NewFlagSet("conch", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error says it
	port := flags.String("port", c.getenv("CONCH_PORT"), "")
	noOpen := flags.Bool("no-open", false, "")
	noTray := flags.Bool("no-tray", false, "")
	flags.BoolVar(&s.practice, "practice", false, "")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return s, err
	case err != nil:
		return s, &said{Say: fmt.Sprintf("That can't be read: %v.", err), Next: "Run “conch help” to see what there is.", Code: exitUsage}
	case flags.NArg() > 0:
		return s, &said{Say: fmt.Sprintf("“%s” comes after the flags and means nothing here.", flags.Arg(0)), Next: "Run “conch help” to see what there is.", Code: exitUsage}
	}
	s.open, s.tray = !*noOpen, !*noTray
	if *port == "" {
		return s, nil
	}
	n, err := strconv.Atoi(*port)
	if err != nil || n < 1 || n > 65535 {
		return s, &said{Say: fmt.Sprintf("“%s” is no port.", *port), Next: "Give a whole number from 1 to 65535.", Code: exitUsage}
	}
	s.port, s.chosen = n, true
	return s, nil
}

// serve is the program itself: it runs until ctx ends or the person quits it.
func (c *call) serve(ctx context.Context, args []string) (err error) {
	set, err := c.settings(args)
	if errors.Is(err, flag.ErrHelp) {
		return c.help(ctx, nil)
	}
	if err != nil {
		return err
	}
	heap.Floor(heap.Conch)
	log, err := c.logger()
	if err != nil {
		return err
	}
	slog.SetDefault(log) // libraries that log by themselves say it there
	home, err := state.Home(c.getenv, os.UserHomeDir)
	if err != nil {
		return err
	}
	dir, err := state.Open(home)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	in, err := claim(ctx, dir, log)
	if errors.Is(err, errRunning) {
		return c.second(ctx, set)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.leave()) }()
	return c.first(ctx, set, in, log)
}

// second is what starting Conch once more does: it brings the page of the one that runs.
func (c *call) second(ctx context.Context, set settings) error {
	c.tell("Conch runs already, so this opens its page.\n")
	if !set.open {
		return c.status(ctx, nil)
	}
	return c.open(ctx, nil)
}

// first runs the one Conch of this person.
func (c *call) first(ctx context.Context, set settings, in *instance, log *slog.Logger) (err error) {
	ctx, quit := context.WithCancel(ctx)
	defer quit()
	ln, err := listen(ctx, set)
	if err != nil {
		return err
	}
	port := ln.Addr().(*net.TCPAddr).Port
	practice := wantPractice(set.practice, c.getenv)
	// The screen outlives ctx: at the end the turn stops first, and what it holds is lifted on this screen.
	screenCtx, screenEnd := context.WithCancel(context.WithoutCancel(ctx))
	defer screenEnd()
	e := &edge{}
	tried := &tries{}
	scr := newScreen(screenCtx, log, displayOpener(practice, e, tried, log))
	e.screen = scr
	defer func() {
		screenEnd()
		err = errors.Join(err, scr.Close())
	}()
	again := make(chan struct{}, 1)
	look := func() {
		select {
		case again <- struct{}{}:
		default: // it is about to look anyway
		}
	}
	open, err := newDoor(in.dir, thisComputer(c.getenv, os.UserHomeDir, in.dir), look, log)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	gw, err := gateway.New(ctx, gateway.Config{
		State: in.dir, Engine: byhand.Engine{}, Driver: scr, Switches: newSwitches(switchDeps{scr, practice, in.dir, quit, tried, log}), Confirm: confirmPrompt(), Practice: practice,
		Secrets: openSecrets(in.dir, c.getenv), System: system,
		Edge: e, EdgeRequired: true, StopKey: e.stopKey, Desktop: desktopKeys, Listen: listenWide,
		Platform: platformOf(scr), Checks: append(c.checks(set, port, practice), open.apps.Checks()...), Stale: staleFiles,
		ToolsChanged: open.toolsChanged,
		Version:      version, Log: log,
	})
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	e.gateway.Store(gw)
	open.open(gw, log)
	served := make(chan error, 1)
	go func() { served <- gw.Serve(ctx, ln) }()
	if err := in.announce(port); err != nil {
		quit()
		return errors.Join(err, <-served)
	}
	c.greet(set, port, practice)
	open.apps.Start(ctx)
	d := &desk{c: c, gw: gw, dir: in.dir, port: port, stopKey: e.stopKey, quit: quit, log: log, apps: open.apps.Lines, look: look, again: again}
	menu := d.start(ctx, set.tray)
	if set.open && !c.shell.Quiet() {
		if err := d.show(ctx, "/"); err != nil {
			c.complain("conch: %v\n", err)
		}
	}
	select {
	case <-ctx.Done():
	case err := <-served: // it can't go on
		served <- err
		quit()
	}
	// Calls of other apps end first, in words; then the gateway, with every turn ended.
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), doorWithin)
	defer cancel()
	err = errors.Join(open.close(closing), <-served)
	menu()
	return err
}

func (c *call) greet(set settings, port int, practice bool) {
	c.tell("Conch runs at http://localhost:%d. Ctrl+C ends it.\n", port)
	if port != set.port {
		c.tell("Port %d is taken by another program, so it is this one today.\n", set.port)
	}
	if practice {
		c.tell("It has a practice desktop, which the page shows live. It goes when Conch ends.\n")
	}
}

// listen opens the one port, on this computer's loopback only. Where the usual port is taken another free one
// does; one that the person chose is used or refused.
func listen(ctx context.Context, set settings) (net.Listener, error) {
	var lc net.ListenConfig
	at := func(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
	ln, err := lc.Listen(ctx, "tcp4", at(set.port))
	if errors.Is(err, syscall.EADDRINUSE) && !set.chosen {
		ln, err = lc.Listen(ctx, "tcp4", at(0))
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, &said{
			Say:  fmt.Sprintf("Port %d is taken by another program.", set.port),
			Next: "Give another one with --port, or leave it out.", Code: exitFailed, Err: err,
		}
	}
	if errors.Is(err, syscall.EACCES) {
		return nil, &said{
			Say:  fmt.Sprintf("This account may not use port %d.", set.port),
			Next: "Give one above 1023 with --port, or leave it out.", Code: exitFailed, Err: err,
		}
	}
	return ln, err
}

// listenWide opens a port to the network, for Conch's HTTPS address. The gateway asks for it only where the person
// turned that on, and speaks nothing but TLS there.
func listenWide(ctx context.Context, port int) (net.Listener, error) {
	var lc net.ListenConfig
	return lc.Listen(ctx, "tcp", ":"+strconv.Itoa(port))
}
