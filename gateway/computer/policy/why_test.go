package policy

import (
	"strings"
	"testing"
)

// Every rule that can let a step go ahead has words for Activity, and no other one has: those speak for
// themselves where they decide.
func TestWhy(t *testing.T) {
	for _, r := range rules {
		f := allOf(r.name)
		v, decides := r.judge(f)
		if !decides {
			t.Errorf("%s: the facts of this test don't reach it", r.name)
			continue
		}
		if allows := v.Do == Allow; allows != (Why(r.name) != "") {
			t.Errorf("%s: allows is %v and its words are %q", r.name, allows, Why(r.name))
		}
		if w := Why(r.name); w != "" && !strings.HasSuffix(w, ".") {
			t.Errorf("%s: %q is no sentence for a person", r.name, w)
		}
	}
	if got := Why("no-such-rule"); got != "" {
		t.Errorf("an unknown rule has the words %q", got)
	}
}

// allOf are facts that the rule of that name decides on.
func allOf(rule string) Facts {
	f := Facts{On: true, Attended: true, Holds: true, Action: LeftClick, Mode: AskFirst, Limit: 60, Seen: true, Fresh: true}
	switch rule {
	case "off":
		f.On = false
	case "unattended":
		f.Attended = false
	case "unknown-action":
		f.Action = "dance"
	case "unknown-mode":
		f.Mode = 0
	case "held":
		f.Holds = false
	case "steps":
		f.Used = 60
	case "plan":
		f.Mode = Plan
	case "refused-key":
		f.Refused = Refusal{Say: "No."}
	case "no-picture":
		f.Aims, f.Seen = true, false
	case "stale":
		f.Aims, f.Fresh = true, false
	case "kept-away":
		f.Touches = []Touch{{Kept: Kept{Kind: Passwords, Say: "No."}}}
	case "look":
		f.Action = Screenshot
	case "no-window":
		f.Action = Type
	case "yes-since-reading":
		f.YesSince = true
	case "reading-asks":
		f.ReadOutside = true
	case "yes-here":
		f.YesHere = true
	case "full-trust":
		f.Mode = FullTrust
	case "always":
		f.Always = true
	}
	return f
}
