package policy

import "fmt"

type rule struct {
	name   string
	judge  func(Facts) (Verdict, bool)
	why    string // what Activity says of a step that it let through
	screen bool   // it needs to know what is on the screen; all after it do as well
}

// rules are asked from the top. What no mode lifts stands above what a mode decides.
var rules = []rule{
	{name: "off", judge: refuseIf(func(f Facts) bool { return !f.On },
		"Using your apps is off. Turn it on in Settings, This computer, Use your apps, then ask again.")},
	{name: "unattended", judge: refuseIf(func(f Facts) bool { return !f.Attended },
		"Nobody is here who could press Stop, so I don't use the computer. Open Conch, then ask again.")},
	{name: "unknown-action", judge: refuseIf(func(f Facts) bool { return ReachOf(f.Action) == ReachUnknown },
		"I don't know that action, so I don't do it.")},
	{name: "unknown-mode", judge: refuseIf(func(f Facts) bool { return f.Mode < Plan || f.Mode > FullTrust },
		"I can't tell what this chat may do, so I do nothing.")},
	{name: "held", judge: func(f Facts) (Verdict, bool) {
		who := f.HeldBy
		if who == "" {
			who = "Another chat"
		}
		return Verdict{Say: who + " is using the computer. Stop it or wait until it is done, then try again."}, !f.Holds
	}},
	{name: "steps", judge: func(f Facts) (Verdict, bool) {
		return Verdict{Say: fmt.Sprintf("That was all %d steps of this turn. Say what is done and what is left, and let the person decide.", f.Limit)}, f.Used >= f.Limit
	}},
	{name: "plan", judge: refuseIf(func(f Facts) bool { return f.Mode == Plan && ReachOf(f.Action) != Looks },
		"This chat only plans: I can look but not click, type or open. Say what you would do instead.")},
	{name: "refused-key", judge: func(f Facts) (Verdict, bool) {
		return Verdict{Say: f.Refused.Say}, f.Refused != Refusal{}
	}},
	{name: "no-picture", judge: refuseIf(func(f Facts) bool { return f.Aims && !f.Seen },
		"There is no picture to point in yet. Take a screenshot first."), screen: true},
	{name: "stale", judge: refuseIf(func(f Facts) bool { return f.Aims && !f.Fresh },
		"The screen changed size or place since I last looked. Look again first.")},
	{name: "kept-away", judge: func(f Facts) (Verdict, bool) {
		for _, t := range f.Touches {
			if t.Kept.Kind != NotKept {
				return Verdict{Say: t.Kept.Say}, true
			}
		}
		return Verdict{}, false
	}},
	{name: "look", why: "Looking goes ahead wherever using your apps is on.", judge: allowIf(func(f Facts) bool { return ReachOf(f.Action) == Looks })},
	{name: "no-window", judge: refuseIf(func(f Facts) bool { return len(f.Touches) == 0 && ReachOf(f.Action) == Keys },
		"No window has the keyboard. Click where the keys should go first.")},
	{name: "nothing", judge: refuseIf(func(f Facts) bool { return len(f.Touches) == 0 },
		"I can't tell what that would touch, so I don't do it. Take a screenshot and try again.")},
	{name: "yes-since-reading", why: "You allowed this app after the chat read something from outside.", judge: allowIf(func(f Facts) bool { return f.YesSince })},
	{name: "reading-asks", judge: askIf(func(f Facts) bool { return f.ReadOutside },
		"This chat read something from outside, which could be trying to steer me. So I ask first.")},
	{name: "yes-here", why: "You allowed this app in this chat.", judge: allowIf(func(f Facts) bool { return f.YesHere })},
	{name: "full-trust", why: "This chat has full trust.", judge: allowIf(func(f Facts) bool { return f.Mode == FullTrust })},
	{name: "always", why: "You always allow this app.", judge: allowIf(func(f Facts) bool { return f.Always })},
	{name: "each-app-asks", judge: askIf(func(f Facts) bool { return f.Mode == AskFirst || f.Mode == Auto },
		"Each app on your computer asks once in a chat.")},
}

func refuseIf(when func(Facts) bool, say string) func(Facts) (Verdict, bool) {
	return func(f Facts) (Verdict, bool) { return Verdict{Do: Refuse, Say: say}, when(f) }
}

func askIf(when func(Facts) bool, say string) func(Facts) (Verdict, bool) {
	return func(f Facts) (Verdict, bool) { return Verdict{Do: Ask, Say: say}, when(f) }
}

func allowIf(when func(Facts) bool) func(Facts) (Verdict, bool) {
	return func(f Facts) (Verdict, bool) { return Verdict{Do: Allow}, when(f) }
}
