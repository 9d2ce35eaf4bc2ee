package otherapps

import (
	"errors"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway"
	"conch/gateway/chat"
	"conch/mcp/connect"
	"conch/mcp/connect/apps"
	"conch/mcp/pair"
	"conch/mcp/wire"
)

// planAnswer is what a person sees before they connect an app.
type planAnswer struct {
	Plan   string `json:"plan"` // for postConnect
	File   string `json:"file"`
	Create bool   `json:"create"`
	Before string `json:"before"` // Conch's lines as they are there
	Lines  string `json:"lines"`  // as they would be
	First  string `json:"first"`  // what to do before
	Left   string `json:"left"`   // why Conch can't write them; empty when it can
	Link   bool   `json:"link"`   // the app can be asked to add them
	Bundle bool   `json:"bundle"` // there is a file to install
}

// postPlan takes {app} and answers what connecting it would write. It writes nothing.
func (s *Service) postPlan(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		App string `json:"app"`
	}
	if err := gateway.ReadJSON(r, &in); err != nil {
		return err
	}
	a, ok := apps.ByID(in.App)
	if !ok {
		return &gateway.Problem{Code: gateway.CodeNotFound, Say: "Conch doesn’t know that app.", Next: "Add it under Another app."}
	}
	id, err := s.opt.Clients.NewID()
	if err != nil {
		return err
	}
	one := planned{app: a.ID}
	one.plan, err = s.opt.Connect.Plan(a, id)
	out := planAnswer{Plan: id, File: one.plan.File, Create: one.plan.Create, Before: one.plan.Before, Lines: one.plan.After, First: one.plan.First}
	if left, is := errors.AsType[*connect.LeftAloneError](err); is {
		one.left = left
		out.File, out.Lines, out.Left = left.File, left.Lines, left.Error()
	} else if err != nil {
		return problemOf(err)
	}
	link, err := s.opt.Connect.Link(a, id)
	if err != nil {
		return err
	}
	out.Link, out.Bundle = link != "", a.ID == bundleApp
	s.plans.put(id, one)
	gateway.WriteJSON(w, out)
	return nil
}

// bundleApp is the app that installs a file.
const bundleApp = "claude-desktop"

// wish is what the person wants an app to have.
type wish struct {
	Plan   string   `json:"plan"` // empty: another app
	Way    string   `json:"way"`  // settings, link, bundle, hand; of another app launcher, http
	Name   string   `json:"name"` // of another app
	Scopes []string `json:"scopes"`
	Mode   string   `json:"mode"`
}

// connected is what connecting answers.
type connected struct {
	ID      string `json:"id"`
	Say     string `json:"say"`
	Link    string `json:"link,omitzero"`    // to open: the app takes it from there
	Bundle  string `json:"bundle,omitzero"`  // to download
	Lines   string `json:"lines,omitzero"`   // for the person to add
	Address string `json:"address,omitzero"` // for the person to add, with
	Header  string `json:"header,omitzero"`  // the header that holds the key, this once
}

// postConnect pairs an app. It gives power, so only a page may, whose person confirmed that it's them.
func (s *Service) postConnect(w http.ResponseWriter, r *http.Request) error {
	var in wish
	if err := gateway.ReadJSON(r, &in); err != nil {
		return err
	}
	if err := s.gw.Confirmed(r, "An app can be connected"); err != nil {
		return err
	}
	c := pair.Client{Name: in.Name, Kind: pair.Launcher, Scopes: in.Scopes, Mode: chat.Mode(in.Mode)}
	if err := s.mayTick(nil, in.Scopes); err != nil {
		return err
	}
	s.connecting.Lock()
	defer s.connecting.Unlock()
	var out connected
	var err error
	if in.Plan == "" {
		out, err = s.connectOther(r, c, in.Way)
	} else {
		out, err = s.connectKnown(c, in)
	}
	if err != nil {
		return problemOf(err)
	}
	s.opt.Log.Info("an app was paired", "client", out.ID, "way", in.Way)
	s.Changed()
	gateway.WriteJSON(w, out)
	return nil
}

