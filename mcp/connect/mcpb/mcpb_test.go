package mcpb_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"conch/mcp/connect/mcpb"
)

func unzip(t *testing.T, data []byte) (text map[string]string, modes map[string]string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	text, modes = map[string]string{}, map[string]string{}
	for _, f := range z.File {
		h, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(h)
		if err != nil {
			t.Fatal(err)
		}
		text[f.Name], modes[f.Name] = string(b), f.Mode().String()
	}
	return text, modes
}

func TestBundle(t *testing.T) {
	data, err := mcpb.Bundle{
		Version: "1.2.3", Launcher: "/Applications/Conch.app/Contents/MacOS/conch",
		Args: []string{"launcher", "--client", "c-1"}, Platform: "darwin", Icon: []byte("PNG"),
	}.Build()
	if err != nil {
		t.Fatal(err)
	}
	files, modes := unzip(t, data)
	want := map[string]string{"manifest.json": "-rw-r--r--", "server/conch": "-rwxr-xr-x", "icon.png": "-rw-r--r--"}
	if diff := cmp.Diff(want, modes); diff != "" {
		t.Error(diff)
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(files["manifest.json"]), &m); err != nil {
		t.Fatal(err)
	}
	known := []string{"author", "compatibility", "description", "display_name", "icon", "manifest_version", "name", "server", "tools_generated", "version"}
	if got := slices.Sorted(maps.Keys(m)); !slices.Equal(got, known) {
		t.Errorf("members %v", got)
	}
	wantServer := map[string]any{
		"type": "binary", "entry_point": "server/conch",
		"mcp_config": map[string]any{
			"command": "/Applications/Conch.app/Contents/MacOS/conch",
			"args":    []any{"launcher", "--client", "c-1"}, "env": map[string]any{},
		},
	}
	if diff := cmp.Diff(wantServer, m["server"]); diff != "" {
		t.Error(diff)
	}
	if m["manifest_version"] != "0.3" || m["version"] != "1.2.3" {
		t.Errorf("%v %v", m["manifest_version"], m["version"])
	}
}

// The script starts exactly the launcher, whatever its path has in it.
func TestScriptStartsTheLauncher(t *testing.T) {
	dir := filepath.Join(t.TempDir(), `it's "$HOME" here`)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	launcher := filepath.Join(dir, "conch")
	if err := os.WriteFile(launcher, []byte("#!/bin/sh\nprintf '%s\\n' \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	data, err := mcpb.Bundle{Version: "1", Launcher: launcher, Args: []string{"launcher", "--client", "c 1"}, Platform: "linux"}.Build()
	if err != nil {
		t.Fatal(err)
	}
	files, _ := unzip(t, data)
	cmd := exec.Command("/bin/sh")
	cmd.Stdin = bytes.NewReader([]byte(files["server/conch"]))
	out, err := cmd.Output()
	if err != nil || string(out) != "launcher\n--client\nc 1\n" {
		t.Errorf("%v %q", err, out)
	}
}

func TestRefuses(t *testing.T) {
	for _, launcher := range []string{"", "conch", "/a\nb", "/${HOME}/conch"} {
		if _, err := (mcpb.Bundle{Launcher: launcher, Args: []string{"launcher"}}).Build(); err == nil {
			t.Errorf("%q was taken", launcher)
		}
	}
	if _, err := (mcpb.Bundle{Launcher: "/conch"}).Build(); err == nil {
		t.Error("a launcher without words was taken")
	}
}
