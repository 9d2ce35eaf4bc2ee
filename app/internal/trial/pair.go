//go:build linux

package trial

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"conch/gateway/state"
	"conch/mcp/pair"
)

// Pair pairs an app in a folder, as its page does on the person's press, and returns the key that it proves itself
// with. Conch may run meanwhile: what is in the folder holds at once.
func Pair(home string, c pair.Client) (_ pair.Client, _ pair.Key, err error) {
	dir, err := state.Open(home)
	if err != nil {
		return pair.Client{}, "", err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	clients, err := pair.Open(dir, pair.Options{})
	if err != nil {
		return pair.Client{}, "", err
	}
	return clients.Pair(c)
}

// BuildLauncher builds the program that apps start into dir, where Conch's own is found beside it, and returns its path.
func BuildLauncher(ctx context.Context, dir string, flags ...string) (string, error) {
	bin := filepath.Join(dir, "conch-launcher")
	cmd := exec.CommandContext(ctx, "go", append(append([]string{"build"}, flags...), "-o", bin, "conch/app/launcher")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the launcher: %w: %s", err, out)
	}
	return bin, nil
}
