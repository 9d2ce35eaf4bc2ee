package computer

import (
	"strings"
	"testing"
)

// A step that is refused before it began is named in the chat's log, and nothing of what it would have typed.
func TestRefusedStepsAreNamed(t *testing.T) {
	for args, want := range map[string]string{
		`{"action":"left_click","coordinate":[1,2]}`:                               "Click",
		`{"action":"double_click","coordinate":[1,2]}`:                             "Double-click",
		`{"action":"mouse_move","coordinate":[1,2]}`:                               "Move the pointer",
		`{"action":"left_mouse_up"}`:                                               "Lift the mouse button",
		`{"action":"type","text":"hunter2"}`:                                       "Type",
		`{"action":"key","text":"super+Escape"}`:                                   "Press Super+Esc",
		`{"action":"open_app","text":"Mousepad"}`:                                  "Open an app",
		`{"action":"scroll","scroll_direction":"down"}`:                            "Scroll",
		`{"action":"hold_key","text":"a","duration":1}`:                            "Hold ",
		`{"action":"zoom","region":[0,0,9,9]}`:                                     "Look at the screen",
		`{"action":"wait","duration":1}`:                                           "Wait",
		`{"action":"screenshot"}`:                                                  "Look at the screen",
		`{"action":"left_click_drag","coordinate":[1,2],"start_coordinate":[3,4]}`: "Drag",
	} {
		act, err := Parse([]byte(args))
		if err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		if got := wantedSay(act); !strings.HasPrefix(got, want) || strings.Contains(got, "hunter") {
			t.Errorf("%s is called %q, want %q", args, got, want)
		}
	}
}
