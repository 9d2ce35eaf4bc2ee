package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"conch/app/internal/running"
	"conch/gateway/access"
	"conch/gateway/state"

	"github.com/gofrs/flock"
)

// keyName is where the key of this computer is, in Conch's folder.
const keyName = "here/key"

// address is where the running Conch answers.
type address = running.Address

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
	dir.Declare(running.LockName)
	in := &instance{
		dir:  dir,
		lock: flock.New(dir.Path(running.LockName), flock.SetPermissions(0o600)),
		file: state.NewFile[address](dir, running.AddressName, 1, log),
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
	if err := dir.Drop(running.AddressName); err != nil {
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
	return errors.Join(in.dir.Drop(running.AddressName), in.dir.Drop(openName), in.lock.Close())
}

// findRunning returns where the running Conch answers, and the key that proves this person to it. When none
// runs it returns a *said that tells what to do.
func findRunning(ctx context.Context, home string, log *slog.Logger) (a address, key string, err error) {
	switch a, err = running.Find(ctx, home, log); {
	case errors.Is(err, running.ErrNot):
		return a, "", &said{Say: "Conch isn't running.", Next: running.HowToStart, Code: exitNotRunning}
	case errors.Is(err, running.ErrStarting):
		return a, "", &said{Say: "Conch is starting and doesn't answer yet.", Next: "Try again in a moment.", Code: exitFailed}
	case err != nil:
		return a, "", err
	}
	dir, err := state.Open(home)
	if err != nil {
		return a, "", err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	secret, err := dir.Secret(keyName, access.KeySize)
	if err != nil {
		return a, "", err
	}
	return a, access.EncodeKey(secret), nil
}
