package program

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("PATH", "relative"+string(os.PathListSeparator)+dir)
	const name = "conch-no-such-program"
	if path, ok := Find(name); ok {
		t.Fatal(path)
	}
	old, newer := filepath.Join(home, ".nvm/versions/node/v20.1.0/bin"), filepath.Join(home, ".nvm/versions/node/v22.1.0/bin")
	for _, in := range []string{old, newer, dir} {
		if err := os.MkdirAll(in, 0o700); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(in, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if path, _ := Find(name); path == file {
			t.Errorf("%s can't be run", path)
		}
		if err := os.Chmod(file, 0o700); err != nil {
			t.Fatal(err)
		}
		if path, ok := Find(name); !ok || path != file {
			t.Errorf("found at %q, not at %s", path, file)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, name+"2"), 0o700); err != nil {
		t.Fatal(err)
	}
	if path, ok := Find(name + "2"); ok {
		t.Errorf("a folder is a program: %s", path)
	}
}

// A program gets what it needs to find its sign-in, and no key that lies around.
func TestEnv(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	t.Setenv("CODEX_HOME", "/home/me/codex")
	for _, secret := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "CONCH_SECRET", "LD_PRELOAD", "NODE_OPTIONS"} {
		t.Setenv(secret, "secret-value")
	}
	env := Env("/opt/it/bin/codex", []string{"CODEX_HOME"}, "MORE=1")
	if strings.Contains(strings.Join(env, " "), "secret-value") {
		t.Errorf("a secret is in %q", env)
	}
	for _, want := range []string{"HOME=/home/me", "CODEX_HOME=/home/me/codex", "MORE=1"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s isn't in %q", want, env)
		}
	}
	if !strings.HasPrefix(env[0], "PATH=/opt/it/bin"+string(os.PathListSeparator)) {
		t.Errorf("the program's own folder isn't first: %s", env[0])
	}
}
