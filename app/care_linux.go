package main

import (
	"context"
	"errors"
	"strings"

	"conch/driver/x11"
	"conch/driver/x11/xserver"
	"conch/gateway/care"
	"conch/overlay"
	overlayx11 "conch/overlay/x11"
)

// platformOf is what repair can look at on X11.
func platformOf(s *screen) care.Platform {
	t := tended{s}
	return care.Platform{
		Screen: tendedScreen{t}, Left: tendedLeft{t}, Test: tendedTest{t}, Stop: tendedStop{t}, Hands: tendedHands{t}, Names: tendedNames{t},
	}
}

// The parts of a screen that repair looks at on X11, each of the one that is open now.
type (
	tendedScreen struct{ tended }
	tendedLeft   struct{ tended }
	tendedStop   struct{ tended }
	tendedHands  struct{ tended }
	tendedNames  struct{ tended }
)

func (t tendedScreen) Ready(ctx context.Context) error { return t.screen.Ready(ctx) }

func (t tendedScreen) Wake(ctx context.Context) error {
	return doMends(ctx, t.tended, func(m mends) error { return m.wake(ctx) })
}

func (t tendedLeft) Left(ctx context.Context) (int, error) {
	return withMends(ctx, t.tended, func(m mends) (int, error) { return m.left.Left(ctx) })
}

func (t tendedLeft) Clear(ctx context.Context) error {
	return doMends(ctx, t.tended, func(m mends) error { return m.left.Clear(ctx) })
}

func (t tendedStop) StopKey(ctx context.Context) (keys, why string, err error) {
	type answer struct{ keys, why string }
	got, err := withMends(ctx, t.tended, func(m mends) (a answer, err error) {
		a.keys, a.why, err = m.stop(ctx)
		return a, err
	})
	return got.keys, got.why, err
}

func (t tendedHands) Stuck(ctx context.Context) (int, error) {
	return withMends(ctx, t.tended, func(m mends) (int, error) { return m.hands.Stuck(ctx) })
}

func (t tendedHands) Lift(ctx context.Context) error {
	return doMends(ctx, t.tended, func(m mends) error { return m.hands.Lift(ctx) })
}

func (t tendedNames) Answer(ctx context.Context) error {
	return doMends(ctx, t.tended, func(m mends) error { return m.names.Answer(ctx) })
}

func (t tendedNames) Again(ctx context.Context) error {
	return doMends(ctx, t.tended, func(m mends) error { return m.names.Again(ctx) })
}

// x11Mends are those of an opened X11 display.
func x11Mends(d *x11.Driver, painter *overlayx11.Desktop) mends {
	return mends{
		left: x11Left{painter}, hands: d, names: x11Names{d}, wake: d.Wake,
		test: func(ctx context.Context) error { return overlay.SelfTest(ctx, painter, d) },
		stop: func(ctx context.Context) (keys, why string, err error) {
			held, err := painter.TryKey(ctx)
			return held.Key, held.Why, err
		},
	}
}

type x11Left struct{ painter *overlayx11.Desktop }

func (l x11Left) Left(ctx context.Context) (int, error) { return l.painter.Left(ctx) }
func (l x11Left) Clear(ctx context.Context) error       { return l.painter.ClearLeft(ctx) }

type x11Names struct{ driver *x11.Driver }

func (n x11Names) Answer(ctx context.Context) error { return never(n.driver.NamesAnswer(ctx)) }
func (n x11Names) Again(ctx context.Context) error  { return never(n.driver.NamesAgain(ctx)) }

func never(err error) error {
	if errors.Is(err, x11.ErrNoBus) {
		return care.ErrNever
	}
	return err
}

// desktopChecks says whether a practice desktop can be had.
func desktopChecks(practice bool) []care.Check {
	return []care.Check{{ID: "practice", Title: "The practice desktop", Area: care.Repair, Run: func(context.Context) care.Finding {
		missing := missingPackages(practicePrograms())
		switch {
		case len(missing) == 0:
			return care.Finding{Level: care.OK, Say: "All that it needs is installed."}
		case practice:
			return care.Finding{Level: care.Warn, Say: "Parts of it are missing. On Debian: apt-get install " + strings.Join(missing, " ") + "."}
		}
		return care.Finding{Level: care.Info, Say: "It isn’t there yet. If you want one, on Debian: apt-get install " + strings.Join(missing, " ") + "."}
	}}}
}

// practicePrograms is what a practice desktop is made of.
func practicePrograms() []string {
	programs := append([]string(nil), practiceNeeds...)
	for _, app := range practiceApps {
		programs = append(programs, app[0])
	}
	return programs
}

func missingPackages(programs []string) (packages []string) {
	for _, p := range programs {
		var missing *xserver.MissingError
		if errors.As(xserver.Have(p), &missing) {
			packages = append(packages, missing.Package)
		}
	}
	return packages
}
