package confirm

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"

	"conch/gateway/access"
	"conch/gateway/access/keep"
)

// work is what a guess made Conch do.
type work struct {
	passes, memory uint32
	lanes          uint8
	size           uint32
}

// TestEveryWrongPasswordIsTheSameWork counts work instead of measuring time: whoever signs in learns neither whether
// there is a password, nor what is wrong with theirs, from how long an answer takes.
func TestEveryWrongPasswordIsTheSameWork(t *testing.T) {
	set := func(t *testing.T, text string) (*Confirm, *[]work) {
		t.Helper()
		home := t.TempDir()
		c, _ := open(t, home, nil)
		if text == "" {
			if err := c.SetPassword("page", good); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(filepath.Join(home, keep.Name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var done []work
		c.kdf = func(password, salt []byte, passes, memory uint32, lanes uint8, size uint32) []byte {
			done = append(done, work{passes, memory, lanes, size})
			return fast(password, salt, passes, memory, lanes, size)
		}
		return c, &done
	}
	want := work{hashPasses, hashMemory, hashLanes, hashSize}
	for name, file := range map[string]string{
		"one is set": "", "none is set": `{}`, "torn": `{"password":"$arg`, "newer": `{"version":9}`, "no hash": `{"password":"x"}`,
		"too costly": `{"password":"$argon2id$v=19$m=4294967295,t=3,p=4$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}`,
	} {
		for _, password := range []string{"", "wrong", strings.Repeat("x", passwordMax), strings.Repeat("x", passwordMax+1)} {
			c, done := set(t, file)
			from := netip.MustParseAddr("192.0.2.1")
			for _, try := range []func() error{
				func() error { return c.SignIn(from, password) }, func() error { return c.Password("s", from, password) },
			} {
				*done = nil
				if err := try(); !errors.Is(err, ErrWrong) {
					t.Errorf("%s: %v", name, err)
				}
				if len(*done) != 1 || (*done)[0] != want {
					t.Errorf("%s, %d characters: work %+v", name, len(password), *done)
				}
			}
			if c.Confirmed("s") {
				t.Errorf("%s: a wrong one confirms", name)
			}
		}
	}
	c, done := set(t, "")
	if err := c.SignIn(desk, good); err != nil || len(*done) != 1 || (*done)[0] != want {
		t.Errorf("the right one: %v, %+v", err, *done)
	}
}

// fast is a kdf for tests of everything else.
func fast(password, salt []byte, _, _ uint32, _ uint8, size uint32) []byte {
	return argon2.IDKey(password, salt, 1, 8, 1, size)
}

// TestGuessingIsThrottledBeforeItIsWork is about what a guess costs once there were too many.
func TestGuessingIsThrottledBeforeItIsWork(t *testing.T) {
	c, at := open(t, t.TempDir(), nil)
	if err := c.SetPassword("page", good); err != nil {
		t.Fatal(err)
	}
	n := 0
	c.kdf = func(p, s []byte, a, b uint32, l uint8, z uint32) []byte { n++; return fast(p, s, a, b, l, z) }
	from := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{203, 0, 113, byte(i)}) }
	for i := range 40 {
		for range 10 {
			_ = c.SignIn(from(i), "wrong")
		}
	}
	if n != access.LimitSignIns.All {
		t.Errorf("%d guesses were worked on, want %d", n, access.LimitSignIns.All)
	}
	if err := c.SignIn(from(99), good); !errors.Is(err, ErrWait) {
		t.Errorf("from a new address: %v", err)
	}
	if err := c.Password("page", desk, good); err != nil {
		t.Errorf("guessing elsewhere keeps the person from confirming here: %v", err)
	}
	at.at = at.at.Add(access.LimitSignIns.Window + time.Second)
	if err := c.SignIn(from(0), good); err != nil {
		t.Errorf("after the wait: %v", err)
	}
}

// TestOnePassword is about setting it, replacing it and dropping it.
func TestOnePassword(t *testing.T) {
	c, _ := open(t, t.TempDir(), nil)
	is := func(err, want error, what string) {
		t.Helper()
		if !errors.Is(err, want) || (want == nil) != (err == nil) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	is(c.Must("page"), ErrNoPassword, "without a password")
	is(c.SetPassword("page", good), nil, "set it")
	is(c.Must("page"), ErrNeeded, "set, not confirmed")
	is(c.Need("page"), nil, "and nothing else asks")
	is(c.SetPassword("page", "a better one"), ErrNeeded, "replace it, so as to confirm with another")
	is(c.TurnOn("page", "a better one"), ErrNeeded, "or so")
	is(c.Password("other", desk, good), nil, "confirm elsewhere")
	is(c.SetPassword("page", "a better one"), ErrNeeded, "that doesn't count here")
	is(errors.Join(c.Password("page", desk, good), c.SetPassword("page", "a better one")), nil, "replace it, confirmed")
	is(c.Must("page"), ErrNeeded, "confirmed with the old one")
	is(c.Password("page", desk, good), ErrWrong, "the old one")
	is(c.TurnOn("page", ""), nil, "ask from now on, with the one that is set")
	is(c.SetPassword("page", good), ErrNeeded, "replace it while it asks")
	is(c.TurnOff("page"), ErrNeeded, "turn off")
	is(c.Password("page", desk, "a better one"), nil, "confirm")
	is(c.Must("page"), nil, "confirmed")
	is(c.Must("other"), ErrNeeded, "another browser")
	is(c.TurnOff("page"), nil, "turn off, confirmed")
	is(c.Must("page"), ErrNeeded, "what always takes it still does")
	is(c.SetPassword("page", good), ErrNeeded, "nor is it replaced")
	is(c.SignIn(desk, "a better one"), nil, "devices still sign in")
}

// TestOnePasswordBesideTheSystem is a Mac: the system confirms, and devices sign in with the password.
func TestOnePasswordBesideTheSystem(t *testing.T) {
	c, _ := open(t, t.TempDir(), func(context.Context, string) error { return nil })
	if err := c.Must("page"); !errors.Is(err, ErrNeeded) {
		t.Errorf("not confirmed: %v", err)
	}
	if err := c.SetPassword("page", good); !errors.Is(err, ErrNeeded) {
		t.Errorf("set without the system: %v", err)
	}
	if err := errors.Join(c.Ask(t.Context(), "page", "x"), c.SetPassword("page", good)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.TurnOn("page", ""), c.Ask(t.Context(), "page", "x"), c.SetPassword("page", "another one")); err != nil {
		t.Error(err)
	}
	if err := errors.Join(c.Password("phone", desk, "another one"), c.Need("phone"), c.Must("phone")); err != nil {
		t.Errorf("a device confirms by the password: %v", err)
	}
}
