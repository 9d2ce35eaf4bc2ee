package state

import (
	"errors"
	"fmt"
	"io/fs"
)

// Put replaces the file name with data, mode 0600, whole or not at all. It is for what another program reads
// as it stands (a page for a browser); documents are a File.
func (d *Dir) Put(name string, data []byte) error {
	d.declare(name)
	err := d.locked(func() error {
		if info, err := d.root.Lstat(name); err == nil && !info.Mode().IsRegular() {
			return &NotRegularError{Path: d.Path(name)}
		}
		return d.write(name, data)
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", d.Path(name), err)
	}
	return nil
}

// Drop removes the file name; one that isn't there is no error.
func (d *Dir) Drop(name string) error {
	err := d.locked(func() error { return d.root.Remove(name) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", d.Path(name), err)
	}
	return nil
}

// Get reads the file name, as Put left it; fs.ErrNotExist when it is absent.
func (d *Dir) Get(name string) ([]byte, error) { return d.read(name) }

// Stat says what the file name is now, without following a link, for who keeps what it read of it.
func (d *Dir) Stat(name string) (fs.FileInfo, error) { return d.root.Lstat(name) }
