package otherapps

import (
	"context"
	"slices"

	"conch/gateway/web"
	"conch/mcp/connect"
	"conch/mcp/connect/apps"
	"conch/mcp/pair"
)

// scopeRows are what an app may be let use, in the order of the page.
var scopeRows = []web.AppScope{
	{ID: pair.MemoryRead, Name: "What Conch knows", About: "It can look up facts about you."},
	{ID: pair.MemoryWrite, Name: "Suggest memories", About: "Each one always waits for your OK."},
	{ID: pair.Skills, Name: "Skills", About: "It can read how you want work done."},
	{ID: pair.Computer, Name: "Use your apps", About: "Under the glowing edge, asking you as a chat does."},
	{ID: pair.Browser, Name: "The browser"},
	{ID: pair.AppPrefix, Name: "Apps such as mail and calendar"},
}

// scopes are the rows with what there is now: a scope without a tool can't be ticked.
func (s *Service) scopes() []web.AppScope {
	out := slices.Clone(scopeRows)
	for i := range out {
		out[i].Later = !s.offered(out[i].ID)
	}
	return out
}

func (s *Service) offered(scope string) bool {
	for _, t := range s.gw.KnownTools() {
		if t.Scope == scope {
			return true
		}
	}
	return false
}

func scopeName(id string) string {
	for _, row := range scopeRows {
		if row.ID == id {
			return row.Name
		}
	}
	return id
}

func knownApps() []web.AppName {
	var known []web.AppName
	for _, a := range apps.All() {
		known = append(known, web.AppName{ID: a.ID, Name: a.Name})
	}
	return known
}

// List is how all of it stands.
func (s *Service) List(ctx context.Context) web.AppList {
	v := web.AppList{Fixed: s.records.read().Fixed, Elsewhere: web.AppsElsewhere{URL: s.gw.Address(), On: s.opt.Clients.Elsewhere()}}
	if err := s.opt.Clients.Problem(); err != nil {
		v.Problem = "The list of paired apps can’t be read, so none is let in. Repair says more."
	}
	clients := s.opt.Clients.List()
	for _, a := range apps.All() {
		c, paired := ofApp(clients, a.ID)
		if !paired && !a.Found(s.opt.Connect.Env) {
			v.Away = append(v.Away, a.Name)
			continue
		}
		row := web.AppRow{App: a.ID, Name: a.Name, State: web.AppConnect}
		if paired {
			row.State, row.Say = s.stand(a, c)
			one := s.pairedView(ctx, c)
			row.Paired = &one
		}
		v.Found = append(v.Found, row)
	}
	for _, c := range clients {
		if _, known := apps.ByID(c.App); !known {
			v.Others = append(v.Others, s.pairedView(ctx, c))
		}
	}
	return v
}

// ofApp is the pairing of a known app. There is one at a time; of more the last counts.
func ofApp(clients []pair.Client, app string) (pair.Client, bool) {
	for _, c := range slices.Backward(clients) {
		if c.App == app {
			return c, true
		}
	}
	return pair.Client{}, false
}

func (s *Service) pairedView(ctx context.Context, c pair.Client) web.PairedApp {
	v := web.PairedApp{
		ID: c.ID, Name: c.Name, Scopes: c.Scopes, Mode: web.Mode(c.Mode), HTTP: c.Kind == pair.HTTP, Remote: c.Remote,
		Since: c.Paired.Local(), Log: s.gw.ClientLog(ctx, c.ID),
	}
	v.Uses = uses(c)
	return v
}

// uses is what an app may use, by name, in the order of the page.
func uses(c pair.Client) (names []string) {
	for _, row := range scopeRows {
		if c.May(row.ID) {
			names = append(names, row.Name)
		}
	}
	for _, scope := range c.Scopes {
		if !slices.ContainsFunc(scopeRows, func(row web.AppScope) bool { return row.ID == scope }) {
			names = append(names, scopeName(scope))
		}
	}
	return names
}

// stand says where a connected app stands, as its settings are now.
func (s *Service) stand(a apps.App, c pair.Client) (web.AppState, string) {
	r, known := s.records.get(c.ID)
	f, there, err := s.entry(a, c.ID)
	switch {
	case there && f.Off:
		return web.AppOff, "Switch Conch on in " + a.Name + "."
	case there && !f.Current:
		return web.AppLost, "They start Conch from where it isn’t. Repair puts that right."
	case there && r.Waits && a.Restart:
		return web.AppReopen, a.Next + s.writesOver(a, " It is open, and may write over Conch’s lines until you quit it.")
	case there:
		return web.AppOn, ""
	case known && !r.Waits && r.Way != BySettings:
		return web.AppOn, "" // it came, wherever it has its lines
	case known && r.Way == ByLink:
		return web.AppWaits, "Say yes in " + a.Name + ", where it asks whether to add Conch."
	case known && r.Way == ByBundle:
		return web.AppWaits, "Open the file that was downloaded, and press Install in " + a.Name + "."
	case known && r.Way == ByHand:
		return web.AppWaits, "Add Conch’s lines to its settings, then start " + a.Name + " anew."
	case err != nil:
		return web.AppLost, "Conch can’t read them now."
	}
	lost := "Conch’s lines are gone from them."
	if r.Waits {
		lost += s.writesOver(a, " "+a.Name+" is open and writes over them: quit it first.")
	}
	return web.AppLost, lost
}

// writesOver is what to say where an app that writes its own settings is seen to be open.
func (s *Service) writesOver(a apps.App, say string) string {
	if !a.Rewrites || a.Running(s.opt.Connect.Env) != apps.Open {
		return ""
	}
	return say
}

// entry is the entry of a client in an app's settings.
func (s *Service) entry(a apps.App, client string) (connect.Found, bool, error) {
	found, err := s.opt.Connect.Find(a)
	for _, f := range found {
		if f.Client == client {
			return f, true, err
		}
	}
	return connect.Found{}, false, err
}

// Line is how one known app stands, for a menu.
type Line struct {
	Name  string
	State web.AppState
}

// Lines are the known apps that are here or connected, for a menu.
func (s *Service) Lines() (out []Line) {
	clients := s.opt.Clients.List()
	for _, a := range apps.All() {
		c, paired := ofApp(clients, a.ID)
		switch {
		case paired:
			state, _ := s.stand(a, c)
			out = append(out, Line{a.Name, state})
		case a.Found(s.opt.Connect.Env):
			out = append(out, Line{a.Name, web.AppConnect})
		}
	}
	return out
}
