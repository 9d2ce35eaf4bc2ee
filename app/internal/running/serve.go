package running

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"time"

	"conch/gateway/state"
	"conch/mcp/launcher"
	"conch/mcp/wire"
)

// Launch is what another app starts to reach the running Conch, as the paired app client: MCP on in and out.
func Launch(ctx context.Context, home, client string, in io.Reader, out, errs io.Writer) error {
	gone, stop := starterGone()
	defer stop()
	return launcher.Run(ctx, launcher.Options{
		Client: client, In: in, Out: out, Err: errs, HowToStart: HowToStart, Gone: gone,
		Find: func(ctx context.Context) (string, error) {
			a, err := Find(ctx, home, slog.New(slog.DiscardHandler))
			if errors.Is(err, ErrNot) {
				return "", launcher.ErrNotRunning
			}
			return a.URL(), err
		},
		Key: func() (wire.Key, error) { return key(home, client) },
	})
}

// key reads the client's key.
func key(home, client string) (wire.Key, error) {
	dir, err := state.Open(home)
	if err != nil {
		return "", err
	}
	defer func() { _ = dir.Close() }()
	data, err := dir.Get(wire.KeyFile(client))
	if err != nil {
		return "", err
	}
	if id, ok := wire.ClientOf(string(data)); !ok || id != client {
		return "", errors.New("this is no key")
	}
	return wire.Key(data), nil
}

// starterGone tells when the process that started this one is gone: then nobody reads what is written any more, also
// where the pipe was handed on to somebody else.
func starterGone() (gone <-chan struct{}, stop func()) {
	ch, done := make(chan struct{}), make(chan struct{})
	parent := os.Getppid()
	go func() {
		tick := time.NewTicker(2 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if os.Getppid() != parent {
					close(ch)
					return
				}
			case <-done:
				return
			}
		}
	}()
	return ch, func() { close(done) }
}
