//go:build linux

package npm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// version is of the Node that is brought; the one that npm itself runs on may be older.
const version = "22.23.5"

// Tools are the programs that npm brought.
type Tools struct {
	Node string // the program
	Dir  string // node_modules
}

// Bring has npm install packages into bin/npm, once. Each has the name that it is installed under, and what it is, such
// as "npm:mcp-remote@0.15.1".
func Bring(ctx context.Context, packages map[string]string) (Tools, error) {
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	if arch == "" {
		return Tools{}, errors.New("npm has no Node for this processor")
	}
	dir, err := filepath.Abs(filepath.Join("bin", "npm"))
	if err != nil {
		return Tools{}, err
	}
	node := "node-linux-" + arch
	args := []string{"install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", node + "@" + version}
	for name, spec := range packages {
		args = append(args, name+"@"+spec)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Tools{}, err
	}
	t := Tools{Dir: filepath.Join(dir, "node_modules")}
	t.Node = filepath.Join(t.Dir, node, "bin", "node")
	cmd := exec.CommandContext(ctx, "npm", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return Tools{}, fmt.Errorf("npm could not bring what is needed (is npm there, and a network?): %w: %s", err, out)
	}
	return t, nil
}

// Script is a command that runs a JavaScript file, as a person with that home.
func (t Tools) Script(ctx context.Context, home, file string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, t.Node, append([]string{file}, args...)...)
	cmd.Env = []string{"PATH=" + filepath.Dir(t.Node) + ":/usr/bin:/bin", "HOME=" + home, "LANG=C.UTF-8", "NO_COLOR=1"}
	return cmd
}
