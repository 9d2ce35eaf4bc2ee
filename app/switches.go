package main

import (
	"errors"
	"log/slog"

	"conch/driver/mac"
	"conch/gateway"
	"conch/gateway/state"
)

// switchDeps is what a platform's switches are made of.
type switchDeps struct {
	screen   *screen
	practice bool
	dir      *state.Dir
	quit     func() // ends the program cleanly
	log      *slog.Logger
}

var errNoSwitch = errors.New("there is no such switch")

// switchFacts is what is known of a Mac's two switches.
type switchFacts struct {
	See, Click mac.Granted
	Who        mac.Identity
}

// switchWords puts a Mac's switches into words.
func switchWords(f switchFacts) gateway.SystemSwitches {
	out := gateway.SystemSwitches{
		App:    whichApp(f.Who),
		Reopen: f.Who.Ourselves && (f.See == mac.AfterReopen || f.Click == mac.AfterReopen),
		Rows: []gateway.SystemSwitch{
			switchRow(gateway.SwitchSee, f.See, f.Who),
			switchRow(gateway.SwitchClick, f.Click, f.Who),
		},
	}
	for _, p := range f.Who.Problems {
		out.Notes = append(out.Notes, gateway.SwitchNote{Say: p.Say, Next: p.Next})
	}
	return out
}

// whichApp says which line of macOS's lists to look for, and what it means to turn on another's.
func whichApp(who mac.Identity) string {
	say := "In macOS’s lists this is " + who.Name + "."
	if !who.Ourselves {
		say += " Whatever runs in " + who.Name + " can then see the screen, click and type too."
	}
	return say
}

// switchParts is what differs between the two switches.
var switchParts = map[gateway.SwitchName]struct{ list, off, on string }{
	gateway.SwitchSee: {
		list: "Screen & System Audio Recording",
		off:  "Your assistant can’t see anything on this screen.",
		on:   "Your assistant sees the screen while it uses an app for you. When that hasn’t happened for a month, macOS asks you again.",
	},
	gateway.SwitchClick: {
		list: "Accessibility",
		off:  "Your assistant can’t use the mouse and the keyboard.",
		on:   "Your assistant clicks and types while it uses an app for you.",
	},
}

func switchRow(n gateway.SwitchName, s mac.Granted, who mac.Identity) gateway.SystemSwitch {
	part, app := switchParts[n], who.Name
	row := gateway.SystemSwitch{Name: n}
	where := app
	if who.Ourselves {
		where = app + " in Applications"
	}
	switch s {
	case mac.On:
		row.State = gateway.SwitchOn
		row.Say = part.on
	case mac.AfterReopen:
		row.State = gateway.SwitchReopen
		row.Say = "It’s on in macOS’s list. " + app + " gets it when it is opened again."
		if !who.Ourselves { // reopening Conch alone would change nothing
			row.Steps = []string{"Quit " + app + ".", "Open it and start Conch there again."}
		}
	case mac.Refused:
		row.State = gateway.SwitchRefused
		row.Say = "macOS’s list shows " + app + " as on and refuses it, because it was turned on for another copy."
		row.Steps = []string{
			"Press Open the list: System Settings → Privacy & Security → " + part.list + ".",
			"Select " + app + " and press −.",
			"Press + and choose " + where + ".",
		}
		row.Button = "Open the list"
	case mac.Off:
		row.State = gateway.SwitchOff
		row.Say = part.off + " Press Turn on, then switch on " + app + " in the list that opens."
		row.Button = "Turn on…"
	}
	return row
}
