package care

import (
	"context"
	"errors"
	"testing"

	"conch/driver"
)

// machine is a computer whose every part can be broken and put right, or not.
type machine struct {
	ready       error
	left, stuck int
	seen        error
	keys, why   string
	names       error
	err         error // of looking
	heals       bool
}

func (m *machine) Ready(context.Context) error       { return m.ready }
func (m *machine) Left(context.Context) (int, error) { return m.left, m.err }
func (m *machine) Test(context.Context) error        { return m.seen }
func (m *machine) Answer(context.Context) error      { return m.names }

func (m *machine) StopKey(context.Context) (keys, why string, err error) { return m.keys, m.why, m.err }
func (m *machine) Stuck(context.Context) (int, error)                    { return m.stuck, m.err }

func (m *machine) heal(f func()) error {
	if m.heals {
		f()
	}
	return nil
}
func (m *machine) Wake(context.Context) error  { return m.heal(func() { m.ready = nil }) }
func (m *machine) Clear(context.Context) error { return m.heal(func() { m.left = 0 }) }
func (m *machine) Lift(context.Context) error  { return m.heal(func() { m.stuck = 0 }) }
func (m *machine) Again(context.Context) error { return m.heal(func() { m.names = nil }) }

func (m *machine) platform(busy bool) Platform {
	return Platform{Screen: m, Left: m, Test: m, Stop: m, Hands: m, Names: m, Busy: func() bool { return busy }}
}

func TestPlatformChecks(t *testing.T) {
	gone := &driver.Unready{Why: driver.WhyNoDisplay, Say: "There is no screen here."}
	other := errors.New("x")
	tests := map[string]struct {
		m    machine
		busy bool
		id   string
		want Level
		fix  bool
	}{
		"screen":                {m: machine{}, id: "screen", want: OK},
		"screen asleep":         {m: machine{ready: &driver.Unready{Why: driver.WhyAsleep, Say: "Asleep."}}, id: "screen", want: Warn, fix: true},
		"screen locked":         {m: machine{ready: &driver.Unready{Why: driver.WhyLocked, Say: "Locked."}}, id: "screen", want: Warn},
		"screen unknown":        {m: machine{ready: other}, id: "screen", want: Warn},
		"edge":                  {m: machine{}, id: "edge-left", want: OK},
		"edge left":             {m: machine{left: 2}, id: "edge-left", want: Bad, fix: true},
		"edge, no screen":       {m: machine{err: gone}, id: "edge-left", want: Info},
		"edge, it fails":        {m: machine{err: other}, id: "edge-left", want: Warn},
		"edge while in use":     {m: machine{left: 2}, busy: true, id: "edge-left", want: Info},
		"stop key":              {m: machine{keys: "Super+Esc"}, id: "stop-key", want: OK},
		"stop key, another":     {m: machine{keys: "Ctrl+Super+Esc", why: "Another program has it."}, id: "stop-key", want: Warn},
		"stop key, none":        {m: machine{why: "No Esc."}, id: "stop-key", want: Bad},
		"stop key while in use": {m: machine{keys: "Super+Esc"}, busy: true, id: "stop-key", want: OK},
		"held":                  {m: machine{}, id: "held", want: OK},
		"held, one":             {m: machine{stuck: 1}, id: "held", want: Bad, fix: true},
		"held while in use":     {m: machine{stuck: 1}, busy: true, id: "held", want: Info},
		"names":                 {m: machine{}, id: "names", want: OK},
		"names, no bus":         {m: machine{names: ErrNever}, id: "names", want: Info},
		"names, lost":           {m: machine{names: other}, id: "names", want: Warn, fix: true},
		"names, no screen":      {m: machine{names: gone}, id: "names", want: Info},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := tt.m
			l := NewList(m.platform(tt.busy).Checks()...)
			var f Finding
			for _, e := range l.Look(t.Context(), Repair) {
				if e.ID == tt.id {
					f = e.Finding
				}
			}
			if f.Level != tt.want || (f.Fix != nil) != tt.fix || f.Say == "" {
				t.Fatalf("%+v", f)
			}
			if !tt.fix {
				return
			}
			if r, err := l.Fix(t.Context(), tt.id); err != nil || r.Fixed {
				t.Errorf("what doesn't heal is called fixed: %+v, %v", r, err)
			}
			m.err, m.ready = other, other // nothing can be told any more
			if tt.id == "names" {
				m.names = other
			}
			if r, err := l.Fix(t.Context(), tt.id); !errors.Is(err, ErrNoFix) && r.Fixed {
				t.Errorf("what can't be seen is called fixed: %+v, %v", r, err)
			}
			m = tt.m
			m.heals = true
			if r, err := l.Fix(t.Context(), tt.id); err != nil || !r.Fixed {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

func TestPictureTest(t *testing.T) {
	for name, tt := range map[string]struct {
		m     machine
		busy  bool
		fixed bool
		want  Level
	}{
		"left out":  {fixed: true, want: OK},
		"seen":      {m: machine{seen: errors.New("seen")}, want: Bad},
		"no screen": {m: machine{seen: &driver.Unready{Why: driver.WhyLocked}}, want: Info},
		"in use":    {busy: true, want: Info},
	} {
		m := tt.m
		l := NewList(m.platform(tt.busy).test())
		r, err := l.Fix(t.Context(), "edge-test")
		if got := l.Look(t.Context(), Repair)[0]; err != nil || r.Fixed != tt.fixed || got.Level != tt.want {
			t.Errorf("%s: %+v, %v, then %+v", name, r, err, got)
		}
	}
}

// TestNoPartNoCheck has a platform that can't tell leave the check out rather than call it fine.
func TestNoPartNoCheck(t *testing.T) {
	if checks := (Platform{}).Checks(); len(checks) != 0 {
		t.Errorf("%d checks of nothing", len(checks))
	}
}