// mayTick refuses to add what isn't there to be used.
func (s *Service) mayTick(had, scopes []string) error {
	for _, scope := range scopes {
		if !slices.Contains(had, scope) && !s.offered(scope) {
			return &gateway.Problem{Code: gateway.CodeInvalid, Say: "That can’t be used by an app yet.", Next: "Load the page again."}
		}
	}
	return nil
}

// connectOther pairs an app that Conch doesn't know.
func (s *Service) connectOther(r *http.Request, c pair.Client, way string) (connected, error) {
	switch way {
	case string(pair.HTTP):
		c.Kind = pair.HTTP
	case string(pair.Launcher):
	default:
		return connected{}, &pair.Bad{Say: "It isn’t said how the app reaches Conch."}
	}
	c, key, err := s.opt.Clients.Pair(c)
	if err != nil {
		return connected{}, err
	}
	if c.Kind == pair.HTTP {
		at := s.gw.Address()
		if gateway.FromHere(r) {
			at = "http://" + r.Host
		}
		return connected{
			ID: c.ID, Say: c.Name + " is paired. Put these in its settings.",
			Address: at + wire.PathDoor, Header: "Authorization: Bearer " + reveal(key),
		}, nil
	}
	lines, err := s.lines(c.ID)
	if err != nil {
		return connected{}, err
	}
	return connected{ID: c.ID, Say: c.Name + " is paired. Put these lines where its settings list MCP servers. No key is in them.", Lines: lines}, nil
}

// reveal is the one place where a key is written out: for the person who just paired its app.
func reveal(k pair.Key) string { return string(k) }

// lines is an entry in the form that most apps take.
func (s *Service) lines(client string) (string, error) {
	type entry struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	text, err := json.Marshal(map[string]map[string]entry{
		"mcpServers": {"conch": {s.opt.Connect.Launcher, connect.Args(client)}},
	}, jsontext.WithIndent("  "), json.Deterministic(true))
	return string(text), err
}

// errPlan says that what the person saw is too old.
var errPlan = &gateway.Problem{Code: gateway.CodeTooLate, Say: "That was looked at too long ago.", Next: "Press Cancel, then Connect again."}

// connectKnown pairs a known app and gives it Conch's lines. An app that is connected already starts afresh.
func (s *Service) connectKnown(c pair.Client, in wish) (connected, error) {
	p, ok := s.plans.get(in.Plan)
	if !ok {
		return connected{}, errPlan
	}
	a, ok := apps.ByID(p.app)
	if !ok {
		return connected{}, errPlan
	}
	way := Way(in.Way)
	link, err := s.opt.Connect.Link(a, in.Plan)
	if err != nil {
		return connected{}, err
	}
	possible := way == BySettings && p.left == nil || way == ByHand && p.left != nil || way == ByLink && link != "" || way == ByBundle && a.ID == bundleApp
	if !possible {
		return connected{}, &pair.Bad{Say: "That app can’t be connected that way."}
	}
	old := slices.DeleteFunc(s.opt.Clients.List(), func(o pair.Client) bool { return o.App != a.ID && o.ID != p.plan.Replaces })
	c.ID, c.Name, c.App = in.Plan, a.Name, a.ID
	if c, _, err = s.opt.Clients.Pair(c); err != nil {
		return connected{}, err
	}
	out := connected{ID: c.ID}
	rec := record{Way: way, Waits: true}
	switch way {
	case BySettings:
		res, err := s.opt.Connect.Apply(p.plan)
		if err != nil {
			_, gone := s.opt.Clients.Remove(c.ID)
			return connected{}, errors.Join(err, gone)
		}
		out.Say, rec.Receipt = res.Say, res.Receipt
		if prior, had := s.records.get(p.plan.Replaces); had && rec.Receipt == nil {
			rec.Receipt = prior.Receipt
		}
		rec.Waits = a.Restart || a.Rewrites
	case ByLink:
		out.Link, out.Say = link, a.Name+" now asks you whether to add Conch. Say yes there."
	case ByBundle:
		out.Bundle, out.Say = "/api/other-apps/"+c.ID+"/bundle", "Open the file that is downloaded, and press Install in "+a.Name+"."
	case ByHand:
		out.Lines, out.Say = p.left.Lines, a.Name+" is paired. Add these lines to "+p.left.File+". "+a.Next
		if out.Lines == "" {
			if out.Lines, err = s.lines(c.ID); err != nil {
				return connected{}, err
			}
		}
	}
	s.plans.drop(in.Plan)
	err = s.afresh(a, c.ID, rec, old, way != BySettings)
	s.tellWatch()
	return out, err
}

