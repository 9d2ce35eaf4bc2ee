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
	tried    *tries // what the screen told
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
			switchRow(mac.SeeScreen, f.See, f.Who),
			switchRow(mac.ClickAndType, f.Click, f.Who),
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

// switchStateOf is a permission's state as the gateway names it.
var switchStateOf = map[mac.Granted]gateway.SwitchState{
	mac.Off: gateway.SwitchOff, mac.On: gateway.SwitchOn, mac.AfterReopen: gateway.SwitchReopen, mac.Refused: gateway.SwitchRefused,
}

func switchRow(p mac.Permission, s mac.Granted, who mac.Identity) gateway.SystemSwitch {
	w := p.Say(s, who)
	return gateway.SystemSwitch{Name: permissionNames[p], State: switchStateOf[s], Say: w.Say, Steps: w.Steps, Button: w.Button}
}
