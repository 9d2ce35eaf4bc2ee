//go:build linux

package x11

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"conch/driver"
	"conch/driver/key"
	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"
)

func (k *desk) events(w *xfixture.Window) []xfixture.Event {
	k.t.Helper()
	evs, err := w.Events()
	if err != nil {
		k.t.Fatal(err)
	}
	return evs
}

func (k *desk) press(keys ...key.Key) {
	k.t.Helper()
	for _, down := range []bool{true, false} {
		for i := range keys {
			if !down {
				i = len(keys) - 1 - i
			}
			if err := k.d.Key(k.t.Context(), keys[i], down, driver.Anywhere); err != nil {
				k.t.Fatalf("Key %q down %t: %v", keys[i], down, err)
			}
		}
	}
}

// chord presses keys and returns what the last of them was to the window.
func (k *desk) chord(w *xfixture.Window, keys ...key.Key) xfixture.Event {
	k.t.Helper()
	if err := w.Forget(); err != nil {
		k.t.Fatal(err)
	}
	k.press(keys...)
	var last xfixture.Event
	until(k.t, func() string { return fmt.Sprint("the end of ", keys) }, func() bool {
		ups := 0
		for _, e := range k.events(w) {
			switch e.Kind {
			case "keydown":
				last = e
			case "keyup":
				ups++
			}
		}
		return ups >= len(keys)
	})
	return last
}

const (
	shiftBit   = 1
	lockBit    = 2
	controlBit = 4
	altBit     = 8
)

