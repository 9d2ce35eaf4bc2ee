package apps_test

import (
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"conch/mcp/connect/apps"
)

var update = flag.Bool("update", false, "write the golden files anew")

func env(goos, home string, vars map[string]string, programs ...string) apps.Env {
	return apps.Env{
		OS: goos, Home: home,
		Getenv: func(k string) string { return vars[k] },
		LookPath: func(p string) (string, error) {
			if slices.Contains(programs, p) {
				return "/usr/bin/" + p, nil
			}
			return "", errors.New("not found")
		},
		Bundles: []string{filepath.Join(home, "Applications")},
	}
}

// Where every app keeps its settings, on both systems and with a moved configuration folder.
func TestPlaces(t *testing.T) {
	moved := map[string]string{
		"XDG_CONFIG_HOME": "/x/config", "CODEX_HOME": "/x/codex", "COPILOT_HOME": "/x/copilot", "CLAUDE_CONFIG_DIR": "/x/claude",
	}
	relative := map[string]string{
		"XDG_CONFIG_HOME": "x", "CODEX_HOME": "x", "COPILOT_HOME": "../x", "CLAUDE_CONFIG_DIR": "~", "FLATPAK_XDG_CONFIG_HOME": "x",
	}
	home := "/home/nobody-here"
	var b strings.Builder
	for _, a := range apps.All() {
		fmt.Fprintf(&b, "%s\n", a.ID)
		for _, c := range []struct {
			name string
			env  apps.Env
		}{
			{"mac", env(apps.Mac, home, nil)},
			{"linux", env(apps.Linux, home, nil)},
			{"linux, moved", env(apps.Linux, home, moved)},
			{"mac, moved", env(apps.Mac, home, moved)},
		} {
			fmt.Fprintf(&b, "  %s: %s\n", c.name, strings.Join(a.Files(c.env), " | "))
		}
		// What a relative folder means depends on where a program starts, so it means nothing.
		if diff := cmp.Diff(a.Files(env(apps.Linux, home, nil)), a.Files(env(apps.Linux, home, relative))); diff != "" {
			t.Errorf("%s: %s", a.ID, diff)
		}
	}
	golden(t, "testdata/places.txt", b.String())
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range apps.All() {
		if a.ID == "" || a.Name == "" || a.Syntax == nil || a.Parent == "" || seen[a.ID] {
			t.Errorf("%q lacks something, or is there twice", a.ID)
		}
		seen[a.ID] = true
		if !strings.HasSuffix(a.Next, ".") || strings.Count(a.Next, ".") != 1 {
			t.Errorf("%s: one sentence: %q", a.ID, a.Next)
		}
		if strings.HasPrefix(a.Next, "Quit ") != a.Restart {
			t.Errorf("%s: restart %v, and %q", a.ID, a.Restart, a.Next)
		}
		var names []string
		for _, f := range a.Fields(apps.Entry{Name: "conch", Command: "/c", Args: []string{"x"}}) {
			names = append(names, f.Name)
		}
		if !slices.Contains(names, a.Command) || !slices.Contains(names, a.Args) {
			t.Errorf("%s: an entry has %v", a.ID, names)
		}
		if got, ok := apps.ByID(a.ID); !ok || got.Name != a.Name {
			t.Errorf("%s isn't found by its id", a.ID)
		}
	}
	if _, ok := apps.ByID(""); ok {
		t.Error("no app is found by no id")
	}
}

