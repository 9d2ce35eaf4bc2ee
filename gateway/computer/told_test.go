package computer

import (
	"context"
	"errors"
	"strings"
	"testing"

	"conch/driver"
	"conch/driver/gesture"
)

// TestThePersonIsToldInTheirWords looks at what a person reads of steps that were not done.
func TestThePersonIsToldInTheirWords(t *testing.T) {
	tests := map[string]struct {
		change func(*rig)
		step   string
		want   string
		app    string
	}{
		"said no":    {func(r *rig) { r.p.answers = never }, click(200, 200), "You didn't allow using Mousepad.", "Mousepad"},
		"kept away":  {nil, click(1000, 200), "That's a password manager. I can't see or touch it. Do that part yourself, then tell me.", "KeePassXC"},
		"unreadable": {nil, `{"action":"juggle"}`, unreadTold, ""},
		"no such app": {
			nil, `{"action":"open_app","text":"Zzyzx"}`, "No app is called that here.", "",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, desk)
			r.must(`{"action":"screenshot"}`)
			if tt.change != nil {
				tt.change(r)
			}
			res := r.say(tt.step)
			said := res.Person()
			if res.Told == "" {
				said = res.Text
			}
			if !res.Failed || said != tt.want || res.App != tt.app {
				t.Errorf("told %q about %q, want %q about %q", said, res.App, tt.want, tt.app)
			}
		})
	}
}

func TestErrorsAreToldWithoutOrders(t *testing.T) {
	for _, err := range []error{
		&driver.OutsideError{}, &driver.StaleError{}, &driver.NoKeyError{Name: "é"}, &LimitError{"pressing a key", 1},
		&gesture.StuckError{}, driver.ErrHeldByPerson, driver.ErrNoApp, driver.ErrNotBegun, errStuck, errRestless, errTurnOver,
		&gesture.ShortError{Typed: 3, Asked: 9, Err: driver.ErrHeldByPerson}, errors.New("x"), context.Canceled,
		&sayError{say: "Take a screenshot.", told: "It moved."}, &sayError{aloneSay, aloneTold, errTaken},
	} {
		for _, acted := range []bool{false, true} {
			told := errorTold(err, acted)
			for _, word := range []string{"the person", "The person", "creenshot", "list_apps", "Use points"} {
				if strings.Contains(told, word) {
					t.Errorf("%T tells the person: %q", err, told)
				}
			}
			if !strings.HasSuffix(told, ".") || acted != strings.Contains(told, "It may have happened") {
				t.Errorf("%T, acted %v: %q", err, acted, told)
			}
		}
	}
}