func TestKeysByTheActiveLayout(t *testing.T) {
	for _, c := range []struct {
		layout string
		group  int
		keys   []key.Key
		sym    uint32
		state  uint16
	}{
		{"us", 0, []key.Key{"a"}, 'a', 0},
		{"us", 0, []key.Key{"A"}, 'A', shiftBit},
		{"us", 0, []key.Key{key.Control, "a"}, 'a', controlBit},
		{"us", 0, []key.Key{key.Control, "+"}, '+', controlBit | shiftBit},
		{"us", 0, []key.Key{key.Control, key.Shift, "t"}, 'T', controlBit | shiftBit},
		{"us", 0, []key.Key{"Page_Down"}, 0xff56, 0},
		{"us", 0, []key.Key{"KP_Enter"}, 0xff8d, 0},
		{"us", 0, []key.Key{"F5"}, 0xffc2, 0},
		{"us", 0, []key.Key{key.Alt, "F4"}, 0xffc1, altBit},
		{"us", 0, []key.Key{"é"}, 0xe9, 0},
		{"us", 0, []key.Key{key.Control, "ж"}, 0x01000436, controlBit},
		{"de", 0, []key.Key{key.Control, "z"}, 'z', controlBit},
		{"de", 0, []key.Key{"@"}, '@', 0x80},
		{"fr", 0, []key.Key{key.Control, "1"}, '1', controlBit | shiftBit},
		{"us,ru", 1, []key.Key{key.Control, "c"}, 'c', controlBit},
		{"ru", 0, []key.Key{key.Control, "c"}, 'c', controlBit},
		{"ru", 0, []key.Key{"ф"}, 0x6c6, 0},
	} {
		t.Run(fmt.Sprint(c.layout, c.group, c.keys), func(t *testing.T) {
			k := newDesk(t, xserver.Options{Layout: c.layout})
			w := k.sink(xfixture.Spec{Ping: true})
			if c.group != 0 {
				k.d.hands.queue(k.d.hands.kb.Lock(0, 0, c.group))
				if err := k.d.hands.settle(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			got := k.chord(w, c.keys...)
			if got.Sym != c.sym || got.State != c.state {
				t.Errorf("the window got symbol %#x with %#x, want %#x with %#x", got.Sym, got.State, c.sym, c.state)
			}
			st, err := k.d.hands.kb.State(t.Context())
			if err != nil || st.Group != c.group {
				t.Errorf("the group is %d afterwards, was %d (%v)", st.Group, c.group, err)
			}
			k.release()
			k.nothingHeld()
		})
	}
}

func TestKeyWithCapsLockOn(t *testing.T) {
	k := newDesk(t, xserver.Options{Layout: "us"})
	w := k.sink(xfixture.Spec{})
	k.press("Caps_Lock")
	if got := k.chord(w, key.Control, "a"); got.Sym != 'a' || got.State != controlBit {
		t.Errorf("ctrl+a came as %#x with %#x", got.Sym, got.State)
	}
	if got := k.chord(w, "Return"); got.State != lockBit {
		t.Errorf("Caps Lock is off afterwards: %#x", got.State)
	}
	k.press("Caps_Lock")
	if got := k.chord(w, "Return"); got.State != 0 {
		t.Errorf("Caps Lock can't be switched off: %#x", got.State)
	}
}

func TestHeldKeysAreLiftedByRelease(t *testing.T) {
	k := newDesk(t, xserver.Options{Layout: "us"})
	w := k.sink(xfixture.Spec{Ping: true})
	ctx := t.Context()
	at := driver.ScreenPoint{X: 150, Y: 150}
	for _, do := range []func() error{
		func() error { return k.d.Move(ctx, at, driver.Anywhere) },
		func() error { return k.d.Button(ctx, driver.Left, true, driver.Anywhere) },
		func() error { return k.d.Key(ctx, key.Control, true, driver.Anywhere) },
		func() error { return k.d.Key(ctx, "A", true, driver.Anywhere) },
		func() error { return k.d.Key(ctx, "й", true, driver.Anywhere) },
		func() error { return k.d.Key(ctx, "A", true, driver.Anywhere) }, // again: still one press
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := k.d.Text(ctx, "x", driver.Anywhere); err == nil || n != 0 {
		t.Errorf("typed %d into held keys: %v", n, err)
	}
	for range 3 {
		k.release()
		k.nothingHeld()
	}
	k.text("ok")
	k.typed(w, "ok") // with Control down the sink takes no text
}

func TestWhatThePersonHoldsIsNotPressedInto(t *testing.T) {
	k := newDesk(t, xserver.Options{Layout: "us"})
	w := k.sink(xfixture.Spec{Ping: true})
	ctx := t.Context()
	refused := func(what string, want error) {
		t.Helper()
		for name, err := range map[string]error{
			"key":    k.d.Key(ctx, "a", true, driver.Anywhere),
			"button": k.d.Button(ctx, driver.Left, true, driver.Anywhere),
			"scroll": k.d.Scroll(ctx, 0, 1, driver.Anywhere),
		} {
			if !errors.Is(err, want) {
				t.Errorf("%s while the person holds %s: %v", name, what, err)
			}
		}
	}
	k.sh("xdotool", "keydown", "shift") // a person, as far as the server can tell
	refused("shift", driver.ErrHeldByPerson)
	if n, err := k.d.Text(ctx, "abc", driver.Anywhere); !errors.Is(err, driver.ErrHeldByPerson) || n != 0 {
		t.Errorf("typed %d: %v", n, err)
	}
	k.release()
	if out := k.sh("xinput", "query-state", "Virtual core XTEST keyboard"); !strings.Contains(out, "=down") {
		t.Error("Release lifted what it had not pressed")
	}
	k.sh("xdotool", "keyup", "shift", "mousemove", "150", "150", "mousedown", "3")
	if err := k.d.Button(ctx, driver.Left, true, driver.Anywhere); !errors.Is(err, driver.ErrHeldByPerson) {
		t.Errorf("button while the person holds one: %v", err)
	}
	k.sh("xdotool", "mouseup", "3")
	k.text("abc")
	k.typed(w, "abc")
}

func TestPointer(t *testing.T) {
	for _, c := range []struct{ name, mapping string }{{"plain", ""}, {"left-handed, natural scrolling", "3 2 1 5 4 7 6"}} {
		t.Run(c.name, func(t *testing.T) {
			k := newDesk(t, xserver.Options{Layout: "us"})
			if c.mapping != "" {
				k.sh("xmodmap", "-e", "pointer = "+c.mapping)
			}
			w := k.sink(xfixture.Spec{})
			ctx := t.Context()
			var want []string
			do := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			// A drag: every way point is an event of its own.
			do(k.d.Move(ctx, driver.ScreenPoint{X: 120.9, Y: 130}, driver.Anywhere))
			do(k.d.Button(ctx, driver.Left, true, driver.Anywhere))
			for i := range 20 {
				do(k.d.Move(ctx, driver.ScreenPoint{X: float64(121 + 3*i), Y: 131}, driver.Anywhere))
				want = append(want, fmt.Sprintf("motion 0 %d,131", 121+3*i))
			}
			do(k.d.Button(ctx, driver.Left, false, driver.Anywhere))
			do(k.d.Button(ctx, driver.Left, false, driver.Anywhere)) // once more: nothing
			want = append([]string{"motion 0 120,130", "press 1 120,130"}, append(want, "release 1 178,131")...)
			for _, b := range []driver.Button{driver.Middle, driver.Right} {
				do(k.d.Button(ctx, b, true, driver.Anywhere))
				do(k.d.Button(ctx, b, false, driver.Anywhere))
				want = append(want, fmt.Sprintf("press %d 178,131", b), fmt.Sprintf("release %d 178,131", b))
			}
			do(k.d.Scroll(ctx, -1, 2, driver.Anywhere))
			do(k.d.Scroll(ctx, 1, -1, driver.Anywhere))
			for _, b := range []int{5, 5, 6, 4, 7} {
				want = append(want, fmt.Sprintf("press %d 178,131", b), fmt.Sprintf("release %d 178,131", b))
			}
			var got []string
			until(t, func() string { return strings.Join(got, "; ") }, func() bool {
				got = nil
				for _, e := range k.events(w) {
					if e.Kind == "motion" || e.Kind == "press" || e.Kind == "release" {
						got = append(got, fmt.Sprintf("%s %d %d,%d", e.Kind, e.Button, e.RootX, e.RootY))
					}
				}
				return len(got) >= len(want)
			})
			if strings.Join(got, "; ") != strings.Join(want, "; ") {
				t.Errorf("got  %s\nwant %s", strings.Join(got, "; "), strings.Join(want, "; "))
			}
			for _, p := range []driver.ScreenPoint{{X: -1, Y: 5}, {X: 1280, Y: 5}, {X: 5, Y: 800}, {X: 1e300, Y: 0}} {
				if err := k.d.Move(ctx, p, driver.Anywhere); err == nil {
					t.Errorf("moved to %v, which is not on the screen", p)
				}
			}
			if err := k.d.Button(ctx, 9, true, driver.Anywhere); err == nil {
				t.Error("pressed button 9")
			}
			k.nothingHeld()
		})
	}
}

const holdEnv = "CONCH_X11_HOLD"

// holdForEver is a program with a driver that holds all sorts of things, says so, and waits to be killed.
func holdForEver(how string) {
	ctx := context.Background()
	o := Options{}
	if strings.Contains(how, "guard") {
		o.Guardian = []string{"/proc/self/exe", GuardianArg}
	}
	d, err := Open(ctx, o)
	if err == nil {
		err = errors.Join(
			d.Begin(ctx),
			d.Move(ctx, driver.ScreenPoint{X: 150, Y: 150}, driver.Anywhere),
			d.Button(ctx, driver.Left, true, driver.Anywhere),
		)
	}
	if err == nil && strings.Contains(how, "typing") {
		err = d.Button(ctx, driver.Left, false, driver.Anywhere)
		go func() { _, _ = d.Text(ctx, strings.Repeat("Ab Щж 漢字 éß€ ", 5000), driver.Anywhere) }()
	} else if err == nil {
		err = errors.Join(d.Key(ctx, key.Control, true, driver.Anywhere), d.Key(ctx, "Щ", true, driver.Anywhere))
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("holding")
	select {}
}

func TestNothingStaysHeldAfterAKill(t *testing.T) {
	if err := xserver.Have("xinput", "xkbcomp", "xset"); err != nil {
		xtest.Missing(t, err)
	}
	for _, how := range []string{"holding", "typing", "holding guard", "typing guard"} {
		for round := range 3 {
			t.Run(fmt.Sprint(how, round), func(t *testing.T) {
				k := newDesk(t, xserver.Options{Layout: "us"})
				k.sink(xfixture.Spec{Ping: true})
				k.sh("xdotool", "key", "Caps_Lock")
				before := k.sh("xkbcomp", k.x.Display(), "-")
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(k.x.Env(), holdEnv+"="+how)
				out, err := cmd.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				if line, err := bufio.NewReader(out).ReadString('\n'); line != "holding\n" {
					t.Fatalf("%q, %v", line, err)
				}
				if strings.Contains(how, "typing") { // another moment of it each time
					timer := time.NewTimer(time.Duration(20+37*round) * time.Millisecond)
					<-timer.C
				}
				if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
				_ = cmd.Wait()
				guarded := strings.Contains(how, "guard")
				if !guarded {
					k.open(Options{}) // the next start
				}
				until(t, func() string { return "the display is as it was" }, func() bool {
					return k.sh("xkbcomp", k.x.Display(), "-") == before &&
						strings.Contains(k.sh("xset", "q"), "Caps Lock:   on") &&
						!(guarded && strings.Contains(k.sh("xprop", "-root"), recordName(1)))
				})
				k.nothingHeld()
			})
		}
	}
}

func TestGuardianGoesWithAnOrderlyEnd(t *testing.T) {
	k := newDesk(t, xserver.Options{})
	d, err := Open(t.Context(), Options{Env: append(k.x.Env(), holdEnv+"="), Guardian: []string{"/proc/self/exe", GuardianArg}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // a guardian for each turn
		if err := d.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		g := d.hands.guard
		if g == nil {
			t.Fatal("no guardian")
		}
		if err := d.End(t.Context()); err != nil {
			t.Fatal(err)
		}
		if g.cmd.ProcessState == nil || !g.cmd.ProcessState.Success() {
			t.Errorf("the guardian ended as %v", g.cmd.ProcessState)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if out := k.sh("xprop", "-root"); strings.Contains(out, recordName(1)) {
		t.Errorf("its record is left: %s", out)
	}
	for _, args := range [][]string{nil, {"1"}, {"x", "y"}, {"-1", "5"}, {"99", "5"}} {
		if err := guardian(args); err == nil {
			t.Errorf("a guardian of %q", args)
		}
	}
}

func TestServerGoesWhileKeysAreHeld(t *testing.T) {
	k := newDesk(t, xserver.Options{Layout: "us"})
	k.sink(xfixture.Spec{})
	ctx := t.Context()
	if err := k.d.Key(ctx, key.Shift, true, driver.Anywhere); err != nil {
		t.Fatal(err)
	}
	if err := k.x.KillX(); err != nil {
		t.Fatal(err)
	}
	var gone *driver.Unready
	for name, err := range map[string]error{
		"key":     k.d.Key(ctx, "a", true, driver.Anywhere),
		"move":    k.d.Move(ctx, driver.ScreenPoint{}, driver.Anywhere),
		"release": k.d.Release(ctx),
	} {
		if !errors.As(err, &gone) || gone.Why != driver.WhyLost {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := k.d.Text(ctx, "abc", driver.Anywhere); !errors.As(err, &gone) {
		t.Errorf("text: %v", err)
	}
}

func FuzzRecord(f *testing.F) {
	r := record{window: 7, nonce: 9, state: &lockedState{2, 1}, lent: []lentCode{{93, 1, 2}}, touched: codes{50}, buttons: map[byte]byte{1: 3}}
	seed := request(0, 0, r.encode()...)[4:]
	f.Add(seed)
	f.Add(seed[:20])
	f.Fuzz(func(t *testing.T, b []byte) {
		var v []uint32
		for ; len(b) >= 4; b = b[4:] {
			v = append(v, u32(b, 0))
		}
		r, err := parseRecord(v)
		if err != nil {
			return
		}
		again, err := parseRecord(r.encode())
		if err != nil || fmt.Sprint(again.touched, again.lent, again.buttons) != fmt.Sprint(r.touched, r.lent, r.buttons) {
			t.Fatalf("%+v became %+v, %v", r, again, err)
		}
	})
}
