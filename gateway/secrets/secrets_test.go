package secrets

import (
	"errors"
	"os"
	"testing"

	"github.com/zalando/go-keyring"

	"conch/gateway/state"
)

// Both places pass one suite; the keychain is the library's own stand-in, which the library's real ones satisfy too.
func TestPlaces(t *testing.T) {
	dir, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	keyring.MockInit()
	for name, s := range map[string]Secrets{"keychain": keychain{}, "files": files{dir}} {
		t.Run(name, func(t *testing.T) {
			if _, err := s.Get("anthropic"); !errors.Is(err, ErrNone) {
				t.Errorf("a key that isn't there: %v", err)
			}
			for _, key := range []string{"sk-ant-one", "sk-ant-two"} {
				if err := s.Set("anthropic", key); err != nil {
					t.Fatal(err)
				}
				if got, err := s.Get("anthropic"); got != key || err != nil {
					t.Errorf("%q, %v", got, err)
				}
			}
			for range 2 {
				if err := s.Delete("anthropic"); err != nil {
					t.Error(err)
				}
			}
			if _, err := s.Get("anthropic"); !errors.Is(err, ErrNone) {
				t.Errorf("a key that was removed: %v", err)
			}
			for _, bad := range []string{"", "../here/key", "A", "a/b", "a\x00"} {
				if _, err := s.Get(bad); err == nil || errors.Is(err, ErrNone) {
					t.Errorf("%q is a name: %v", bad, err)
				}
				if s.Set(bad, "x") == nil || s.Delete(bad) == nil {
					t.Errorf("%q is a name", bad)
				}
			}
			if s.Where() == "" {
				t.Error("it doesn't say where")
			}
		})
	}
}

func TestFilesAreForTheirOwner(t *testing.T) {
	dir, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := Files(dir).Set("openai", "x"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir.Path("secrets/openai"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

// Where the keychain answers with anything but yes, files are used, and it is said.
func TestNoKeychain(t *testing.T) {
	dir, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	keyring.MockInitWithError(errors.New("no bus"))
	defer keyring.MockInit()
	if s := Open(dir); s.Safe() {
		t.Error("a keychain that isn't there is used")
	}
	keyring.MockInit()
	if s := Open(dir); !s.Safe() {
		t.Error("a keychain that is there isn't used")
	}
}
