package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"conch/gateway"
	"conch/gateway/state"
	"conch/mcp"
	"conch/mcp/pair"
)

// launcherName is where other apps start the launcher: a link to the program, at a path that stays the same when the
// program is moved or updated. Other apps' settings name it, so it is made right at each start.
const launcherName = "mcp/launcher"

// door opens Conch to the apps that the person paired.
type door struct {
	*mcp.Door
	clients *pair.Registry
}

// openDoor mounts the door on the gateway.
func openDoor(gw *gateway.Gateway, dir *state.Dir, log *slog.Logger) (*door, error) {
	d := &door{}
	var err error
	d.clients, err = pair.Open(dir, pair.Options{Log: log, Changed: func(id string) { d.Changed(id) }})
	if err != nil {
		return nil, err
	}
	d.Door = mcp.New(mcp.Options{Gateway: gw, Clients: d.clients, Version: version, Log: log})
	d.Mount(gw)
	if _, err := linkLauncher(dir); err != nil {
		log.Warn("other apps may not find Conch's launcher", "err", err)
	}
	return d, nil
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
