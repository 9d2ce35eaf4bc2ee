package guard

// rule is one rule. It is handed the facts by address, for speed, and never changes them.
type rule struct {
	name   string
	judge  func(*Facts) (Verdict, bool)
	why    string // what Activity says of what it let through
	told   string // what the person reads of what it refused, where the verdict speaks to the model
	screen bool   // it needs to know what is on the screen; all after it do as well
}

// everyone holds for all that is wished for.
var everyone = []rule{
	{name: "unknown-surface", judge: refuseIf(func(f *Facts) bool { return f.Surface <= SurfaceUnknown || f.Surface > Program },
		"I can't tell where this comes from, so I do nothing.")},
	{name: "unknown-kind", judge: refuseIf(func(f *Facts) bool { return f.Kind <= KindUnknown || f.Kind > Grants },
		"I can't tell what this would do, so I don't do it.")},
	{name: "not-a-turn", judge: refuseIf(func(f *Facts) bool { return !f.turn() && f.Kind < Narrows },
		"Only a chat uses tools.")},
	{name: "only-the-person", judge: refuseIf(func(f *Facts) bool { return f.turn() && f.Kind >= Narrows },
		"Only the person can change that, in Conch's own window.")},
	{name: "unknown-origin", judge: refuseIf(func(f *Facts) bool { return f.turn() && (f.Origin <= OriginUnknown || f.Origin > ChatApp) },
		"I can't tell who began this, so I do nothing.")},
	{name: "wrong-door", judge: refuseIf(func(f *Facts) bool { return f.turn() && (f.Surface == Door) != (f.Origin == Client) },
		"This didn't come in the way it says, so I do nothing.")},
	{name: "unknown-mode", judge: refuseIf(func(f *Facts) bool { return f.turn() && (f.Mode <= ModeUnknown || f.Mode > FullTrust) },
		"I can't tell what this chat may do, so I do nothing.")},
	{name: "protected", judge: refuseIf(func(f *Facts) bool { return f.turn() && f.Protected },
		"That is what Conch keeps for itself: nothing but the person changes it.")},
}

// person is what people do themselves, on a page or with a program of theirs.
var person = []rule{
	{name: "narrowing", why: "You took power away, which is always possible.", judge: allowIf(func(f *Facts) bool { return f.Kind == Narrows })},
	{name: "not-a-page", judge: refuseIf(func(f *Facts) bool { return f.Surface != Page },
		"This can only be done in Conch's own window.")},
	{name: "confirmed", why: "You confirmed that it’s you.", judge: allowIf(func(f *Facts) bool { return f.Confirmed })},
	{name: "elsewhere", judge: refuseIf(func(f *Facts) bool { return !f.Here },
		"From another device this needs that you confirm it's you.")},
	{name: "widening-here", why: "You did it on this computer.", judge: allowIf(func(f *Facts) bool { return f.Kind == Widens })},
	{name: "granting-here", why: "You did it on this computer.", judge: allowIf(func(f *Facts) bool { return f.Kind == Grants && !f.Confirms })},
	{name: "unconfirmed", judge: refuseIf(func(f *Facts) bool { return f.Confirms },
		"Confirm that it's you first.")},
}

// tools are calls of any tool but the computer.
var tools = []rule{
	{name: "tool-off", told: "This is turned off.", judge: refuseIf(func(f *Facts) bool { return !f.On || f.Policy == TurnedOff },
		"This is turned off. The person can turn it on in Settings.")},
	{name: "plan-only", told: "This chat only plans, so nothing is changed or sent. Pick another mode to let it.", judge: refuseIf(func(f *Facts) bool { return f.Mode == Plan && f.Kind != Reads },
		"This chat only plans: I can look and read but not change or send anything. Say what you would do instead.")},
	{name: "yes", why: "You allowed it.", judge: allowIf(func(f *Facts) bool { return f.Yes })},
	{name: "skill-list", judge: func(f *Facts) (Verdict, bool) {
		return Verdict{Do: Ask, Say: "The skill “" + f.Skill + "” doesn't list this. So I ask first."}, f.Skill != "" && !f.Listed
	}},
	{name: "app-asks", judge: askIf(func(f *Facts) bool { return f.Policy == AskEach },
		"You chose to be asked each time.")},
	{name: "read", why: "Reading goes ahead.", judge: allowIf(func(f *Facts) bool { return f.Kind == Reads })},
	{name: "trusted", why: "This chat has full trust.", judge: allowIf(func(f *Facts) bool {
		return f.Mode == FullTrust && (f.Origin == Person || f.Origin == Client || !f.read())
	})},
	{name: "after-reading", judge: func(f *Facts) (Verdict, bool) { return Verdict{Do: Ask, Say: f.readSay()}, f.read() }},
	{name: "app-dont-ask", why: "You chose not to be asked about this app.", judge: allowIf(func(f *Facts) bool { return f.Policy == DontAsk })},
	{name: "serious", judge: askIf(func(f *Facts) bool { return f.Serious },
		"This may not be possible to undo. So I ask first.")},
	{name: "app-changes", judge: askIf(func(f *Facts) bool { return f.Policy == AskChanges },
		"You chose to be asked before this app changes something.")},
	{name: "routine-work", why: "This chat does routine work without asking (Auto).", judge: allowIf(func(f *Facts) bool { return f.Mode == Auto })},
	{name: "ask-first", judge: askIf(func(f *Facts) bool { return f.Mode == AskFirst },
		"This chat asks before each change.")},
}

// turn says that it is a turn's wish, and not a person's own.
func (f *Facts) turn() bool { return f.Surface == InChat || f.Surface == Door }

// read says that the chat took in something from outside.
func (f *Facts) read() bool { return f.ReadOutside || f.ReadScreen }

// readSay says what was read, and why that makes a question.
func (f *Facts) readSay() string {
	what := "something from outside"
	switch {
	case f.ReadOutside && f.Source != "":
		what = f.Source
	case !f.ReadOutside && f.ReadScreen:
		what = "what was on your screen"
	}
	return "This chat read " + what + ", which could be trying to steer me. So I ask first."
}

func refuseIf(when func(*Facts) bool, say string) func(*Facts) (Verdict, bool) {
	return func(f *Facts) (Verdict, bool) { return Verdict{Do: Refuse, Say: say}, when(f) }
}

func askIf(when func(*Facts) bool, say string) func(*Facts) (Verdict, bool) {
	return func(f *Facts) (Verdict, bool) { return Verdict{Do: Ask, Say: say}, when(f) }
}

func allowIf(when func(*Facts) bool) func(*Facts) (Verdict, bool) {
	return func(f *Facts) (Verdict, bool) { return Verdict{Do: Allow}, when(f) }
}
