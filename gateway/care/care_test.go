package care

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"conch/gateway/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// lamp is something that can be broken, and mended or not.
type lamp struct {
	broken, stuck bool
	tried         int
	err           error
}

func (l *lamp) check(id string) Check {
	return Check{ID: id, Title: "The lamp", Area: Repair, Run: func(context.Context) Finding {
		if !l.broken {
			return Finding{Level: OK, Say: "It shines."}
		}
		return Finding{Level: Bad, Say: "It is dark.", Fix: &Fix{Title: "Mend", Done: "The lamp shines again.", Do: func(context.Context) error {
			l.tried++
			if !l.stuck {
				l.broken = false
			}
			return l.err
		}}}
	}}
}

func TestAFixIsBelievedOnceItIsSeen(t *testing.T) {
	tests := map[string]struct {
		lamp  lamp
		fixed bool
		say   string
		err   error
	}{
		"works":                       {lamp: lamp{broken: true}, fixed: true, say: "The lamp shines again."},
		"says it worked and didn't":   {lamp: lamp{broken: true, stuck: true}, say: "That was tried and didn’t help. It is dark."},
		"fails":                       {lamp: lamp{broken: true, stuck: true, err: errors.New("/secret/path")}, say: "That couldn’t be done. It is dark."},
		"fails in words":              {lamp: lamp{broken: true, stuck: true, err: &Error{Say: "The ladder is gone."}}, say: "The ladder is gone."},
		"says it failed and it works": {lamp: lamp{broken: true, err: errors.New("x")}, fixed: true, say: "The lamp shines again."},
		"nothing is wrong":            {err: ErrNoFix},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := NewList(tt.lamp.check("lamp"))
			r, err := l.Fix(t.Context(), "lamp")
			if !errors.Is(err, tt.err) || r.Fixed != tt.fixed || r.Say != tt.say {
				t.Errorf("%+v, %v", r, err)
			}
			for _, id := range []string{"", "nothing", "lamp/x"} {
				if _, err := l.Fix(t.Context(), id); !errors.Is(err, ErrNoFix) {
					t.Errorf("%q is a fix: %v", id, err)
				}
			}
		})
	}
}

func TestRowsAreTakenOneByOne(t *testing.T) {
	all := []string{"a", "b"}
	broken := false
	c := Allowed("things", "Things", Things{
		List: func(context.Context) (out []Thing, err error) {
			if broken {
				return nil, errors.New("no list")
			}
			for _, id := range all {
				out = append(out, Thing{ID: id, Name: strings.ToUpper(id)})
			}
			return out, nil
		},
		Take: func(_ context.Context, id string) error {
			if id == "b" {
				broken = true // gone from the list, but only because there is none
				return nil
			}
			all = []string{"b"}
			return nil
		},
		None: "None.", Some: func(int) string { return "Some." }, Button: "Take back", Done: "%s was taken back.", Level: Info,
	})
	l := NewList(c)
	if r, err := l.Fix(t.Context(), "things/a"); err != nil || !r.Fixed || r.Say != "A was taken back." || r.ID != "things/a" {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := l.Fix(t.Context(), "things/b"); err != nil || r.Fixed {
		t.Errorf("what can't be seen counts as fixed: %+v, %v", r, err)
	}
}

func TestWhatCantBeLookedAtIsntFine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		l := NewList(
			Check{ID: "panics", Title: "P", Area: Repair, Run: func(context.Context) Finding { panic("typed words") }},
			Check{ID: "zero", Title: "Z", Area: Repair, Run: func(context.Context) Finding { return Finding{} }},
			Check{ID: "slow", Title: "S", Area: Repair, Run: func(ctx context.Context) Finding { <-ctx.Done(); return Finding{Level: Warn, Say: "Slow."} }},
			Check{ID: "hangs", Title: "H", Area: Repair, Run: func(context.Context) Finding { <-free; return Finding{Level: OK} }},
			Check{ID: "other", Title: "O", Area: Security, Run: func(context.Context) Finding { t.Error("of another list"); return Finding{} }},
		)
		begun := time.Now()
		got := l.Look(t.Context(), Repair)
		if took := time.Since(begun); took > 2*lookWithin {
			t.Errorf("it took %v", took)
		}
		want := []Level{Bad, Bad, Warn, Warn}
		for i, e := range got {
			if e.Level != want[i] || !e.Level.Wrong() || strings.Contains(e.Say, "typed") {
				t.Errorf("%s: %+v", e.ID, e)
			}
		}
		if again := l.Look(t.Context(), Repair); again[3].Level != Warn {
			t.Errorf("one that hangs: %+v", again[3])
		}
		close(free)
		synctest.Wait()
		if after := l.Look(t.Context(), Repair); after[3].Level != OK {
			t.Errorf("once it came back: %+v", after[3])
		}
	})
}

