//go:build linux

package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"

	"conch/app/internal/npm"
	"conch/app/internal/trial"
	"conch/driver/x11/xserver"
	"conch/gateway/chat"
	"conch/mcp/pair"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("conform: ")
	what := flag.String("run", "suite", "what to run: suite, the official one, clients, those that apps are made with, or programs, those that think")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *what)
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

// packages are the suite, as it was released and as it is, and the clients. The versions are fixed so that a run means
// the same tomorrow.
var packages = map[string]string{
	"suite-released": "npm:@modelcontextprotocol/conformance@0.1.16",
	"suite-newest":   "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12",
	"sdk":            "npm:@modelcontextprotocol/sdk@1.32.2",
	"sdk-newest":     "npm:@modelcontextprotocol/client@2.4.0",
	"inspector":      "npm:@modelcontextprotocol/inspector@2.12.0",
}

func run(ctx context.Context, what string) error {
	if what == "programs" {
		return programs(ctx)
	}
	do := map[string]func(context.Context, *subject, npm.Tools) error{"suite": suite, "clients": clients}[what]
	if do == nil {
		return fmt.Errorf("there is nothing called %q to run", what)
	}
	t, err := npm.Bring(ctx, packages)
	if err != nil {
		return err
	}
	s, err := newSubject(ctx)
	if err != nil {
		return err
	}
	err = do(ctx, s, t)
	if gone := s.close(); err == nil {
		err = gone
	}
	return err
}

// subject is a Conch on a desktop of its own, with two paired apps: one that sends its key, and one that starts the
// launcher. Both may use all that an app can be given.
type subject struct {
	*trial.Conch
	home     string // the person's; Conch's folder is where it always is in it
	launcher string
	far      pair.Client
	key      pair.Key // of the app that sends it
	near     pair.Client

	desk *xserver.Server
	dir  string
}

var scopes = []string{pair.MemoryRead, pair.MemoryWrite, pair.Skills, pair.Computer}

func newSubject(ctx context.Context) (_ *subject, err error) {
	s := &subject{}
	defer func() {
		if err != nil {
			_ = s.close()
		}
	}()
	if s.dir, err = os.MkdirTemp("", "conch-conform-"); err != nil {
		return nil, err
	}
	s.home = filepath.Join(s.dir, "home")
	bin, err := trial.Build(ctx, s.dir)
	if err != nil {
		return nil, err
	}
	if _, err = trial.BuildLauncher(ctx, s.dir); err != nil {
		return nil, err
	}
	folder := filepath.Join(s.home, ".conch")
	if s.far, s.key, err = trial.Pair(folder, pair.Client{Name: "Conformance", Kind: pair.HTTP, Scopes: scopes, Mode: chat.Ask}); err != nil {
		return nil, err
	}
	if s.near, _, err = trial.Pair(folder, pair.Client{Name: "Client", Kind: pair.Launcher, Scopes: scopes, Mode: chat.Ask}); err != nil {
		return nil, err
	}
	if s.desk, err = xserver.Start(ctx, xserver.Options{WindowManager: "openbox", Home: s.home}); err != nil {
		return nil, err
	}
	if s.Conch, err = trial.Start(ctx, trial.Options{Bin: bin, Home: folder, Desktop: s.desk, On: true}); err != nil {
		return nil, err
	}
	s.launcher = filepath.Join(folder, "mcp", "launcher") // the path that other apps' settings have
	return s, nil
}

func (s *subject) close() (err error) {
	if s.Conch != nil {
		err = s.Close()
	}
	if s.desk != nil {
		_ = s.desk.Close()
	}
	_ = os.RemoveAll(s.dir)
	return err
}
