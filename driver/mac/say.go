package mac

// Words is what a person is told of a permission: how it stands, and what to do.
type Words struct {
	Say    string
	Steps  []string // one thing each, where one press is not enough
	Button string   // what a press does ("Turn on…"); empty when there is nothing to press
}

// permissionParts is what differs between the two permissions.
var permissionParts = [2]struct{ list, off, on string }{
	SeeScreen: {
		list: "Screen & System Audio Recording",
		off:  "Your assistant can’t see anything on this screen.",
		on:   "Your assistant sees the screen while it uses an app for you. When that hasn’t happened for a month, macOS asks you again.",
	},
	ClickAndType: {
		list: "Accessibility",
		off:  "Your assistant can’t use the mouse and the keyboard.",
		on:   "Your assistant clicks and types while it uses an app for you.",
	},
}

// Say is how a permission stands, for the app that macOS charges it to.
func (p Permission) Say(s Granted, who Identity) Words {
	part, app := permissionParts[p], who.Name
	switch s {
	case On:
		return Words{Say: part.on}
	case AfterReopen:
		w := Words{Say: "It’s on in macOS’s list. " + app + " gets it when it is opened again."}
		if !who.Ourselves { // reopening Conch alone would change nothing
			w.Steps = []string{"Quit " + app + ".", "Open it and start Conch there again."}
		}
		return w
	case Refused:
		return p.refused(who)
	case Off:
	}
	return Words{Say: part.off + " Press Turn on, then switch on " + app + " in the list that opens.", Button: "Turn on…"}
}

// refused says how to put right what macOS shows as on and refuses.
func (p Permission) refused(who Identity) Words {
	app, where := who.Name, who.Name
	if who.Ourselves {
		where += " in Applications"
	}
	w := Words{
		Say: "macOS’s list shows " + app + " as on and refuses it. Most often it was turned on for another copy.",
		Steps: []string{
			"Press Open the list: System Settings → Privacy & Security → " + permissionParts[p].list + ".",
			"Select " + app + " and press −.",
			"Press + and choose " + where + ".",
		},
		Button: "Open the list",
	}
	if p == SeeScreen { // which macOS tells a process at its start only
		w.Steps = append(w.Steps, "Quit "+app+" and open it again.")
	}
	return w
}
