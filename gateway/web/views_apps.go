package web

import (
	"net/url"
	"time"
)

// PathApps is Settings → Other apps.
const PathApps = "/settings/apps"

// AppEndpoints are what that page calls. They are answered where the door for other apps is, above the gateway:
//
//	POST   /api/other-apps/plan         {app} → {plan, file, create, before, lines, first, left, link, bundle}
//	POST   /api/other-apps              {plan, way, name, scopes, mode} → {id, say, next, link, lines, key, header}
//	POST   /api/other-apps/elsewhere    {on} → 204
//	POST   /api/other-apps/seen         {} → 204: what was fixed is read
//	POST   /api/other-apps/{id}         {scopes, mode, remote} → 204
//	DELETE /api/other-apps/{id}         → {say}
//	GET    /api/other-apps/{id}/bundle  → the file for Claude Desktop
var AppEndpoints = []string{
	"POST /api/other-apps/plan",
	"POST /api/other-apps",
	"POST /api/other-apps/elsewhere",
	"POST /api/other-apps/seen",
	"POST /api/other-apps/{id}",
	"DELETE /api/other-apps/{id}",
	"GET /api/other-apps/{id}/bundle",
}

// OtherApps is Settings → Other apps.
type OtherApps struct {
	Frame
	List   AppList
	Scopes []AppScope // what can be ticked
}

// AppScope is something that an app may be let use.
type AppScope struct {
	ID, Name, About string
	Later           bool // it isn't set up yet, so it can't be ticked
}

// AppState says where a known app stands.
type AppState string

// The states of a known app.
const (
	AppConnect AppState = "connect" // it is here and isn't connected
	AppOn      AppState = "on"
	AppReopen  AppState = "reopen" // connected, and it has not come yet since
	AppWaits   AppState = "waits"  // paired, and the person still has to do their part in it
	AppLost    AppState = "lost"   // its settings no longer start Conch
	AppOff     AppState = "off"    // connected, and switched off there
)

// AppList is all that changes by itself on that page, "other-apps".
type AppList struct {
	Problem   string // why no app is let in; may be empty
	Fixed     []string
	Found     []AppRow // known apps that are here or connected
	Away      []string // the names of known apps that aren't
	Others    []PairedApp
	Elsewhere AppsElsewhere
}

// AppRow is a known app.
type AppRow struct {
	App, Name string // its id and its name
	State     AppState
	Say       string // what to do or to know; may be empty
	Paired    *PairedApp
}

// PairedApp is an app that was let in.
type PairedApp struct {
	ID, Name string
	Uses     []string // what it may use, by name
	Scopes   []string
	Mode     Mode
	HTTP     bool // it sends its key, instead of starting the launcher
	Remote   bool // it may come in through the address
	Since    time.Time
	Log      string // the chat with what it did; empty: nothing yet
}

// AppsElsewhere is the switch for apps that come in through Conch's address.
type AppsElsewhere struct {
	URL string // Conch's address; empty while it is off
	On  bool
}

// NeedsOK is the questions of paired apps, on every page, "needs-ok"; without any it is hidden.
type NeedsOK struct{ Questions []AppQuestion }

// AppQuestion is what a paired app needs an OK for.
type AppQuestion struct {
	ID, App   string // the app's name
	What, Why string
	Chat      string    // the app's log
	Late      bool      // it was given up, and an answer counts for when the app asks again
	Until     time.Time // until when, where it is late
}

func (OtherApps) page() string       { return "apps" }
func (OtherApps) title() string      { return "Other apps" }
func (p OtherApps) frame() Frame     { return p.Frame }
func (AppList) part() string         { return "other-apps" }
func (AppList) ElementID() string    { return "other-apps" }
func (NeedsOK) part() string         { return "needs-ok" }
func (NeedsOK) ElementID() string    { return "needs-ok" }
func (p PairedApp) Activity() string { return PathActivity + "?chat=" + url.QueryEscape(p.Log) }

// The methods below are for the templates.

// Word is the state in a word or two.
func (r AppRow) Word() string {
	switch r.State {
	case AppOn:
		return "Connected"
	case AppReopen:
		return "Connected, quit and open it again"
	case AppWaits:
		return "Waits for you"
	case AppLost:
		return "Its settings no longer start Conch"
	case AppOff:
		return "Connected, switched off there"
	case AppConnect:
	}
	return "Not connected"
}

// ElementID is the id of the row, which the palette leads to.
func (r AppRow) ElementID() string { return knownAppID(r.App) }

// Icon is the state's icon.
func (r AppRow) Icon() string {
	switch r.State {
	case AppOn:
		return "check"
	case AppReopen, AppWaits, AppOff:
		return "info"
	case AppLost:
		return "warning"
	case AppConnect:
	}
	return "app"
}

// Tone is how the state is coloured.
func (r AppRow) Tone() string {
	switch r.State {
	case AppOn:
		return "fine"
	case AppReopen, AppWaits, AppLost, AppOff:
		return "ask"
	case AppConnect:
	}
	return ""
}

// ModeName is the mode, for a person.
func (p PairedApp) ModeName() string { return ComposerState{Mode: p.Mode}.ModeName() }

// HasHTTP says that an app sends its key, so that it could come in through the address.
func (l AppList) HasHTTP() bool {
	for _, o := range l.Others {
		if o.HTTP {
			return true
		}
	}
	return false
}
