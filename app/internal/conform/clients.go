//go:build linux

package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"conch/app/internal/npm"

	"github.com/go-json-experiment/json"
)

//go:embed client.mjs
var clientScript []byte

// sdks are the TypeScript SDK's clients, each with how it agrees on a revision, and the one that comes of it.
var sdks = []struct{ sdk, mode, version string }{
	{"sdk", "", "2025-11-25"},
	{"sdk-newest", "legacy", "2025-11-25"},
	{"sdk-newest", "auto", "2026-07-28"},
	{"sdk-newest", "2026-07-28", "2026-07-28"},
}

// offered are the tools that an app with all scopes has.
var offered = []string{"computer", "list_skills", "search_memory", "suggest_memory", "use_skill"}

// seen is what a client printed.
type seen struct {
	Version string   `json:"version"`
	Server  string   `json:"server"`
	Tools   []string `json:"tools"`
	Found   answered `json:"found"`
	Look    answered `json:"look"`
	Steps   []string `json:"steps"`
	Unknown any      `json:"unknown"`
	Broken  []string `json:"broken"`
}

type answered struct {
	Failed bool     `json:"failed"`
	Kinds  []string `json:"kinds"`
	Text   string   `json:"text"`
}

// clients has those that apps are made with use the launcher as an app's settings start it.
func clients(ctx context.Context, s *subject, t npm.Tools) error {
	script := filepath.Join(filepath.Dir(t.Dir), "client.mjs") // where it finds what npm brought
	if err := os.WriteFile(script, clientScript, 0o600); err != nil {
		return err
	}
	var wrong []error
	for _, c := range sdks {
		name := strings.TrimSpace(c.sdk + " " + c.mode)
		out, err := output(t.Script(ctx, s.home, script, c.sdk, c.mode, s.launcher, s.near.ID))
		var got seen
		if err == nil {
			err = json.Unmarshal(out, &got)
		}
		if err == nil {
			err = got.judge(c.version)
		}
		log.Printf("%s: %.700s", name, bytes.TrimSpace(out))
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", name, err))
		}
	}
	for _, c := range []struct {
		args []string
		has  []string
	}{
		{[]string{"--method", "tools/list", "--strict"}, append([]string{`"inputSchema"`}, offered...)},
		{[]string{"--method", "tools/call", "--tool-name", "search_memory", "--tool-arg", "query=coffee"}, []string{`"type": "text"`}},
	} {
		cli := filepath.Join(t.Dir, "inspector", "clients", "launcher", "build", "index.js")
		// A lone -- would be the target's first word, so the launcher is given as a person's settings have it.
		args := append([]string{"--cli", s.launcher, "--client", s.near.ID}, c.args...)
		out, err := output(t.Script(ctx, s.home, cli, args...))
		for _, want := range c.has {
			if err == nil && !bytes.Contains(out, []byte(want)) {
				err = fmt.Errorf("it shows no %s", want)
			}
		}
		name := "inspector " + strings.Join(c.args, " ")
		log.Printf("%s: %.500s", name, bytes.Join(bytes.Fields(out), []byte(" ")))
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(wrong...)
}

// judge says what isn't as it should be.
func (s seen) judge(version string) error {
	slices.Sort(s.Tools)
	switch {
	case s.Version != version:
		return fmt.Errorf("they agreed on %q", s.Version)
	case s.Server != "conch":
		return fmt.Errorf("the server is %q", s.Server)
	case !slices.Equal(s.Tools, offered):
		return fmt.Errorf("the tools are %v", s.Tools)
	case s.Found.Failed || s.Found.Text == "":
		return fmt.Errorf("memory answers %+v", s.Found)
	case s.Look.Failed || !slices.Contains(s.Look.Kinds, "image"):
		return fmt.Errorf("a look answers %+v", s.Look)
	case len(s.Steps) == 0:
		return errors.New("no progress was heard of")
	case s.Unknown != -32602.0:
		return fmt.Errorf("a tool that isn't there answers %v", s.Unknown)
	case len(s.Broken) > 0:
		return fmt.Errorf("it complains: %s", strings.Join(s.Broken, "; "))
	}
	return nil
}

// output is what a program prints; when it fails, what it complained of.
func output(cmd *exec.Cmd) ([]byte, error) {
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("%w: %s", err, bytes.TrimSpace(errs.Bytes()))
	}
	return out, nil
}
