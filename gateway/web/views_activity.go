package web

import (
	"net/url"
	"time"
)

// Activity is the page of what was done.
type Activity struct {
	Frame
	Filter ActivityFilter
	List   ActivityList
	Older  string // the address of what was before; empty when this is the end
	Past   bool   // it begins before the newest, so nothing new comes into it
}

// ActivityFilter is what of Activity is shown, and what can be picked.
type ActivityFilter struct {
	What  string // "", "done", "asked", "refused"
	Chat  string // its id
	App   string // by its name
	Day   string // 2026-11-30
	Chats []ActivityChat
	Apps  []string
}

// ActivityChat is a chat that can be picked.
type ActivityChat struct{ ID, Title string }

// ActivityList is what was done, "activity-list", newest first.
type ActivityList struct {
	Days     []ActivityDay
	Narrowed bool // a filter holds, so being empty means no more than that
}

// ActivityDay is the activity of one day.
type ActivityDay struct {
	Date    string // 2026-11-30
	Name    string // as RailDay.Name
	Entries []ActivityEntry
}

// ActivityWhat says what kind of thing an entry is.
type ActivityWhat string

// The kinds.
const (
	ActivityStep     ActivityWhat = "step"
	ActivityAsked    ActivityWhat = "asked"
	ActivityAnswered ActivityWhat = "answered"
	ActivityEnded    ActivityWhat = "ended" // a turn that didn't end by itself
)

// ActivityEntry is one thing that was done, "activity-<id>". Nothing of the screen is in it.
type ActivityEntry struct {
	ID     string
	Seq    uint64 // its place in the log
	At     time.Time
	What   ActivityWhat
	Text   string // "Typed in Mousepad"
	More   string // a second line; may be empty
	Why    string // why it went ahead: "You always allow this app."; may be empty
	Rule   string // the name of the rule that decided, for who looks closely; may be empty
	State  StepState
	App    string // by its name; may be empty
	Chat   string // the chat's id; empty when there is none
	Title  string // the chat's title
	Moment string // the element of the chat's page that it is; may be empty
}

// Follow is what a page shows of Activity, for its socket.
type Follow struct{ Query string }

// ActivityDayID is the element that entries of a day are prepended to.
func ActivityDayID(date string) string { return "activity-day-" + date }

func (Activity) page() string      { return "activity" }
func (Activity) title() string     { return "Activity" }
func (a Activity) frame() Frame    { return a.Frame }
func (ActivityList) part() string  { return "activity-list" }
func (ActivityEntry) part() string { return "activity-entry" }

// ElementID is the id of the element that the part renders to.
func (ActivityList) ElementID() string    { return "activity-list" }
func (e ActivityEntry) ElementID() string { return "activity-" + e.ID }

// The methods below are for the templates.

// ElementID is the element that holds the day's entries.
func (d ActivityDay) ElementID() string { return ActivityDayID(d.Date) }

// ChatName is the chat's title, or words for none.
func (e ActivityEntry) ChatName() string { return orNewChat(e.Title) }

// Name is the chat's title, or words for none.
func (c ActivityChat) Name() string { return orNewChat(c.Title) }

// Page is the address of its moment.
func (e ActivityEntry) Page() string {
	at := PathChat + url.PathEscape(e.Chat)
	if e.Moment != "" {
		at += "#" + e.Moment
	}
	return at
}

// Icon is the icon of what it is.
func (e ActivityEntry) Icon() string {
	if e.What == ActivityAsked {
		return "question"
	}
	return stateIcon(e.State, "check")
}

// StateWord says how it went, where the icon alone would have to.
func (e ActivityEntry) StateWord() string {
	if e.What != ActivityStep {
		return ""
	}
	return Step{State: e.State}.StateWord()
}

// ActivityTab is one part that can be picked by a press.
type ActivityTab struct {
	Name, Page string
	Current    bool
}

// Tabs are the parts, the rest of the filter kept.
func (f ActivityFilter) Tabs() []ActivityTab {
	var out []ActivityTab
	for _, tab := range []struct{ what, name string }{{"", "Everything"}, {"done", "Done"}, {"asked", "Asked"}, {"refused", "Refused"}} {
		g := f
		g.What = tab.what
		out = append(out, ActivityTab{Name: tab.name, Page: g.Page(), Current: f.What == tab.what})
	}
	return out
}

// Narrowed says whether anything is left out.
func (f ActivityFilter) Narrowed() bool { return f.What != "" || f.Picked() > 0 }

// Picked says how many of chat, app and day are picked.
func (f ActivityFilter) Picked() (n int) {
	for _, s := range []string{f.Chat, f.App, f.Day} {
		if s != "" {
			n++
		}
	}
	return n
}

// Clear is the address without chat, app and day.
func (f ActivityFilter) Clear() string { return ActivityFilter{What: f.What}.Page() }

// Page is the address of what is shown, from the newest on.
func (f ActivityFilter) Page() string {
	if q := f.query(); q != "" {
		return PathActivity + "?" + q
	}
	return PathActivity
}

func (f ActivityFilter) query() string {
	v := url.Values{}
	for name, is := range map[string]string{"what": f.What, "chat": f.Chat, "app": f.App, "day": f.Day} {
		if is != "" {
			v.Set(name, is)
		}
	}
	return v.Encode()
}
