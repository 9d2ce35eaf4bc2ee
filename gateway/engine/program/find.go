package program

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// places are where installers put programs, below the home folder. An app that was opened from the desktop has a
// short PATH, which names none of them.
var places = []string{
	".local/bin", ".claude/local", ".codex/bin", "bin", ".npm-global/bin", ".npm/bin", ".bun/bin", ".volta/bin", ".asdf/shims",
	".local/share/mise/shims", ".nvm/versions/node/*/bin", ".local/share/fnm/aliases/default/bin",
}

// folders are the folders in which programs are looked for, in order: those of PATH first.
func folders() []string {
	var out []string
	add := func(dir string) {
		if filepath.IsAbs(dir) && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		add(dir)
	}
	if home, err := os.UserHomeDir(); err == nil {
		for _, p := range places {
			found, _ := filepath.Glob(filepath.Join(home, p)) // the patterns are ours, so none is malformed
			slices.Reverse(found)                             // the newest version first
			for _, dir := range found {
				add(dir)
			}
		}
	}
	add("/opt/homebrew/bin")
	add("/usr/local/bin")
	return out
}

// Find says where a program of this name is.
func Find(name string) (path string, ok bool) {
	for _, dir := range folders() {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return path, true
		}
	}
	return "", false
}

// kept are the variables that a program needs to find its sign-in and the way to its provider. No key is among them:
// these programs think on the person's own plan, never on a key that happens to lie around.
var kept = []string{
	"HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
	"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "all_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
}

// Env is the environment of the program at a path: what every program needs, the variables that this one asks for by
// name, and then more of ours.
func Env(path string, names []string, more ...string) []string {
	dirs := []string{filepath.Dir(path)}
	for _, dir := range folders() {
		if dir != dirs[0] {
			dirs = append(dirs, dir)
		}
	}
	out := []string{"PATH=" + strings.Join(dirs, string(os.PathListSeparator))}
	for _, name := range slices.Concat(kept, names) {
		if v, ok := os.LookupEnv(name); ok {
			out = append(out, name+"="+v)
		}
	}
	return append(out, more...)
}
