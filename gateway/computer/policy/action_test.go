package policy

import "testing"

// An action that nobody knows reaches nothing, and none that is known is forgotten.
func TestReach(t *testing.T) {
	if ReachOf("") != ReachUnknown || ReachOf("screenshot ") != ReachUnknown {
		t.Error("an unknown action has a reach")
	}
	for _, a := range Actions() {
		if ReachOf(a) == ReachUnknown {
			t.Errorf("%s has no reach", a)
		}
	}
}