// Each app is found by each of its signs, and by none of another app.
func TestFound(t *testing.T) {
	found := func(e apps.Env) (ids []string) {
		for _, a := range apps.All() {
			if a.Found(e) {
				ids = append(ids, a.ID)
			}
		}
		return ids
	}
	for _, goos := range []string{apps.Mac, apps.Linux} {
		if got := found(env(goos, t.TempDir(), nil)); len(got) != 0 {
			t.Errorf("%s: found in an empty home: %v", goos, got)
		}
		for _, a := range apps.All() {
			home := t.TempDir()
			e := env(goos, home, nil)
			for _, f := range a.Files(e)[:1] {
				if err := errors.Join(os.MkdirAll(filepath.Dir(f), 0o700), os.WriteFile(f, nil, 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			if got := found(e); !slices.Contains(got, a.ID) || len(got) > 1 {
				t.Errorf("%s: the settings of %s are a sign of %v", goos, a.ID, got)
			}
		}
	}
	for program, want := range map[string]string{
		"claude": "claude-code", "codex": "codex", "gemini": "gemini-cli", "goose": "goose", "copilot": "copilot-cli", "code": "vscode",
		"code-insiders": "vscode-insiders", "zed": "zed", "cursor": "cursor", "windsurf": "windsurf", "devin": "devin", "lms": "lm-studio",
		"claude-desktop": "claude-desktop",
	} {
		if got := found(env(apps.Linux, t.TempDir(), nil, program)); !slices.Equal(got, []string{want}) {
			t.Errorf("%s is a sign of %v", program, got)
		}
	}
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "Applications", "Claude.app"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := found(env(apps.Mac, home, nil)); !slices.Equal(got, []string{"claude-desktop"}) {
		t.Errorf("Claude.app is a sign of %v", got)
	}
	if got := found(env(apps.Linux, home, nil)); len(got) != 0 {
		t.Errorf("a bundle on Linux is a sign of %v", got)
	}
}

// Of several places the one counts that is in use.
func TestFile(t *testing.T) {
	zed, _ := apps.ByID("zed")
	home := t.TempDir()
	e := env(apps.Linux, home, nil)
	plain, flat := filepath.Join(home, ".config", "zed"), filepath.Join(home, ".var", "app", "dev.zed.Zed", "config", "zed")
	is := func(want string) {
		t.Helper()
		if got := zed.File(e); got != filepath.Join(want, "settings.json") {
			t.Errorf("%s, want %s", got, want)
		}
	}
	is(plain)
	make := func(path string) {
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	make(flat)
	is(flat)
	make(plain)
	is(plain)
	if err := os.WriteFile(filepath.Join(flat, "settings.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	is(flat)

	lm, _ := apps.ByID("lm-studio")
	if err := os.WriteFile(filepath.Join(home, ".lmstudio-home-pointer"), []byte("/mnt/models/lm\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{"/mnt/models/lm/mcp.json", filepath.Join(home, ".lmstudio", "mcp.json"), filepath.Join(home, ".cache", "lm-studio", "mcp.json")}
	if diff := cmp.Diff(want, lm.Files(e)); diff != "" {
		t.Error(diff)
	}
}

// A link brings exactly the entry to the app.
func TestLinks(t *testing.T) {
	e := apps.Entry{Name: "conch", Command: `/opt/C++ & more/ü "x"?#/conch`, Args: []string{"launcher", "--client", "c-1"}}
	inner := `{"command":"/opt/C++ & more/ü \"x\"?#/conch","args":["launcher","--client","c-1"]}`
	whole := `{"name":"conch","type":"stdio",` + inner[1:]
	with := map[string]bool{}
	for _, a := range apps.All() {
		link := a.Link(e)
		if link == "" {
			continue
		}
		with[a.ID] = true
		u, err := url.Parse(link)
		if err != nil {
			t.Fatal(err)
		}
		switch a.ID {
		case "cursor", "lm-studio":
			config, err := base64.StdEncoding.DecodeString(u.Query().Get("config"))
			if err != nil || string(config) != inner || u.Query().Get("name") != "conch" {
				t.Errorf("%s: %v %s", a.ID, err, config)
			}
		default:
			scheme, rest, _ := strings.Cut(link, ":mcp/install?")
			got, err := url.PathUnescape(rest) // as decodeURIComponent does
			if err != nil || got != whole || scheme != a.ID {
				t.Errorf("%s: %v %s", a.ID, err, got)
			}
		}
	}
	if diff := cmp.Diff(map[string]bool{"cursor": true, "vscode": true, "vscode-insiders": true, "lm-studio": true}, with); diff != "" {
		t.Error(diff)
	}
}
