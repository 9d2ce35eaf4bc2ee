package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"

	"conch/gateway"
	"conch/gateway/state"
	"conch/mcp"
	"conch/mcp/connect"
	"conch/mcp/connect/apps"
	"conch/mcp/otherapps"
	"conch/mcp/pair"
)

// launcherName is where other apps start the launcher: a link to the program, at a path that stays the same when the
// program is moved or updated. Other apps' settings name it, so it is made right at each start.
const launcherName = "mcp/launcher"

// door opens Conch to the apps that the person paired, and has the page where they do that.
type door struct {
	*mcp.Door
	clients *pair.Registry
	apps    *otherapps.Service
}

// newDoor reads who is paired. It lets nobody in before open.
func newDoor(dir *state.Dir, env apps.Env, changed func(), log *slog.Logger) (*door, error) {
	d := &door{}
	var err error
	d.clients, err = pair.Open(dir, pair.Options{
		Log: log, Proved: func(id string) { d.apps.Proved(id) },
		Changed: func(id string) {
			if d.Door != nil {
				d.Changed(id)
			}
			d.apps.Changed()
		},
	})
	if err != nil {
		return nil, err
	}
	link := func() (bool, error) { return linkLauncher(dir) }
	if _, err := link(); err != nil {
		log.Warn("other apps may not find Conch's launcher", "err", err)
	}
	d.apps = otherapps.New(otherapps.Options{
		State: dir, Clients: d.clients, Relink: link, Version: version, Icon: trayIcon, Told: changed, Log: log,
		Connect: &connect.Connector{Env: env, Launcher: dir.Path(launcherName)},
	})
	return d, nil
}

// open mounts the door and the page on the gateway.
func (d *door) open(gw *gateway.Gateway, log *slog.Logger) {
	d.Door = mcp.New(mcp.Options{Gateway: gw, Clients: d.clients, Version: version, Log: log})
	d.Mount(gw)
	d.apps.Mount(gw)
}

// toolsChanged tells apps that are connected to list their tools again.
func (d *door) toolsChanged() {
	if d.Door != nil {
		d.Changed("")
	}
}

// close ends what apps do here, and waits for it, or for ctx.
func (d *door) close(ctx context.Context) error {
	err := d.Close(ctx)
	d.apps.Wait()
	return err
}

// thisComputer is where other apps' settings are looked for.
func thisComputer(getenv func(string) string, home func() (string, error), dir *state.Dir) apps.Env {
	env := apps.Env{
		OS: map[string]string{"mac": apps.Mac, "linux": apps.Linux}[system], Getenv: getenv, LookPath: exec.LookPath,
		Processes: programs{},
	}
	var err error
	if env.Home, err = home(); err != nil || !filepath.IsAbs(env.Home) {
		env.Home = dir.Path("no-home") // nothing is there, so nothing is found or written
	}
	return env
}

// launcherProgram is the small program beside this one that apps start; where it isn't, this one does the same.
const launcherProgram = "conch-launcher"

// linkLauncher makes the launcher's link lead to the program that is started, and says whether it had to.
func linkLauncher(dir *state.Dir) (mended bool, err error) {
	program, err := os.Executable()
	if err != nil {
		return false, err
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		return false, err
	}
	small := filepath.Join(filepath.Dir(program), launcherProgram)
	if info, err := os.Stat(small); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o100 != 0 {
		program = small
	}
	dir.Declare(launcherName)
	at := dir.Path(launcherName)
	if to, err := os.Readlink(at); err == nil && to == program {
		return false, nil
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		return false, err
	}
	// A new link takes the old one's place in one step, so an app that starts it just then finds one of the two.
	tmp := fmt.Sprintf("%s.tmp-%d", at, os.Getpid())
	if err := os.Symlink(program, tmp); err != nil {
		return false, err
	}
	if err := os.Rename(tmp, at); err != nil {
		return false, errors.Join(err, os.Remove(tmp))
	}
	return true, nil
}
