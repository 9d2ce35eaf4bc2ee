package confirm

import (
	"context"
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/gateway/access"
	"conch/gateway/access/keep"
	"conch/gateway/state"

	"golang.org/x/crypto/argon2"
)

type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func open(t *testing.T, home string, prompt Prompt) (*Confirm, *clock) {
	t.Helper()
	d, err := state.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	c := &clock{time.Unix(1_800_000_000, 0)}
	confirm := New(keep.Open(d, nil), prompt, c.now)
	confirm.kdf = fast
	return confirm, c
}

var desk = netip.MustParseAddr("127.0.0.1")

const good = "correct horse"

func TestPassword(t *testing.T) {
	home := t.TempDir()
	c, at := open(t, home, nil)
	c.kdf = argon2.IDKey // as it runs
	if err := c.Need("page"); err != nil {
		t.Errorf("asked though it is off: %v", err)
	}
	if err := c.Password("page", desk, ""); !errors.Is(err, ErrWrong) {
		t.Errorf("a password before one is set: %v", err)
	}
	var short *PasswordError
	if err := c.TurnOn("page", "short"); !errors.As(err, &short) {
		t.Errorf("a short one: %v", err)
	}
	if err := c.TurnOn("page", good); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(home, keep.Name))
	if err != nil || strings.Contains(string(text), good) || !strings.Contains(string(text), "$argon2id$v=19$m=65536,t=3,p=4$") {
		t.Errorf("the file: %s, %v", text, err)
	}
	need := func(session string, want error, when string) {
		t.Helper()
		if err := c.Need(session); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", when, err, want)
		}
	}
	need("page", ErrNeeded, "just set")
	if err := c.Password("page", desk, good+" "); !errors.Is(err, ErrWrong) {
		t.Errorf("a wrong one: %v", err)
	}
	if err := c.Password("page", desk, good); err != nil {
		t.Fatal(err)
	}
	need("page", nil, "confirmed")
	need("another", ErrNeeded, "another browser")
	need("", ErrNeeded, "nobody")
	at.at = at.at.Add(Lasts - time.Second)
	need("page", nil, "after nearly ten minutes")
	at.at = at.at.Add(time.Second)
	need("page", ErrNeeded, "after ten minutes")
	at.at = at.at.Add(-24 * time.Hour)
	need("page", ErrNeeded, "with the clock set back")

	for _, f := range []func() error{
		func() error { return c.TurnOff("page") }, func() error { return c.TurnOn("page", "another password") },
		func() error { return c.TurnOff("") },
	} {
		if err := f(); !errors.Is(err, ErrNeeded) {
			t.Errorf("changed without confirming: %v", err)
		}
	}
	if err := errors.Join(c.Password("page", desk, good), c.TurnOff("page")); err != nil {
		t.Fatal(err)
	}
	need("page", nil, "off again")
}

func TestWrongPasswordsWait(t *testing.T) {
	c, at := open(t, t.TempDir(), nil)
	if err := c.TurnOn("page", good); err != nil {
		t.Fatal(err)
	}
	for range access.LimitConfirms.Each {
		if err := c.Password("page", desk, "wrong"); !errors.Is(err, ErrWrong) {
			t.Fatal(err)
		}
	}
	if err := c.Password("another", desk, good); !errors.Is(err, ErrWait) {
		t.Errorf("after %d wrong ones: %v", access.LimitConfirms.Each, err)
	}
	at.at = at.at.Add(access.LimitConfirms.Window + time.Second)
	if err := c.Password("page", desk, good); err != nil {
		t.Errorf("after the wait: %v", err)
	}
}

