package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strconv"
	"time"

	"conch/gateway/access"
	"conch/gateway/state"

	"github.com/gofrs/flock"
)

// Names in Conch's folder. The lock says whether Conch runs, since the kernel lets go of it however the
// program ends; the address says where, and is only believed while the lock is held. So a program that takes
// our port after us is never handed the key.
const (
	lockName    = "running"
	addressName = "here/address"
	keyName     = "here/key"
)

// address is the document that sub-commands find the running Conch by.
type address struct {
	state.Versioned
	Port int `json:"port"`
	PID  int `json:"pid"`
}

func (a address) url() string { return "http://127.0.0.1:" + strconv.Itoa(a.Port) }

// errRunning says that another Conch of this person runs on this computer.
var errRunning = errors.New("another Conch runs already")

// instance is the one running Conch of this folder.
type instance struct {
	dir  *state.Dir
	lock *flock.Flock
	file *state.File[address]
}

// claim makes this process the one running Conch, or returns errRunning.
func claim(ctx context.Context, dir *state.Dir, log *slog.Logger) (*instance, error) {
	dir.Declare(lockName)
	in := &instance{
		dir:  dir,
		lock: flock.New(dir.Path(lockName), flock.SetPermissions(0o600)),
		file: state.NewFile[address](dir, addressName, 1, log),
	}
	// A sub-command that looks whether Conch runs holds the lock for a moment, so one refusal proves nothing.
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	switch ok, err := in.lock.TryLockContext(ctx, 20*time.Millisecond); {
	case ok:
	case err == nil || errors.Is(err, context.DeadlineExceeded):
		_ = in.lock.Close()
		return nil, errRunning
	default:
		_ = in.lock.Close()
		return nil, fmt.Errorf("say that Conch runs: %w", err)
	}
	// What an earlier Conch left after a crash leads to nobody, or to a stranger.
	if err := dir.Drop(addressName); err != nil {
		_ = in.lock.Close()
		return nil, err
	}
	return in, nil
}

// announce says where this Conch answers.
func (in *instance) announce(port int) error {
	return in.file.Change(func(a *address) error {
		a.Port, a.PID = port, os.Getpid()
		return nil
	})
}

// leave says that Conch no longer runs. The lock file stays: removing it would let two hold "the" lock.
func (in *instance) leave() error {
	return errors.Join(in.dir.Drop(addressName), in.dir.Drop(openName), in.lock.Close())
}

// starting is how long a sub-command waits for a Conch that holds the lock and doesn't answer yet.
const starting = 5 * time.Second

// findRunning returns where the running Conch answers, and the key that proves this person to it. When none
// runs it returns a *said that tells what to do.
func findRunning(ctx context.Context, home string, log *slog.Logger) (a address, key string, err error) {
	notRunning := &said{Say: "Conch isn't running.", Next: howToStart, Code: exitNotRunning}
	if _, err := os.Stat(home); errors.Is(err, fs.ErrNotExist) {
		return a, "", notRunning
	}
	dir, err := state.Open(home)
	if err != nil {
		return a, "", err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	file := state.NewFile[address](dir, addressName, 1, log)
	ctx, cancel := context.WithTimeout(ctx, starting)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		free, err := lockFree(dir)
		if err != nil {
			return a, "", err
		}
		if free {
			return a, "", notRunning
		}
		if a, err = file.Read(); err != nil {
			return a, "", err
		}
		if a.Port != 0 {
			break
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return a, "", &said{Say: "Conch is starting and doesn't answer yet.", Next: "Try again in a moment.", Code: exitFailed}
		}
	}
	secret, err := dir.Secret(keyName, access.KeySize)
	if err != nil {
		return a, "", err
	}
	return a, access.EncodeKey(secret), nil
}

// lockFree says whether no Conch runs.
func lockFree(dir *state.Dir) (bool, error) {
	at := dir.Path(lockName)
	if _, err := os.Lstat(at); errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	lock := flock.New(at, flock.SetPermissions(0o600))
	free, err := lock.TryRLock()
	if err != nil {
		return false, fmt.Errorf("ask whether Conch runs: %w", err)
	}
	return free, lock.Close()
}
