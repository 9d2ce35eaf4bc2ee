//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"

	"conch/app/internal/npm"
)

// thinkers are the programs of the person's own that think: where each stands in what npm brings, for any processor.
// What the first two packages begin with is a script that looks for it; the third is a script for node.
var thinkers = []struct{ pkg, spec, program, at string }{
	{"claude-code", "npm:@anthropic-ai/claude-code@2.1.197", "claude", "@anthropic-ai/claude-code-linux-*64/claude"},
	{"codex", "npm:@openai/codex@0.171.0", "codex", "@openai/codex-linux-*64/vendor/*/bin/codex"},
	{"gemini-cli", "npm:@google/gemini-cli@0.61.0", "gemini", "gemini-cli/bundle/gemini.js"},
}

// programs runs the tests that need the real programs: what they see in the settings that Conch wrote, those of their
// engines, and the task through a whole Conch. They think with a scripted model of this computer, and sign in nowhere.
func programs(ctx context.Context) error {
	packages := map[string]string{}
	for _, p := range thinkers {
		packages[p.pkg] = p.spec
	}
	t, err := npm.Bring(ctx, packages)
	if err != nil {
		return err
	}
	dir := filepath.Join(filepath.Dir(t.Dir), "programs")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, p := range thinkers {
		found, err := filepath.Glob(filepath.Join(t.Dir, p.at))
		if err == nil && len(found) != 1 {
			err = fmt.Errorf("npm brought %d programs called %s, not one", len(found), p.program)
		}
		if err == nil {
			err = link(found[0], filepath.Join(dir, p.program))
		}
		if err != nil {
			return err
		}
	}
	if err := link(t.Node, filepath.Join(dir, "node")); err != nil {
		return err
	}
	log.Printf("CONCH_PROGRAMS=%s", dir)
	cmd := exec.CommandContext(ctx, "go", "test", "-v", "-count=1", "-timeout=20m", "-run", "^TestReal",
		"./mcp/connect", "./gateway/engine/claudecode", "./gateway/engine/codex", "./app/e2e")
	cmd.Env = append(os.Environ(), "CONCH_PROGRAMS="+dir)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// link makes a link, in the place of an older one.
func link(to, at string) error {
	if err := os.Remove(at); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Symlink(to, at)
}