func TestSystem(t *testing.T) {
	var reasons []string
	answer := error(nil)
	c, _ := open(t, t.TempDir(), func(_ context.Context, reason string) error {
		reasons = append(reasons, reason)
		return answer
	})
	if err := c.TurnOn("page", ""); err != nil {
		t.Fatal(err)
	}
	if how, err := c.How(); how != BySystem || err != nil {
		t.Fatal(how, err)
	}
	if err := c.Password("page", desk, good); !errors.Is(err, ErrWrong) {
		t.Errorf("a password: %v", err)
	}
	answer = errors.New("cancelled")
	if err := c.Ask(t.Context(), "page", "use Full trust"); !errors.Is(err, answer) || c.Need("page") == nil {
		t.Errorf("cancelled: %v", err)
	}
	answer = nil
	if err := c.Ask(t.Context(), "page", "use Full trust"); err != nil || c.Need("page") != nil || reasons[1] != "use Full trust" {
		t.Errorf("confirmed: %v, %q", err, reasons)
	}
}

// A file that can't be read, or says something unknown, is no way around.
func TestBadFiles(t *testing.T) {
	for name, text := range map[string]string{
		"torn": `{"confirm":"pass`, "newer": `{"version":9}`, "no hash": `{"confirm":"password"}`,
		"odd way": `{"confirm":"whatever"}`, "costly": `{"confirm":"password","password":"$argon2id$v=19$m=4294967295,t=3,p=4$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA"}`,
	} {
		home := t.TempDir()
		c, _ := open(t, home, nil)
		if err := os.WriteFile(filepath.Join(home, keep.Name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if c.Need("page") == nil || c.Password("page", desk, "") == nil || c.Password("page", desk, good) == nil || c.Need("page") == nil {
			t.Errorf("%s: there is a way around", name)
		}
	}
}

// In whatever order: who may widen has confirmed in the last ten minutes from that browser, or nothing is asked.
func TestAtRandom(t *testing.T) {
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		yes := false
		c, at := open(t, t.TempDir(), func(context.Context, string) error {
			if yes {
				return nil
			}
			return errors.New("no")
		})
		on, last := false, map[string]time.Time{}
		for range 60 {
			who := string(rune('a' + rnd.IntN(3)))
			yes = rnd.IntN(2) == 0
			may := !on || (!last[who].IsZero() && at.at.Sub(last[who]) < Lasts)
			switch rnd.IntN(4) {
			case 0:
				at.at = at.at.Add(time.Duration(rnd.IntN(8)) * time.Minute)
				continue
			case 1:
				if c.Ask(t.Context(), who, "x") == nil {
					last[who] = at.at
				}
				continue
			case 2:
				if (c.TurnOn(who, "") == nil) != may {
					t.Fatalf("seed %d: turned on by %s, who may: %v", seed, who, may)
				}
				if may {
					on = true
					clear(last)
				}
			case 3:
				if (c.TurnOff(who) == nil) != may {
					t.Fatalf("seed %d: turned off by %s, who may: %v", seed, who, may)
				}
				if may {
					on = false
					clear(last)
				}
			}
			may = !on || (!last[who].IsZero() && at.at.Sub(last[who]) < Lasts)
			if (c.Need(who) == nil) != may {
				t.Fatalf("seed %d: %s may: %v", seed, who, may)
			}
		}
	}
}

// FuzzFits: no text but a hash of ours fits anything, and what it asks of the work is bounded. The work itself is left
// out here, since it is slow on purpose.
func FuzzFits(f *testing.F) {
	f.Add("$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA", "x")
	f.Add("$argon2id$v=19$m=4294967295,t=4294967295,p=255$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "x")
	f.Add("$$$$$", "")
	f.Fuzz(func(t *testing.T, text, password string) {
		cheap := func(password, salt []byte, passes, memory uint32, lanes uint8, size uint32) []byte {
			if passes < 1 || passes > mostPasses || memory > mostMemory || lanes < 1 || len(salt) > 64 || len(password) > passwordMax || size != hashSize {
				t.Fatalf("%q asks for %d passes over %d KiB in %d lanes", text, passes, memory, lanes)
			}
			sum := sha256.Sum256(append(append([]byte{}, password...), salt...))
			return sum[:size]
		}
		if ok, _ := fits(cheap, text, password); ok && !strings.HasPrefix(text, "$argon2id$v=19$") {
			t.Errorf("%q fits %q", password, text)
		}
	})
}
