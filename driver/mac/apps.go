package mac

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"conch/driver"
)

// appFiles is where installed apps are looked for: folders below a root. macOS has no public list of all apps,
// and Spotlight's may be off or behind.
type appFiles struct {
	root    fs.FS // the whole disk
	folders []string
}

// standardFolders are where apps are installed, as paths from the root; home is the person's.
func standardFolders(home string) []string {
	out := []string{"Applications", "System/Applications", "System/Cryptexes/App/System/Applications", "System/Library/CoreServices/Applications"}
	if home = strings.Trim(home, "/"); home != "" {
		out = append(out, home+"/Applications")
	}
	return out
}

// finder lies among parts of the system that are no apps.
const finder = "System/Library/CoreServices/Finder.app"

// Bounds of the search: folders of folders hold apps of suites and utilities.
const (
	deepestFolder = 2
	mostBundles   = 2000
)

// bundles lists the paths of all app bundles, without looking into one.
func (f appFiles) bundles(ctx context.Context) ([]string, error) {
	var out []string
	var walk func(dir string, depth int) error
	walk = func(dir string, depth int) error {
		entries, err := fs.ReadDir(f.root, dir)
		if err != nil {
			return nil // a folder that isn't there, or isn't ours to read, holds no app for us
		}
		for _, e := range entries {
			if err := ctx.Err(); err != nil {
				return err
			}
			at := path.Join(dir, e.Name())
			switch {
			case len(out) >= mostBundles:
				return nil
			case strings.HasSuffix(e.Name(), ".app"):
				out = append(out, "/"+at)
			case e.IsDir() && depth < deepestFolder && !strings.HasPrefix(e.Name(), "."):
				if err := walk(at, depth+1); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, dir := range f.folders {
		if err := walk(dir, 0); err != nil {
			return nil, err
		}
	}
	if _, err := fs.Stat(f.root, finder); err == nil {
		out = append(out, "/"+finder)
	}
	return out, nil
}

// apps lists apps by bundle id.
type apps struct {
	sys   system
	files appFiles
}

func (a *apps) list(ctx context.Context) ([]driver.App, error) {
	paths, err := a.files.bundles(ctx)
	if err != nil {
		return nil, err
	}
	running, err := a.sys.running()
	if err != nil {
		return nil, err
	}
	byID := map[driver.AppID]driver.App{}
	for _, p := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		raw, ok := a.sys.bundle(p)
		if _, known := byID[driver.AppID(raw.bundle)]; ok && !known && bundleID(raw.bundle) { // the first folder wins
			byID[driver.AppID(raw.bundle)] = app(raw)
		}
	}
	for _, raw := range running {
		id := driver.AppID(raw.bundle)
		if !bundleID(raw.bundle) || raw.pid == a.sys.self() {
			continue
		}
		got, known := byID[id]
		switch {
		case known:
			got.Running = true
			byID[id] = got
		case raw.regular: // from a folder of its own
			byID[id] = app(raw)
		}
	}
	out := make([]driver.App, 0, len(byID))
	for _, v := range byID {
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b driver.App) int {
		if c := strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)); c != 0 {
			return c
		}
		return strings.Compare(string(a.ID), string(b.ID))
	})
	return out, nil
}

func app(raw rawApp) driver.App {
	a := driver.App{ID: driver.AppID(raw.bundle), Name: raw.name, Exe: raw.exe, Running: raw.pid != 0}
	file := strings.TrimSuffix(path.Base(raw.path), ".app")
	for _, n := range []string{raw.english, file} {
		if a.Name == "" {
			a.Name = n
		}
		if n != "" && n != "." && n != "/" && n != a.Name && !slices.Contains(a.Also, n) {
			a.Also = append(a.Also, n)
		}
	}
	return a
}

// bundleID says whether s can be a bundle id (CFBundleIdentifier): letters, digits, hyphens and dots.
func bundleID(s string) bool {
	if s == "" || len(s) > 155 {
		return false
	}
	for _, r := range s {
		ok := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_'
		if !ok {
			return false
		}
	}
	return true
}
