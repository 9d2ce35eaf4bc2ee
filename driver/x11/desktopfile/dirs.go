package desktopfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Dirs are the folders of .desktop files, the most important first, for the environment that getenv reads.
func Dirs(getenv func(string) string) []string {
	home := getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(home) {
		if h := getenv("HOME"); filepath.IsAbs(h) {
			home = filepath.Join(h, ".local", "share")
		} else {
			home = ""
		}
	}
	all := getenv("XDG_DATA_DIRS")
	if all == "" {
		all = "/usr/local/share:/usr/share"
	}
	var out []string
	for _, d := range append([]string{home}, strings.Split(all, ":")...) {
		if filepath.IsAbs(d) { // the specification has relative ones ignored
			out = append(out, filepath.Join(d, "applications"))
		}
	}
	return out
}

// Bounds of a search, so that a link that leads round in a circle or a strange folder costs little.
const (
	maxDepth = 4
	maxFiles = 5000
)

// Read reads all entries of the folders. Where two have the same id the first counts, also when it only says
// that the app is hidden. What can't be read is left out.
func Read(dirs, locales []string) []Entry {
	seen := map[string]bool{}
	var out []Entry
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(path string, f fs.DirEntry, err error) error {
			if err != nil || len(seen) >= maxFiles {
				return fs.SkipDir
			}
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				return nil //nolint:nilerr // not one of this folder
			}
			if f.IsDir() {
				if strings.Count(rel, string(filepath.Separator)) >= maxDepth {
					return fs.SkipDir
				}
				return nil
			}
			name, is := strings.CutSuffix(rel, ".desktop")
			if id := strings.ReplaceAll(name, string(filepath.Separator), "-"); is && !seen[id] {
				seen[id] = true
				if e, err := readFile(path, id, locales); err == nil {
					out = append(out, e)
				}
			}
			return nil
		})
	}
	return out
}

func readFile(path, id string, locales []string) (Entry, error) {
	if i, err := os.Stat(path); err != nil || !i.Mode().IsRegular() { // opening a pipe would wait for ever
		return Entry{}, ErrNotApp
	}
	f, err := os.Open(path) // #nosec G304 -- found in an application folder
	if err != nil {
		return Entry{}, err
	}
	defer func() { _ = f.Close() }()
	e, err := Parse(f, locales)
	e.ID, e.Path = id, path
	return e, err
}
