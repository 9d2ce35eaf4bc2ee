package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"

	"conch/gateway"
	"conch/gateway/state"
)

// open brings the browser to a page of the running Conch.
func (c *call) open(ctx context.Context, args []string) error {
	word := ""
	if len(args) > 0 {
		word = args[0]
	}
	if len(args) > 1 {
		return noArgs("open "+word, args[1:])
	}
	path, err := pagePath(word)
	if err != nil {
		return err
	}
	p, err := c.findPeer(ctx)
	if err != nil {
		return err
	}
	home, err := state.Home(c.getenv, os.UserHomeDir)
	if err != nil {
		return err
	}
	dir, err := state.Open(home)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	return c.openWith(ctx, dir, p.Port, path, func() (string, error) {
		var got struct {
			Code string `json:"code"`
		}
		err := p.ask(ctx, http.MethodPost, "/api/here/codes", struct{}{}, &got)
		return got.Code, err
	})
}

// openWith opens a page with a fresh one-time code, or says how the person can.
func (c *call) openWith(ctx context.Context, dir *state.Dir, port int, path string, code func() (string, error)) error {
	one, err := code()
	if err != nil {
		return err
	}
	file, err := writeOpenPage(dir, pageURL(port, path, one))
	if err != nil {
		return err
	}
	err = c.browse(ctx, file)
	switch {
	case err == nil:
		c.tell("Opening it in your browser. If nothing comes up, open this file in it: %s\n", file)
	case !errors.Is(err, errNoBrowser):
		return err
	case isTerminal(c.out):
		// Their own terminal: nobody else sees it, and it is good once. Into a file or a pipe it doesn't go.
		if one, err = code(); err != nil {
			return err
		}
		c.tell("Open this in your browser. It works once, within two minutes:\n\n  %s\n\n", pageURL(port, path, one))
	default:
		c.tell("No browser could be opened from here. Open this file in one within two minutes: %s\n", file)
	}
	return nil
}

// stop stops whoever uses the computer.
func (c *call) stop(ctx context.Context, args []string) error {
	if err := noArgs("stop", args); err != nil {
		return err
	}
	p, err := c.findPeer(ctx)
	if err != nil {
		return err
	}
	var got struct {
		Stopped bool `json:"stopped"`
	}
	if err := p.ask(ctx, http.MethodPost, "/api/computer-use/stop", struct{}{}, &got); err != nil {
		return err
	}
	if !got.Stopped {
		c.tell("Nothing was using your computer.\n")
		return nil
	}
	c.tell("Stopped. Nothing uses your computer now.\n")
	return nil
}

// status says where Conch runs and what it is doing.
func (c *call) status(ctx context.Context, args []string) error {
	if err := noArgs("status", args); err != nil {
		return err
	}
	p, err := c.findPeer(ctx)
	if err != nil {
		return err
	}
	var s gateway.Status
	if err := p.ask(ctx, http.MethodGet, "/api/status", nil, &s); err != nil {
		return err
	}
	c.tell("Conch %s runs at http://localhost:%d (process %d).\n", plain(s.Version), p.Port, p.PID)
	c.tell("%s.\n", strings.TrimRight(plain(s.Say), "."))
	switch {
	case !s.On:
		c.tell("Using your apps is off. Turn it on with “conch open computer”.\n")
	case s.Screen != "":
		c.tell("Using your apps is on, but not possible now: %s\n", plain(s.Screen))
	default:
		c.tell("Using your apps is on.\n")
	}
	return nil
}

// logger writes what a developer or a bug report needs, and only warnings unless CONCH_LOG asks for more.
func (c *call) logger() (*slog.Logger, error) {
	level := slog.LevelWarn
	if word := c.getenv("CONCH_LOG"); word != "" {
		if err := level.UnmarshalText([]byte(word)); err != nil {
			return nil, &said{Say: fmt.Sprintf("CONCH_LOG is “%s”.", word), Next: "Say debug, info, warn or error.", Code: exitUsage}
		}
	}
	return slog.New(slog.NewTextHandler(c.errs, &slog.HandlerOptions{Level: level})), nil
}
