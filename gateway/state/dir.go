// Package state is Conch's folder (~/.conch, or CONCH_HOME) and the documents in it.
//
// A document is one JSON file that is read whole and replaced whole: a reader sees the old or the new one,
// also after kill -9 or with a full disk. An absent document is its zero value, and zero means off. One
// that can't be read also means off, says so, and is kept aside before anything takes its place. One that a
// newer Conch wrote is left alone. The package never follows a symbolic link out of the folder or in place
// of a document, and never writes outside it. Chats are elsewhere (gateway/chat, conch.db).
package state

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gofrs/flock"
)

const (
	maxSize  = 1 << 20 // of a document, in bytes
	lockName = ".lock"
	tmpMark  = ".tmp-"
)

// Dir is Conch's folder. It is safe for several goroutines, and several processes may open the same folder.
type Dir struct {
	root *os.Root
	path string

	mu    sync.Mutex // held while a document is changed; the lock file does the same between processes
	lock  *flock.Flock
	names []string   // declared; guarded by nmu
	docs  []document // likewise
	nmu   sync.Mutex

	// interrupt is called between writing and renaming; tests cut the process off there.
	interrupt func() error
}

// Home is where the folder is: CONCH_HOME, or .conch in the person's home.
func Home(getenv func(string) string, userHome func() (string, error)) (string, error) {
	if home := getenv("CONCH_HOME"); home != "" {
		if !filepath.IsAbs(home) {
			return "", fmt.Errorf("CONCH_HOME is %q: give a whole path, such as /home/you/.conch", home)
		}
		return filepath.Clean(home), nil
	}
	home, err := userHome()
	if err != nil {
		return "", fmt.Errorf("your home folder isn't known, so Conch has nowhere to keep its files; set CONCH_HOME: %w", err)
	}
	return filepath.Join(home, ".conch"), nil
}

// Open opens the folder, making it when needed, and closes it to other accounts.
func Open(home string) (*Dir, error) {
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, fmt.Errorf("make Conch's folder %s: %w", home, err)
	}
	root, err := os.OpenRoot(home)
	if err != nil {
		return nil, fmt.Errorf("open Conch's folder %s: %w", home, err)
	}
	// Others' rights would let them put a document in place, so they go before anything is read.
	if err := root.Chmod(".", 0o700); err != nil {
		_ = root.Close()
		return nil, fmt.Errorf("close Conch's folder %s to other accounts: %w", home, err)
	}
	return newDir(root, home), nil
}

func newDir(root *os.Root, home string) *Dir {
	d := &Dir{root: root, path: home}
	d.lock = flock.New(filepath.Join(home, lockName), flock.SetPermissions(0o600))
	d.declare(lockName)
	return d
}

// Close closes the folder.
func (d *Dir) Close() error {
	return errors.Join(d.lock.Close(), d.root.Close())
}

// Path is where name is on disk, for programs that need a path (the database).
func (d *Dir) Path(name string) string { return filepath.Join(d.path, filepath.FromSlash(name)) }

// Declare adds a name that is written by other means than a File (the database) to Protected.
func (d *Dir) Declare(name string) { d.declare(name) }

// Protected lists every name that Conch keeps in its folder: what no tool of an assistant may write.
func (d *Dir) Protected() []string {
	d.nmu.Lock()
	defer d.nmu.Unlock()
	return slices.Sorted(slices.Values(d.names))
}

func (d *Dir) declare(name string) {
	d.nmu.Lock()
	defer d.nmu.Unlock()
	if !fs.ValidPath(name) || name == "." {
		panic("state: not a name in the folder: " + name)
	}
	if !slices.Contains(d.names, name) {
		d.names = append(d.names, name)
	}
}

// locked runs f while no other goroutine or process changes a document.
func (d *Dir) locked(f func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.lock.Lock(); err != nil {
		return fmt.Errorf("lock Conch's folder: %w", err)
	}
	defer func() { _ = d.lock.Unlock() }()
	return f()
}

// read returns the bytes of name; fs.ErrNotExist when it is absent.
func (d *Dir) read(name string) ([]byte, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &NotRegularError{Path: d.Path(name)}
	}
	if info.Size() > maxSize {
		return nil, &UnreadableError{Path: d.Path(name), Err: errors.New("it is far too long")}
	}
	f, err := d.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	opened, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !opened.Mode().IsRegular() {
		return nil, &NotRegularError{Path: d.Path(name)}
	}
	return io.ReadAll(io.LimitReader(f, maxSize+1))
}

// write replaces name. Call it under locked.
func (d *Dir) write(name string, data []byte) (err error) {
	dir := path.Dir(name)
	if dir != "." {
		if err := d.root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	d.sweep(dir, path.Base(name))
	tmp := path.Join(dir, "."+path.Base(name)+tmpMark+rand.Text())
	f, err := d.root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = d.root.Remove(tmp)
		}
	}()
	_, werr := f.Write(data)
	// A rename is only as good as the bytes behind the name, so they go to the disk first.
	if err := errors.Join(werr, f.Sync(), f.Close()); err != nil {
		return err
	}
	if d.interrupt != nil {
		if err := d.interrupt(); err != nil {
			return err
		}
	}
	if err := d.root.Rename(tmp, name); err != nil {
		return err
	}
	return d.syncDir(dir)
}

func (d *Dir) syncDir(dir string) error {
	f, err := d.root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// sweep removes what an earlier process left when it was killed between write and rename. No other one can
// be at work: the lock is held.
func (d *Dir) sweep(dir, base string) {
	entries, err := fs.ReadDir(d.root.FS(), dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+base+tmpMark) {
			_ = d.root.Remove(path.Join(dir, e.Name()))
		}
	}
}

// Aside keeps a file that can't be read out of the way, and says where it is now; one that isn't there is no error.
func (d *Dir) Aside(name string) (to string, err error) {
	err = d.locked(func() error {
		to, err = d.aside(name)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return to, err
}

// aside moves name out of the way under a name that is free, and says where to. Call it under locked.
func (d *Dir) aside(name string) (string, error) {
	for i := 1; i < 1000; i++ {
		to := fmt.Sprintf("%s.unreadable-%d", name, i)
		if _, err := d.root.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := d.root.Rename(name, to); err != nil {
			return "", err
		}
		return d.Path(to), nil
	}
	return "", fmt.Errorf("there are a thousand unreadable copies of %s; remove some", d.Path(name))
}
