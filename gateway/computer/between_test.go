package computer

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"conch/driver"
	"conch/driver/fake"
)

// harm leaves out of some events those that only lift what was pressed elsewhere: they do nothing, and not lifting
// would.
func harm(all []fake.Event) []fake.Event {
	return slices.DeleteFunc(all, func(e fake.Event) bool {
		return !e.Down && (e.Kind == fake.Keyed || e.Kind == fake.Pressed)
	})
}

// Whatever comes in between, in the very moment when an event was judged and is about to go out: it isn't clicked and
// not typed into, the step stops and says so, and nothing is held.
func TestNothingComesBetween(t *testing.T) {
	first := newRig(t, desk)
	first.must(`{"action":"screenshot"}`)
	frame := first.session("a").frame
	for what, c := range map[string]struct {
		lines string
		into  driver.WindowID // what must not get anything
	}{
		"a password manager":            {"move 3 80,80 800x600\nfront 3", 3},
		"an app that wasn't asked for":  {"move 2 80,80 800x600\nfront 2", 2},
		"the keys go to another window": {"focus 3", 3},
		"the person moves the pointer":  {"pointer 950,250", 3},
	} {
		t.Run(what, func(t *testing.T) {
			for _, args := range steps {
				places, stopped := 0, 0
				for n := 1; n < 60; n++ {
					came, failed := false, false
					synctest.Test(t, func(t *testing.T) { came, failed = slipIn(t, frame, args, c.lines, c.into, n) })
					if !came {
						break
					}
					places++
					if failed {
						stopped++
					}
				}
				if places < 2 || stopped == 0 && !strings.HasPrefix(c.lines, "focus") && !strings.HasPrefix(c.lines, "pointer") {
					t.Errorf("%s: stopped at %d of %d places", args, stopped, places)
				}
			}
		})
	}
}

// slipIn does a step, and lets something happen right before the n-th event.
func slipIn(t *testing.T, frame driver.Frame, args, lines string, into driver.WindowID, n int) (came, failed bool) {
	wire := &tripwire{before: true, n: n}
	r := newRig(t, desk, func(c *Config) {
		wire.Driver = c.Driver
		c.Driver = wire
	})
	r.changeSession("a", func(k *session) { k.frame, k.seen = frame, true })
	wire.trip = func() { came = true; r.apply(lines) }
	res := r.say(args)
	if in := harm(r.d.Landed(into)); len(in) > 0 {
		t.Errorf("%s, at event %d: %v landed in window %d", args, n, in, into)
	}
	if came && res.Failed && !strings.Contains(res.Text, "another window") && !strings.Contains(res.Text, "Another window") && !strings.Contains(res.Text, "password") {
		t.Errorf("%s, at event %d: %s", args, n, res.Text)
	}
	r.EndTurn("a1")
	r.clean()
	return came, res.Failed
}
