package mac

import (
	"errors"
	"testing"
	"time"

	"conch/driver"
)

func TestDialogAndItsButton(t *testing.T) {
	s := small()
	spec := win("Ask", 0, 0, blue)
	spec.Button = driver.ScreenRect{X: 10, Y: 10, W: 30, H: 10}
	spec.Field = driver.ScreenRect{X: 10, Y: 30, W: 30, H: 10}
	s.Open(t, spec)
	d := begun(t, s)
	for _, kind := range []string{"AXStandardWindow", "AXDialog", "AXSystemDialog"} {
		s.kind = kind
		dialog := kind != "AXStandardWindow"
		c, err := d.Control(t.Context(), driver.ScreenPoint{X: 15, Y: 15})
		if err != nil || c.Dialog != dialog || !c.Default || c.Name != "Press" {
			t.Errorf("%s: %+v, %v", kind, c, err)
		}
		f, err := d.Focus(t.Context())
		if err != nil || f.Control.Dialog != dialog || f.Control.Default || f.Default.Name != "Press" || f.Default.Role != "button" {
			t.Errorf("%s: %+v, %v", kind, f, err)
		}
	}
	if n := s.leaked(); n != 0 {
		t.Errorf("%d references are not given back", n)
	}
}

// hung is a Mac whose apps take all the time that they are given for each question, and don't answer.
type hung struct {
	*sim
	now  time.Time
	slow int // questions that still get an answer
}

func (h *hung) ask() error {
	h.now = h.now.Add(askPatience)
	if h.slow--; h.slow < 0 {
		return errBusy
	}
	return nil
}

func (h *hung) controlAt(pid int, at driver.ScreenPoint) (element, error) {
	if err := h.ask(); err != nil {
		return 0, err
	}
	return h.sim.controlAt(pid, at)
}

func (h *hung) focusedControl(pid int) (element, error) {
	if err := h.ask(); err != nil {
		return 0, err
	}
	return h.sim.focusedControl(pid)
}

func (h *hung) describe(e element) (rawControl, error) {
	if err := h.ask(); err != nil {
		return rawControl{}, err
	}
	return h.sim.describe(e)
}

// TestLookUpsAreBounded: however an app hangs, no look-up takes longer than its limit, and nothing is left behind.
func TestLookUpsAreBounded(t *testing.T) {
	for slow := range 5 {
		s := &hung{sim: small(), now: time.Unix(0, 0)}
		spec := win("A", 0, 0, blue)
		spec.Button, spec.Field = driver.ScreenRect{X: 10, Y: 10, W: 30, H: 10}, driver.ScreenRect{X: 10, Y: 30, W: 30, H: 10}
		s.Open(t, spec)
		s.Open(t, win("B", 50, 50, blue))
		d := newDriver(s, appFiles{}, Options{}, func() time.Time { return s.now })
		for name, ask := range map[string]func() error{
			"control": func() error { _, err := d.Control(t.Context(), driver.ScreenPoint{X: 15, Y: 15}); return err },
			"focus":   func() error { _, err := d.Focus(t.Context()); return err },
			"secrets": func() error { _, err := d.Secrets(t.Context()); return err },
		} {
			start := s.now
			s.slow = slow
			if err := ask(); err != nil && !errors.Is(err, driver.ErrNoControl) {
				t.Errorf("%s, %d answers: %v", name, slow, err)
			}
			if took := s.now.Sub(start); took > driver.LookUp {
				t.Errorf("%s, %d answers: took %v", name, slow, took)
			}
		}
		if n := s.leaked(); n != 0 {
			t.Errorf("%d references are not given back", n)
		}
	}
}

func TestSecretsAreKeptWhileTheScreenStays(t *testing.T) {
	var k secrets
	at := time.Unix(0, 0)
	field := []secret{{1, driver.ScreenRect{W: 5, H: 5}}}
	k.put(field, 3, at, true)
	if _, ok := k.get(3); ok {
		t.Error("an answer right after a change counts")
	}
	k.put(field, 3, at.Add(secretsLater), true)
	if got, ok := k.get(3); !ok || len(got) != 1 {
		t.Errorf("%v, %v", got, ok)
	}
	if _, ok := k.get(4); ok {
		t.Error("an answer from before a change counts")
	}
	k.put(nil, 3, at.Add(2*secretsLater), false)
	if _, ok := k.get(3); ok {
		t.Error("half an answer counts")
	}
	k.forget()
	if k.last() != nil {
		t.Error("something is kept after the end")
	}
}