func TestWhatShowsRunsOnlyWhenAsked(t *testing.T) {
	ran, good := 0, false
	l := NewList(Check{ID: "panel", Title: "The panel", Area: Repair, Shows: true, Run: func(context.Context) Finding {
		if ran++; !good {
			return Finding{Level: Bad, Say: "Seen."}
		}
		return Finding{Level: OK, Say: "Unseen."}
	}})
	look := func() Entry { return l.Look(t.Context(), Repair)[0] }
	if e := look(); ran != 0 || e.Level != Info || e.Fix.Title != "Try now" {
		t.Errorf("it ran %d times: %+v", ran, e)
	}
	if r, err := l.Fix(t.Context(), "panel"); err != nil || r.Fixed || r.Say != "That was tried and didn’t help. Seen." || ran != 1 {
		t.Errorf("%+v, %v, ran %d times", r, err, ran)
	}
	if e := look(); ran != 1 || e.Level != Bad || e.Fix.Title != "Try again" {
		t.Errorf("it isn't remembered: %+v", e)
	}
	good = true
	if r, _ := l.Repair(t.Context(), func(Progress) {}); len(r) != 0 || ran != 2 || look().Level != OK {
		t.Errorf("%+v, ran %d times", r, ran)
	}
}

func TestRepairDoesAllThatCanBeDone(t *testing.T) {
	works, stuck, fine := &lamp{broken: true}, &lamp{broken: true, stuck: true}, &lamp{}
	good := Check{ID: "good-to-know", Title: "G", Area: Repair, Run: func(context.Context) Finding {
		return Finding{Level: Info, Fix: &Fix{Title: "x", Do: func(context.Context) error { t.Error("what isn't wrong was fixed"); return nil }}}
	}}
	security := Check{ID: "s", Title: "S", Area: Security, Run: func(context.Context) Finding {
		return Finding{Level: Bad, Fix: &Fix{Title: "x", Do: func(context.Context) error { t.Error("of the other list"); return nil }}}
	}}
	l := NewList(works.check("works"), stuck.check("stuck"), fine.check("fine"), good, security)
	var steps []string
	results, after := l.Repair(t.Context(), func(p Progress) {
		if p.Total != 4 || p.Done != len(steps) {
			t.Errorf("step %+v", p)
		}
		steps = append(steps, p.Now)
	})
	if len(results) != 2 || !results[0].Fixed || results[1].Fixed || len(steps) != 4 {
		t.Errorf("%+v after %v", results, steps)
	}
	if len(after) != 4 || after[0].Level != OK || after[1].Level != Bad || fine.tried != 0 {
		t.Errorf("afterwards %+v", after)
	}
	if sorted := Worst(after); sorted[0].ID != "stuck" || after[0].ID != "works" {
		t.Errorf("sorted %+v", sorted)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	works.broken = true
	if results, _ := l.Repair(ctx, func(Progress) {}); len(results) != 0 || works.tried != 1 {
		t.Errorf("after its end it went on: %+v", results)
	}
}

func TestNoCheckTwice(t *testing.T) {
	for name, checks := range map[string][]Check{
		"twice":   {(&lamp{}).check("a"), (&lamp{}).check("a")},
		"no id":   {(&lamp{}).check("")},
		"slash":   {(&lamp{}).check("a/b")},
		"no area": {{ID: "a", Title: "A", Run: func(context.Context) Finding { return Finding{} }}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: taken", name)
				}
			}()
			NewList(checks...)
		}()
	}
}

// TestNotSeenIsNotFixed has a check that can't be looked at once its fix was done, though it looks better than before.
func TestNotSeenIsNotFixed(t *testing.T) {
	for name, after := range map[string]Finding{
		"unknown":      {Level: Info, Say: "A chat uses it.", Unknown: true},
		"unknown, ok":  {Level: OK, Unknown: true},
		"only better":  {Level: Info, Say: "There is none here."},
		"panics after": {},
	} {
		done := false
		l := NewList(Check{ID: "a", Title: "A", Area: Repair, Run: func(context.Context) Finding {
			switch {
			case !done:
				fix := &Fix{Title: "x", Done: "Done.", Do: func(context.Context) error { done = true; return nil }}
				return Finding{Level: Bad, Fix: fix, Rows: []Row{{ID: "r", Title: "R", Fix: fix}}}
			case name == "panics after":
				panic("x")
			}
			return after
		}})
		for _, id := range []string{"a", "a/r"} {
			done = false
			r, err := l.Fix(t.Context(), id)
			if want := name == "only better" && id == "a/r"; err != nil || r.Fixed != want {
				t.Errorf("%s, %s: %+v, %v", name, id, r, err)
			}
		}
	}
}
