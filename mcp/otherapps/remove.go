package otherapps

import (
	"errors"
	"net/http"
	"strings"

	"conch/gateway"
	"conch/mcp/connect"
	"conch/mcp/connect/apps"
	"conch/mcp/connect/mcpb"
	"conch/mcp/pair"
)

// deleteApp ends a pairing and takes Conch's lines out of the app's settings.
func (s *Service) deleteApp(w http.ResponseWriter, r *http.Request) error {
	out, err := s.remove(r.PathValue("id"))
	if err != nil {
		return problemOf(err)
	}
	gateway.WriteJSON(w, out)
	return nil
}

// removed is what removing answers.
type removed struct {
	Say  string `json:"say"`
	Next string `json:"next,omitzero"` // what is left to do
}

// remove ends what an app may do first, and tidies up after that.
func (s *Service) remove(id string) (removed, error) {
	s.connecting.Lock()
	defer s.connecting.Unlock()
	c, ok := s.opt.Clients.Get(id)
	if !ok {
		return removed{}, pair.ErrGone
	}
	if _, err := s.opt.Clients.Remove(id); err != nil {
		return removed{}, err
	}
	out := removed{Say: c.Name + " was removed."}
	rec, _ := s.records.get(id)
	if a, known := apps.ByID(c.App); known {
		res, err := s.opt.Connect.Remove(a, id, rec.Receipt)
		switch {
		case err != nil:
			out.Next = "Its settings still have Conch’s lines, which do nothing now. " + saying(err)
		case res.Changed:
			out.Say += " Conch’s lines are out of its settings."
		case rec.Way == ByBundle:
			out.Next = "Remove the extension in " + a.Name + " too; it does nothing now."
		}
	}
	if err := s.records.change(func(d *doc) { delete(d.Clients, id) }); err != nil {
		s.opt.Log.Warn("the record of a removed app stays", "client", id, "err", err)
	}
	s.Changed()
	return out, nil
}

// getBundle gives the file that Claude Desktop installs. No key is in it.
func (s *Service) getBundle(w http.ResponseWriter, r *http.Request) error {
	if err := gateway.PageOnly(r, "The file can be downloaded"); err != nil {
		return err
	}
	c, ok := s.opt.Clients.Get(r.PathValue("id"))
	if !ok || c.App != bundleApp || c.Kind != pair.Launcher {
		return problemOf(pair.ErrGone)
	}
	data, err := mcpb.Bundle{
		Version: s.opt.Version, Launcher: s.opt.Connect.Launcher, Args: connect.Args(c.ID), Platform: s.opt.Connect.Env.OS, Icon: s.opt.Icon,
	}.Build()
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", `attachment; filename="conch.mcpb"`)
	h.Set("Cache-Control", "no-store")
	_, err = w.Write(data)
	return err
}

// saying is what an error of a settings file says to a person; empty when it wasn't written for one.
func saying(err error) string {
	if e, ok := errors.AsType[*connect.LeftAloneError](err); ok {
		return e.Error()
	}
	if e, ok := errors.AsType[*connect.ChangedError](err); ok {
		return e.Error()
	}
	if e, ok := errors.AsType[*connect.OverwrittenError](err); ok {
		return e.Error()
	}
	if e, ok := errors.AsType[*connect.TakenError](err); ok {
		return e.Error()
	}
	return ""
}

// problemOf turns an error into what a person is told.
func problemOf(err error) error {
	if say := saying(err); say != "" {
		first, next, _ := strings.Cut(say, ". ")
		return &gateway.Problem{Code: gateway.CodeState, Say: strings.TrimSuffix(first, ".") + ".", Next: next, Err: err}
	}
	if b, ok := errors.AsType[*pair.Bad](err); ok {
		return &gateway.Problem{Code: gateway.CodeInvalid, Say: b.Say, Next: "Change that, then try again.", Err: err}
	}
	if errors.Is(err, pair.ErrGone) {
		return &gateway.Problem{Code: gateway.CodeNotFound, Say: "That app isn’t paired any more.", Next: "Load the page again.", Err: err}
	}
	if errors.Is(err, pair.ErrTaken) {
		return errPlan
	}
	return err
}
