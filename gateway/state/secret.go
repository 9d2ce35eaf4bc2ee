package state

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
)

// Secret is a key that is made once and read ever after. It never shows in a log.
type Secret []byte

// LogValue hides the key.
func (Secret) LogValue() slog.Value { return slog.StringValue("[hidden]") }

// String hides the key.
func (Secret) String() string { return "[hidden]" }

// Secret returns the n random bytes kept under name, making them on first use (mode 0600). A file of another
// size is kept aside and a new key takes its place: what the old one proved has to be proved again.
func (d *Dir) Secret(name string, n int) (Secret, error) {
	d.declare(name)
	var key Secret
	err := d.locked(func() error {
		data, err := d.read(name)
		switch {
		case err == nil && len(data) == n:
			key = data
			return nil
		case err == nil:
			if _, err := d.aside(name); err != nil {
				return err
			}
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		key = make(Secret, n)
		if _, err := rand.Read(key); err != nil {
			return err
		}
		return d.write(name, key)
	})
	if err != nil {
		return nil, fmt.Errorf("the key %s: %w", d.Path(name), err)
	}
	return key, nil
}
