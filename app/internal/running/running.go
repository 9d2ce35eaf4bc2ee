// Package running finds the one running Conch of a person: where it answers, which is believed only while it holds its
// lock. It starts nothing and talks to nobody. It is small, since the launcher that other apps start is made of it.
package running

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strconv"
	"time"

	"conch/gateway/state"

	"github.com/gofrs/flock"
)

// Names in Conch's folder. The lock says whether Conch runs, since the kernel lets go of it however the program ends;
// the address says where, and is only believed while the lock is held. So a program that takes our port after us is
// never handed anything.
const (
	LockName    = "running"
	AddressName = "here/address"
)

// Address is the document that others find the running Conch by.
type Address struct {
	state.Versioned
	Port int `json:"port"`
	PID  int `json:"pid"`
}

// URL is where it answers.
func (a Address) URL() string { return "http://127.0.0.1:" + strconv.Itoa(a.Port) }

var (
	// ErrNot says that no Conch of this person runs.
	ErrNot = errors.New("Conch isn't running")
	// ErrStarting says that one holds the lock and doesn't answer yet.
	ErrStarting = errors.New("Conch is starting and doesn't answer yet")
)

// starting is how long a Conch that holds the lock and doesn't answer yet is waited for.
const starting = 5 * time.Second

// Find returns where the running Conch answers.
func Find(ctx context.Context, home string, log *slog.Logger) (a Address, err error) {
	if _, err := os.Stat(home); errors.Is(err, fs.ErrNotExist) {
		return a, ErrNot
	}
	dir, err := state.Open(home)
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	file := state.NewFile[Address](dir, AddressName, 1, log)
	ctx, cancel := context.WithTimeout(ctx, starting)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		free, err := Free(dir)
		if err != nil {
			return a, err
		}
		if free {
			return a, ErrNot
		}
		if a, err = file.Read(); err != nil {
			return a, err
		}
		if a.Port != 0 {
			return a, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return a, ErrStarting
		}
	}
}

// Free says whether no Conch runs.
func Free(dir *state.Dir) (bool, error) {
	at := dir.Path(LockName)
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
