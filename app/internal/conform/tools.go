//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// What npm brings, by the name it is installed under. The versions are fixed so that a run means the same tomorrow.
var packages = map[string]string{
	"suite-released": "npm:@modelcontextprotocol/conformance@0.1.16",
	"suite-newest":   "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12",
	"sdk":            "npm:@modelcontextprotocol/sdk@1.32.2",
	"sdk-newest":     "npm:@modelcontextprotocol/client@2.4.0",
	"inspector":      "npm:@modelcontextprotocol/inspector@2.12.0",
}

// node is the newest Node that the suite is made for; the one that npm itself runs on may be older.
const node = "22.23.5"

// tools are the programs that npm brought.
type tools struct {
	node string // the program
	dir  string // node_modules
}

// bring has npm install the packages into bin, once. None of them may run anything while it is installed.
func bring(ctx context.Context) (tools, error) {
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	if arch == "" {
		return tools{}, errors.New("npm has no Node for this processor")
	}
	dir, err := filepath.Abs(filepath.Join("bin", "conform"))
	if err != nil {
		return tools{}, err
	}
	nodePackage := "node-linux-" + arch
	args := []string{"install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", nodePackage + "@" + node}
	for name, spec := range packages {
		args = append(args, name+"@"+spec)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return tools{}, err
	}
	t := tools{dir: filepath.Join(dir, "node_modules")}
	t.node = filepath.Join(t.dir, nodePackage, "bin", "node")
	cmd := exec.CommandContext(ctx, "npm", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return tools{}, fmt.Errorf("npm could not bring the suite and the clients (is npm there, and a network?): %w: %s", err, out)
	}
	return t, nil
}

// script is a command that runs a JavaScript file of a package, as this person with that home.
func (t tools) script(ctx context.Context, home, file string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, t.node, append([]string{file}, args...)...)
	cmd.Env = []string{"PATH=" + filepath.Dir(t.node) + ":/usr/bin:/bin", "HOME=" + home, "LANG=C.UTF-8", "NO_COLOR=1"}
	return cmd
}
