package mac

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// world is a Mac's own list of permissions, with what goes wrong there.
type permWorld struct {
	listed bool // System Settings shows Conch on
	honest bool // and macOS keeps to it (not so after another build signed ad hoc)
	known  bool // what this process was told at its start (See the screen)
}

func (w permWorld) works() bool { return w.listed && w.honest }

// TestPermissionStates drives a model with what Conch would learn from a Mac on which anything may happen in any
// order: it never says On when macOS refuses, tells Off from refused whenever there is a sign of it, and a look
// always leads out of what is over.
func TestPermissionStates(t *testing.T) {
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 5))
		which := Permission(r.IntN(2))
		w := permWorld{honest: true}
		m := PermissionModel{Which: which}
		if m.State() != Off {
			t.Fatal("without a look it isn't off")
		}
		here := func() bool {
			if which == SeeScreen {
				return w.known
			}
			return w.works()
		}
		fresh := func() Look {
			if w.works() {
				return LookOn
			}
			return LookOff
		}
		look := func() { m = m.Next(Looked{Here: here(), Fresh: fresh()}) }
		for step := range 30 {
			switch r.IntN(8) {
			case 0:
				w.listed = !w.listed
				if w.listed {
					w.honest = true // added anew
				}
			case 1:
				w.honest = false // another build
			case 2: // reopened; what was believed is kept beside the program
				believed := m.Believed
				w.known = w.works()
				m = PermissionModel{Which: which}
				if believed && r.IntN(2) == 0 {
					m = m.Next(Believed{})
				}
			case 3: // used
				if m.Here {
					m = m.Next(Tried{Refused: !w.works()})
				}
			case 4:
				m = m.Next(Removed{})
				w.listed = false
			case 5:
				m = m.Next(Looked{Here: here(), Fresh: NoLook}) // the child could not be started
				if m.State() == AfterReopen || m.State() == Refused && !m.Failed {
					t.Fatalf("seed %d, step %d: %+v is %d without a fresh look", seed, step, m, m.State())
				}
			case 6:
				m = m.Next(Believed{})
			default:
			}
			look()
			s := m.State()
			switch {
			case s == On && !here():
				t.Fatalf("seed %d, step %d: on, and this process hears no: %+v", seed, step, m)
			case s == AfterReopen && (which != SeeScreen || !w.works() || here()):
				t.Fatalf("seed %d, step %d: on after reopening, and it is not: %+v, %+v", seed, step, m, w)
			case s == Refused && w.works() && !m.Failed:
				t.Fatalf("seed %d, step %d: refused, and it works: %+v", seed, step, m)
			case s == Off && w.works() && which == ClickAndType && !m.Failed:
				t.Fatalf("seed %d, step %d: off, and it works: %+v", seed, step, m)
			case m.Failed && s != Refused:
				t.Fatalf("seed %d, step %d: a failed try is %d", seed, step, s)
			}
			if w := which.Say(s, Identity{Name: "Conch", Ourselves: true}); w.Say == "" || (w.Button == "") != (s == On || s == AfterReopen) {
				t.Fatalf("state %d says %+v", s, w)
			}
		}
		// What works, and was tried, is on.
		w.listed, w.honest, w.known = true, true, true
		look()
		if m = m.Next(Tried{}); m.State() != On {
			t.Fatalf("seed %d: it was used and isn't on: %+v", seed, m)
		}
	}
}

func TestPermissionStory(t *testing.T) {
	see := PermissionModel{Which: SeeScreen}
	for i, c := range []struct {
		e    PermissionEvent
		want Granted
	}{
		{Looked{Fresh: LookOff}, Off},
		{Looked{Fresh: LookOn}, AfterReopen},
		{Looked{Fresh: NoLook}, Off}, // nobody could look: nothing is claimed
		{Looked{Fresh: LookOn}, AfterReopen},
		{Looked{Fresh: LookOff}, Refused}, // it was on a moment ago
		{Removed{}, Off},
		{Looked{Fresh: LookOff}, Off},
		{Believed{}, Refused},
		{Looked{Here: true, Fresh: LookOn}, On},
		{Tried{Refused: true}, Refused},
		{Looked{Here: true, Fresh: LookOn}, Refused}, // macOS says yes and did no
		{Tried{}, On},
	} {
		if see = see.Next(c.e); see.State() != c.want {
			t.Fatalf("step %d, %#v: %d, want %d (%+v)", i, c.e, see.State(), c.want, see)
		}
	}
}

// FuzzReadLook: only the words themselves are a look.
func FuzzReadLook(f *testing.F) {
	for _, s := range []string{"", "see true\nclick false\n", "see maybe", "see true", "click true\nsee", strings.Repeat("see true\n", 999), "see true \n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		see, click := readLook(strings.NewReader(s))
		for word, got := range map[string]Look{"see": see, "click": click} {
			if got == LookOn && !strings.Contains(s, word+" true") || got == LookOff && !strings.Contains(s, word+" false") {
				t.Fatalf("%q: %s is %d", s, word, got)
			}
		}
	})
}

func TestLookRoundTrip(t *testing.T) {
	for _, c := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
		var b bytes.Buffer
		if err := writeLook(&b, c[0], c[1]); err != nil {
			t.Fatal(err)
		}
		want := func(on bool) Look {
			if on {
				return LookOn
			}
			return LookOff
		}
		if see, click := readLook(&b); see != want(c[0]) || click != want(c[1]) {
			t.Errorf("%v came back as %d, %d", c, see, click)
		}
	}
}

func TestSettingsPages(t *testing.T) {
	for p, want := range map[Permission]string{
		SeeScreen:    "x-apple.systempreferences:com.apple.preference.security?Privacy_ScreenCapture",
		ClickAndType: "x-apple.systempreferences:com.apple.preference.security?Privacy_Accessibility",
	} {
		if got := p.SettingsPage(); got != want {
			t.Errorf("%d is %s", p, got)
		}
	}
}
