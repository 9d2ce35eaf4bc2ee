package mac

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"conch/driver"
)

// TestRefusedPicture takes a refusal from ScreenCaptureKit's code to the words of the page: macOS says that we may
// see, and refuses the picture.
func TestRefusedPicture(t *testing.T) {
	s := small()
	d := begun(t, s)
	look := func() error { _, err := d.Look(t.Context(), driver.Shot{}); return err }
	m := PermissionModel{Which: SeeScreen}.Next(Looked{Here: s.maySee(), Fresh: LookOn})
	learn := func() Granted {
		defer s.lock()()
		for _, told := range s.tried {
			if told.p != SeeScreen {
				t.Errorf("a picture told of %d", told.p)
			}
			m = m.Next(told.how)
		}
		s.tried = nil
		return m.State()
	}
	if err := look(); err != nil || learn() != On {
		t.Fatalf("a picture: %v, state %d", err, m.State())
	}
	s.onShot = func(int) error { return errDenied }
	var no *driver.Unready
	if err := look(); !errors.As(err, &no) || no.Why != driver.WhyPermission || learn() != Refused {
		t.Fatalf("a refused picture: %v, state %d", err, m.State())
	}
	w := SeeScreen.Say(m.State(), Identity{Name: "Conch", Ourselves: true})
	steps := strings.Join(w.Steps, " ")
	if !strings.Contains(w.Say, "as on and refuses it") || !strings.Contains(steps, "press −") || !strings.Contains(steps, "Press +") {
		t.Errorf("the page says %+v", w)
	}
	s.onShot = func(int) error { return errors.New("a fault of macOS") }
	if err := look(); err == nil || len(s.tried) != 0 {
		t.Errorf("a fault that is no refusal: %v, told %v", err, s.tried)
	}
	s.onShot = nil
	if err := look(); err != nil || learn() != On {
		t.Errorf("a picture after that: %v, state %d", err, m.State())
	}
	// Turned off: macOS says so itself, and there is nothing to learn.
	s.mu.Lock()
	s.see = false
	s.mu.Unlock()
	s.onShot = func(int) error { return errDenied }
	if err := look(); !errors.As(err, &no) || len(s.tried) != 0 {
		t.Errorf("switched off: %v, told %v", err, s.tried)
	}
}

// TestRefusedBegin: the stream that follows the screen is refused before any picture is.
func TestRefusedBegin(t *testing.T) {
	s := small()
	s.noWatch = errDenied
	d := s.driver()
	var no *driver.Unready
	if err := d.Begin(t.Context()); !errors.As(err, &no) || no.Why != driver.WhyPermission {
		t.Errorf("%v", err)
	}
	if want := []tell{{SeeScreen, Tried{Refused: true}}}; !slices.Equal(s.tried, want) {
		t.Errorf("told %v, want %v", s.tried, want)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestRefusedNames: accessibility refuses although it says that we are trusted, or because we aren't; an app that
// only doesn't answer says nothing of either.
func TestRefusedNames(t *testing.T) {
	for name, c := range map[string]struct {
		fails error
		click bool
		want  []tell
		next  string
	}{
		"refused":    {errDenied, true, []tell{{ClickAndType, Tried{Refused: true}}}, "with −"},
		"off":        {errDenied, false, nil, "Turn on Click and type"},
		"no answer":  {errBusy, true, nil, ""},
		"not there":  {errGone, true, nil, ""},
		"it is told": {nil, true, []tell{{ClickAndType, Tried{}}}, ""},
	} {
		s := small()
		w := win("A", 0, 0, blue)
		w.Button = w.Bounds
		s.Open(t, w)
		s.noNames, s.click = c.fails, c.click
		s.grow(map[element][]element{}, map[element]rawControl{1: {role: "AXWindow", bounds: w.Bounds}})
		d := s.driver()
		for what, ask := range map[string]func() error{
			"Control": func() error { _, err := d.Control(t.Context(), driver.ScreenPoint{X: 50, Y: 50}); return err },
			"Find":    func() error { _, err := d.Find(t.Context(), "save"); return err },
		} {
			s.tried = nil
			err := ask()
			if got := slices.Compact(s.tried); !slices.Equal(got, c.want) {
				t.Errorf("%s, %s: told %v, want %v (%v)", name, what, got, c.want, err)
			}
			var no *driver.Unready
			if errors.As(err, &no) != (c.next != "") || c.next != "" && (no.Why != driver.WhyPermission || !strings.Contains(no.Next, c.next)) {
				t.Errorf("%s, %s: %v, want %q in what to do", name, what, err, c.next)
			}
		}
	}
}
