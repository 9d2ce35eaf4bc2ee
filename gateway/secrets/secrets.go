// Package secrets keeps the keys that a person gave Conch: in the system's keychain, or, where there is none, in files
// that only their account can read. It says which, so that Settings can. It shows no key to anybody but who asks for
// it by name, and no key is ever in a log, an error or another file.
package secrets

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"time"

	"github.com/zalando/go-keyring"

	"conch/gateway/state"
)

// Secrets keeps keys by name.
type Secrets interface {
	// Get returns a key, or ErrNone.
	Get(name string) (string, error)
	Set(name, key string) error
	// Delete removes a key; one that isn't there is no error.
	Delete(name string) error
	// Where says for a person where keys are kept: "in your keychain".
	Where() string
	// Safe says that the system guards them, beyond the rights of a file.
	Safe() bool
}

// ErrNone says that there is no such key.
var ErrNone = errors.New("there is no such key")

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

func check(name string) error {
	if !nameForm.MatchString(name) {
		return fmt.Errorf("%q is no name for a key", name)
	}
	return nil
}

// service is what the keychain files Conch's keys under.
const service = "Conch"

// probe is a key that never holds anything: asking for it says whether there is a keychain.
const probe = "is-there-a-keychain"

// openWithin is how long a keychain may take to say whether it is there. One that asks the person to unlock it takes
// longer, and counts as absent until the next start rather than holding up this one.
const openWithin = 3 * time.Second

// Files returns a place without a keychain: files in Conch's folder.
func Files(dir *state.Dir) Secrets { return files{dir} }

// Open returns the system's keychain, or files in Conch's folder where it doesn't answer. Call it only where there may
// be one: on Linux asking for it without a session bus starts one.
func Open(dir *state.Dir) Secrets {
	there := make(chan error, 1)
	go func() {
		_, err := keyring.Get(service, probe)
		there <- err
	}()
	select {
	case err := <-there:
		if err == nil || errors.Is(err, keyring.ErrNotFound) {
			return keychain{}
		}
	case <-time.After(openWithin):
	}
	return files{dir}
}

// keychain is the system's: Keychain on a Mac, the Secret Service on Linux.
type keychain struct{}

func (keychain) Get(name string) (string, error) {
	if err := check(name); err != nil {
		return "", err
	}
	key, err := keyring.Get(service, name)
	if errors.Is(err, keyring.ErrNotFound) {
		return "", ErrNone
	}
	if err != nil {
		return "", errors.New("the keychain didn't give the key")
	}
	return key, nil
}

func (keychain) Set(name, key string) error {
	if err := check(name); err != nil {
		return err
	}
	if keyring.Set(service, name, key) != nil { // its error may quote what was set
		return errors.New("the keychain didn't take the key")
	}
	return nil
}

func (keychain) Delete(name string) error {
	if err := check(name); err != nil {
		return err
	}
	if err := keyring.Delete(service, name); err != nil && !errors.Is(err, keyring.ErrNotFound) {
		return errors.New("the keychain didn't remove the key")
	}
	return nil
}

func (keychain) Where() string { return "in your keychain" }
func (keychain) Safe() bool    { return true }

// files are where there is no keychain: one file a key, mode 0600.
type files struct{ dir *state.Dir }

func file(name string) string { return "secrets/" + name }

func (f files) Get(name string) (string, error) {
	if err := check(name); err != nil {
		return "", err
	}
	data, err := f.dir.Get(file(name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", ErrNone
	}
	return string(data), err
}

func (f files) Set(name, key string) error {
	if err := check(name); err != nil {
		return err
	}
	return f.dir.Put(file(name), []byte(key))
}

func (f files) Delete(name string) error {
	if err := check(name); err != nil {
		return err
	}
	return f.dir.Drop(file(name))
}

func (f files) Where() string {
	return "in files that only your account can read (this computer has no keychain)"
}
func (f files) Safe() bool { return false }
