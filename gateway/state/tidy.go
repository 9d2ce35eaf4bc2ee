package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Inspect opens the folder as it is, to look at it: it makes nothing and changes nothing. One that isn't there is
// fs.ErrNotExist.
func Inspect(home string) (*Dir, error) {
	root, err := os.OpenRoot(home)
	if err != nil {
		return nil, fmt.Errorf("open Conch's folder %s: %w", home, err)
	}
	return newDir(root, home), nil
}

// Problem is a document that can't be read.
type Problem struct {
	Name string
	Err  error // *UnreadableError, *NewerError or *NotRegularError
}

// Problems reads every document that was declared, and returns those that can't be.
func (d *Dir) Problems() (out []Problem) {
	d.nmu.Lock()
	docs := slices.Clone(d.docs)
	d.nmu.Unlock()
	for _, doc := range docs {
		if err := doc.try(); err != nil {
			out = append(out, Problem{doc.name, err})
		}
	}
	return out
}

// document is a declared document: try says why it can't be read.
type document struct {
	name string
	try  func() error
}

func (d *Dir) declareDocument(name string, try func() error) {
	d.declare(name)
	d.nmu.Lock()
	defer d.nmu.Unlock()
	if !slices.ContainsFunc(d.docs, func(o document) bool { return o.name == name }) {
		d.docs = append(d.docs, document{name, try})
	}
}

const walkMost = 20_000 // entries

// each calls f with every entry of the folder, itself as ".". Symbolic links are not followed and not told.
func (d *Dir) each(f func(name string, info fs.FileInfo) error) error {
	n := 0
	return fs.WalkDir(d.root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it went while we looked
		}
		if err != nil {
			return err
		}
		if n++; n > walkMost {
			return fs.SkipAll
		}
		info, err := d.root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil
		}
		if err != nil {
			return err
		}
		return f(name, info)
	})
}

const others = 0o077 | fs.ModeSetuid | fs.ModeSetgid // the rights that nobody but the person's account may have

// Wide names what other accounts could read or write; "." is the folder itself.
func (d *Dir) Wide() (names []string, err error) {
	err = d.each(func(name string, info fs.FileInfo) error {
		if info.Mode()&others != 0 {
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// Narrow takes others' rights from everything in the folder, and gives none.
func (d *Dir) Narrow() error {
	var failed error
	err := d.each(func(name string, info fs.FileInfo) error {
		if info.Mode()&others != 0 {
			failed = errors.Join(failed, d.root.Chmod(name, info.Mode().Perm()&0o700))
		}
		return nil
	})
	return errors.Join(err, failed)
}

var keptName = regexp.MustCompile(`\.unreadable-[1-9][0-9]{0,2}$`)

// Kept names the files that were kept aside because they could not be read.
func (d *Dir) Kept() (names []string, err error) {
	err = d.each(func(name string, info fs.FileInfo) error {
		if info.Mode().IsRegular() && keptName.MatchString(name) {
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// writingTakes is how old what is being written can be.
const writingTakes = time.Minute

// Leftovers names what nothing needs any more: files that were being written when Conch was killed, and those of
// stale once they are older than it says.
func (d *Dir) Leftovers(now time.Time, stale map[string]time.Duration) (names []string, err error) {
	err = d.each(func(name string, info fs.FileInfo) error {
		if !info.Mode().IsRegular() {
			return nil
		}
		age, named := stale[name]
		if !named {
			base := path.Base(name)
			if !strings.HasPrefix(base, ".") || !strings.Contains(base, tmpMark) {
				return nil
			}
			age = writingTakes
		}
		if now.Sub(info.ModTime()) >= age {
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// Sweep removes the leftovers.
func (d *Dir) Sweep(now time.Time, stale map[string]time.Duration) error {
	return d.locked(func() error {
		names, err := d.Leftovers(now, stale)
		for _, name := range names {
			if gone := d.root.Remove(name); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
				err = errors.Join(err, gone)
			}
		}
		return err
	})
}
