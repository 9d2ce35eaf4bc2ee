package main

import (
	"strings"

	"conch/gateway"
	"conch/gateway/web"
	"conch/mcp/connect/apps"
	"conch/mcp/otherapps"
)

// do names what a menu item does.
type do string

// What menu items do. An item without one only says something.
const (
	doStop    do = "stop"
	doOpen    do = "open"
	doApps    do = "apps"
	doOther   do = "other"
	doCheckup do = "checkup"
	doRepair  do = "repair"
	doLogin   do = "login"
	doQuit    do = "quit"
)

// menuItem is one line of the menu.
type menuItem struct {
	Do      do
	Title   string // empty is a separator
	About   string // one sentence more: the tooltip, which a screen reader reads as help
	Off     bool   // can't be pressed
	Hidden  bool
	Box     bool // has a tick, or the place for one
	Checked bool
	Sub     []menuItem // what it opens, if that is a menu of its own
}

// loginState says whether Conch starts when the person logs in.
type loginState int

const (
	loginUnknown loginState = iota // it can't be set here
	loginOff
	loginOn
	loginWaits // macOS wants the person's approval first, in System Settings
)

// menuFacts is all that the menu depends on.
type menuFacts struct {
	Status  gateway.Status
	StopKey string // "⌘⎋", "Super+Esc"; empty when none is to be had
	Login   loginState
	Apps    []otherapps.Line // how other apps stand
}

// menuOf is the menu. It always has the same items in the same places, so whoever draws it changes them where
// they are and a menu that is open doesn't jump under the pointer.
func menuOf(f menuFacts) []menuItem {
	stop := menuItem{Do: doStop, Title: "Stop", About: "Nothing is using your computer", Off: true}
	if f.Status.State != gateway.Idle && f.Status.State != "" {
		stop.Off, stop.About = false, "Stop what is using your computer, at once"
		if f.StopKey != "" && f.Status.State != gateway.Working { // it is held only while the computer is in use
			stop.Title = "Stop  " + f.StopKey
			stop.About += ". " + f.StopKey + " does the same from anywhere while the edge glows"
		}
	}
	return []menuItem{
		{Title: menuLine(f.Status), About: menuMore(f.Status), Off: true},
		stop,
		{},
		{Do: doOpen, Title: "Open Conch", About: "Open the chat, or the one that is running"},
		{Do: doApps, Title: "Use your apps…", About: "What your assistant may see and do on this computer"},
		otherItem(f.Apps),
		{Do: doCheckup, Title: "Security checkup…", About: "What your assistant may do, and who can reach it"},
		{Do: doRepair, Title: "Repair everything", About: "Put right what can be, and show how that went"},
		{},
		loginItem(f.Login),
		{},
		{Do: doQuit, Title: "Quit Conch", About: "Stop what runs, then quit"},
	}
}

// otherItem is the menu with the apps that are on this computer, each with how it stands. Every app has its place in it,
// shown or not.
func otherItem(lines []otherapps.Line) menuItem {
	item := menuItem{Title: "Other apps", About: "The apps that use what you set up in Conch", Sub: []menuItem{
		{Do: doOther, Title: "Open Other apps…", About: "Connect apps, and change what each may use"},
	}}
	stands := map[string]web.AppState{}
	for _, l := range lines {
		stands[l.Name] = l.State
	}
	for _, a := range apps.All() {
		state, here := stands[a.Name]
		line := menuItem{Do: doOther, Title: a.Name + ": " + menuStates[state], Hidden: !here}
		if !here {
			line.Title = a.Name
		}
		item.Sub = append(item.Sub, line)
	}
	return item
}

// menuStates says how an app stands, in the menu.
var menuStates = map[web.AppState]string{
	web.AppConnect: "connect…", web.AppOn: "connected", web.AppReopen: "quit and open it again", web.AppWaits: "waits for you",
	web.AppLost: "no longer starts Conch", web.AppOff: "switched off there",
}

// lineMost is how much of a chat's title the menu shows, in runes.
const lineMost = 40

// menuLine is the state in one line.
func menuLine(s gateway.Status) string {
	title := ""
	if s.Title != "" {
		title = " for “" + clip(s.Title, lineMost) + "”"
	}
	switch s.State {
	case gateway.Using:
		if s.App != "" {
			return "Using " + clip(s.App, lineMost) + title
		}
		return "Using your computer" + title
	case gateway.Working:
		return "Working" + title
	case gateway.Asking:
		if s.Client != "" {
			return clip(s.Client, lineMost) + " needs your OK: " + clip(s.Say, lineMost+20)
		}
		return "Waiting for you: " + clip(s.Say, lineMost+20)
	case gateway.Idle:
	default:
		return "Starting"
	}
	switch {
	case !s.On:
		return "Idle. Using your apps is off"
	case s.Screen != "":
		return "Idle. The screen can’t be used now"
	}
	return "Idle"
}

// menuMore is what the line leaves out.
func menuMore(s gateway.Status) string {
	switch {
	case s.State != gateway.Idle:
		return plain(s.Say)
	case s.On && s.Screen != "":
		return s.Screen
	}
	return ""
}

func loginItem(l loginState) menuItem {
	item := menuItem{Do: doLogin, Title: "Start at login", About: "Open Conch by itself when you log in", Box: true}
	switch l {
	case loginOn:
		item.Checked = true
	case loginWaits:
		item.Title += " (needs your OK)"
		item.About = "macOS waits for you: System Settings → General → Login Items"
	case loginUnknown:
		item.Off, item.About = true, "This can’t be set here"
	case loginOff:
	}
	return item
}

// clip keeps a line short and on one line: a title may hold anything.
func clip(s string, most int) string {
	s = strings.Join(strings.Fields(plain(s)), " ")
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return strings.TrimSpace(string(r[:most-1])) + "…"
}
