package guard

import (
	"fmt"

	"conch/gateway/computer/policy"
)

// computer are the steps of the computer tool.
var computer = []rule{
	{name: "off", judge: refuseIf(func(f *Facts) bool { return !f.On },
		"Using your apps is off. Turn it on in Settings, This computer, Use your apps, then ask again.")},
	{name: "unwatched", judge: refuseIf(func(f *Facts) bool { return f.Origin != Person && f.Origin != Client },
		"Nobody watches what runs by itself, so it doesn't use the computer. Ask for it in a chat.")},
	{name: "unattended", judge: refuseIf(func(f *Facts) bool { return !f.Attended },
		"Nobody is here who could press Stop, so I don't use the computer. Open Conch, then ask again.")},
	{name: "unknown-action", judge: refuseIf(func(f *Facts) bool { return f.reach() == policy.ReachUnknown },
		"I don't know that action, so I don't do it.")},
	{name: "held", judge: func(f *Facts) (Verdict, bool) {
		if f.Holds {
			return Verdict{}, false
		}
		who := f.HeldBy
		if who == "" {
			who = "Another chat"
		}
		return Verdict{Say: who + " is using the computer. Stop it or wait until it is done, then try again."}, true
	}},
	{name: "steps", told: "That was every step that one turn may take. Send a message to go on.", judge: func(f *Facts) (Verdict, bool) {
		if f.Used < f.Limit {
			return Verdict{}, false
		}
		return Verdict{Say: fmt.Sprintf("That was all %d steps of this turn. Say what is done and what is left, and let the person decide.", f.Limit)}, true
	}},
	{name: "plan", told: "This chat only plans, so nothing is clicked, typed or opened. Pick another mode to let it.", judge: refuseIf(func(f *Facts) bool { return f.Mode == Plan && f.reach() != policy.Looks },
		"This chat only plans: I can look but not click, type or open. Say what you would do instead.")},
	{name: "refused-key", judge: func(f *Facts) (Verdict, bool) {
		return Verdict{Say: f.Refused.Say}, f.Refused != policy.Refusal{}
	}},
	{name: "no-picture", told: "There was no picture of the screen to point in yet.", judge: refuseIf(func(f *Facts) bool { return f.Aims && !f.Seen },
		"There is no picture to point in yet. Take a screenshot first."), screen: true},
	{name: "stale", told: "The screen changed size or place since the last picture, so nothing was done.", judge: refuseIf(func(f *Facts) bool { return f.Aims && !f.Fresh },
		"The screen changed size or place since I last looked. Look again first.")},
	{name: "kept-away", judge: func(f *Facts) (Verdict, bool) {
		for _, t := range f.Touches {
			if t.Kept.Kind != policy.NotKept {
				return Verdict{Say: t.Kept.Say}, true
			}
		}
		return Verdict{}, false
	}},
	{name: "look", why: "Looking goes ahead wherever using your apps is on.", judge: allowIf(func(f *Facts) bool { return f.reach() == policy.Looks })},
	{name: "no-window", told: "No window has the keyboard, so nothing was typed.", judge: refuseIf(func(f *Facts) bool { return len(f.Touches) == 0 && f.reach() == policy.Keys },
		"No window has the keyboard. Click where the keys should go first.")},
	{name: "nothing", told: "I couldn't tell what that would touch, so I didn't do it.", judge: refuseIf(func(f *Facts) bool { return len(f.Touches) == 0 },
		"I can't tell what that would touch, so I don't do it. Take a screenshot and try again.")},
	{name: "password-field", told: "That’s a password field, which I never type into. Do that part yourself.", judge: refuseIf(func(f *Facts) bool { return f.Secure && f.reach() == policy.Keys },
		"That's a password field. I can't type there: the person does that part, then says so.")},
	{name: "skill-apps", judge: func(f *Facts) (Verdict, bool) {
		return Verdict{Do: Ask, Say: "The skill “" + f.Skill + "” doesn't list using your apps. So I ask first."},
			f.Skill != "" && !f.Listed && !f.YesHere && !f.YesSince
	}},
	{name: "reading-asks", judge: func(f *Facts) (Verdict, bool) {
		return Verdict{Do: Ask, Say: f.readSay()}, f.ReadOutside && !f.YesSince
	}},
	{name: "each-app-asks", judge: askIf(func(f *Facts) bool {
		return (f.Mode == AskFirst || f.Mode == Auto) && !f.YesHere && !f.YesSince && !f.Always
	}, "Each app on your computer asks once in a chat.")},
	{name: "high-stakes", judge: func(f *Facts) (Verdict, bool) {
		return Verdict{Do: Ask, Say: "That may not be possible to take back. So I ask first."},
			f.Stakes != Stakes{} && !f.YesStakes && (f.Mode != FullTrust || f.ReadOutside)
	}},
	{name: "stakes-allowed", why: "You allowed just this.", judge: allowIf(func(f *Facts) bool { return f.Stakes != Stakes{} && f.YesStakes })},
	{name: "yes-since-reading", why: "You allowed this app after the chat read something from outside.", judge: allowIf(func(f *Facts) bool { return f.ReadOutside && f.YesSince })},
	{name: "yes-here", why: "You allowed this app in this chat.", judge: allowIf(func(f *Facts) bool { return f.YesHere || f.YesSince })},
	{name: "full-trust", why: "This chat has full trust.", judge: allowIf(func(f *Facts) bool { return f.Mode == FullTrust })},
	{name: "always", why: "You always allow this app.", judge: allowIf(func(f *Facts) bool { return f.Always })},
}

func (f *Facts) reach() policy.Reach { return policy.ReachOf(f.Action) }