// afresh writes a connection down and ends the app's older ones.
func (s *Service) afresh(a apps.App, client string, rec record, old []pair.Client, takeOut bool) error {
	receipts := s.records.read().Clients
	first := s.records.change(func(d *doc) {
		d.put(client, rec)
		for _, o := range old {
			delete(d.Clients, o.ID)
		}
	})
	for _, o := range old {
		if takeOut {
			if _, err := s.opt.Connect.Remove(a, o.ID, receipts[o.ID].Receipt); err != nil {
				s.opt.Log.Info("the old lines of an app stay", "app", a.ID, "err", err)
			}
		}
		if _, err := s.opt.Clients.Remove(o.ID); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// postChange takes {scopes, mode, remote}. What gives more is for a page whose person confirmed that it's them; taking
// away needs only a sign-in.
func (s *Service) postChange(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Scopes []string `json:"scopes"`
		Mode   string   `json:"mode"`
		Remote bool     `json:"remote"`
	}
	if err := gateway.ReadJSON(r, &in); err != nil {
		return err
	}
	_, err := s.opt.Clients.Change(r.PathValue("id"), func(c *pair.Client) {
		c.Scopes, c.Mode, c.Remote = in.Scopes, chat.Mode(in.Mode), in.Remote
	}, func(was, is pair.Client) error {
		if err := s.mayTick(was.Scopes, is.Scopes); err != nil {
			return err
		}
		if pair.Widens(was, is) {
			return s.gw.Confirmed(r, "What an app may use can be widened")
		}
		return nil
	})
	if err != nil {
		return problemOf(err)
	}
	return gateway.NoContent(w)
}

// postElsewhere takes {on}: whether apps that are marked come in through Conch's address.
func (s *Service) postElsewhere(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		On *bool `json:"on"`
	}
	if err := gateway.ReadJSON(r, &in); err != nil {
		return err
	}
	if in.On == nil {
		return &gateway.Problem{Code: gateway.CodeInvalid, Say: "It isn't said whether to turn it on or off.", Next: "Send on as true or false."}
	}
	if *in.On {
		if err := s.gw.Confirmed(r, "Apps can be let in through your address"); err != nil {
			return err
		}
		if s.gw.Address() == "" {
			return &gateway.Problem{Code: gateway.CodeInvalid, Say: "Conch has no address of its own.", Next: "Set it up under Other devices first."}
		}
	}
	if err := s.opt.Clients.SetElsewhere(*in.On); err != nil {
		return err
	}
	s.Changed()
	return gateway.NoContent(w)
}

// postSeen says that the person read what was fixed.
func (s *Service) postSeen(w http.ResponseWriter, r *http.Request) error {
	if err := gateway.ReadJSON(r, &struct{}{}); err != nil {
		return err
	}
	if err := s.records.change(func(d *doc) { d.Fixed = nil }); err != nil {
		return err
	}
	s.Changed()
	return gateway.NoContent(w)
}
