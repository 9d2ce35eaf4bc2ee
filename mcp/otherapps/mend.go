package otherapps

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"conch/gateway/care"
	"conch/gateway/web"
	"conch/mcp/connect"
	"conch/mcp/connect/apps"
	"conch/mcp/pair"
)

// known answers what healing asks about clients.
type known struct {
	*Service
	d doc
}

func (k known) Paired(client string) bool {
	_, ok := k.opt.Clients.Get(client)
	return ok
}

func (k known) Receipt(client string) *connect.Receipt { return k.d.Clients[client].Receipt }

// Mend puts right what it can in all apps' settings, keeps what it did for the page, and says it.
func (s *Service) Mend(ctx context.Context) (did []string) {
	s.connecting.Lock()
	defer s.connecting.Unlock()
	for _, a := range apps.All() {
		if ctx.Err() != nil {
			break
		}
		says, err := s.mend(a)
		did = append(did, says...)
		if err != nil {
			s.opt.Log.Info("the settings of an app were left as they are", "app", a.ID, "err", err)
		}
	}
	if len(did) == 0 {
		return nil
	}
	if err := s.records.change(func(d *doc) {
		for _, say := range did {
			d.fixed(say)
		}
	}); err != nil {
		s.opt.Log.Warn("what was mended couldn't be written down", "err", err)
	}
	s.Changed()
	return did
}

// mend puts one app's settings right. While it isn't known who is paired nothing is taken out.
func (s *Service) mend(a apps.App) (did []string, err error) {
	if err := s.opt.Clients.Problem(); err != nil {
		return nil, err
	}
	fixes, err := s.opt.Connect.Heal(a, known{s, s.records.read()})
	for _, f := range fixes {
		did = append(did, f.Say)
	}
	say, backErr := s.putBack(a)
	if say != "" {
		did = append(did, say)
	}
	return did, errors.Join(err, backErr)
}

// expected is an app that hasn't come since it was connected, and may first write over its settings.
type expected struct {
	app     apps.App
	client  pair.Client
	running apps.Running
}

// expects lists the apps whose lines may have to be put back.
func (s *Service) expects() (out []expected) {
	all := s.records.read().Clients
	for _, c := range s.opt.Clients.List() {
		a, known := apps.ByID(c.App)
		r := all[c.ID]
		if !known || !a.Rewrites || !r.Waits {
			continue
		}
		running := a.Running(s.opt.Connect.Env)
		if r.mayBeBack(running != apps.Unknown) { // one that isn't known is never seen closed
			out = append(out, expected{a, c, running})
		}
	}
	return out
}

// mayBeBack says whether lines that are gone may be put back: they were written by Conch, the app hasn't come, and it
// wasn't done too often. One time is kept for an app that is closed, since nothing writes over them then.
func (r record) mayBeBack(closed bool) bool {
	most := putBackMost
	if closed {
		most++
	}
	return r.Way == BySettings && r.Waits && r.Back < most
}

// putBack writes Conch's lines again where an app that keeps its settings in memory wrote over them before it had read
// them. Lines that are gone later were taken out by somebody, so they stay out.
func (s *Service) putBack(a apps.App) (say string, err error) {
	c, paired := ofApp(s.opt.Clients.List(), a.ID)
	if !paired || !a.Rewrites {
		return "", nil
	}
	r, ok := s.records.get(c.ID)
	if !ok || !r.mayBeBack(a.Running(s.opt.Connect.Env) == apps.Closed) {
		return "", nil
	}
	if _, there, err := s.entry(a, c.ID); there || err != nil {
		return "", err
	}
	p, err := s.opt.Connect.Plan(a, c.ID)
	if err != nil || p.Before != "" { // somebody else's by now
		return "", err
	}
	res, err := s.opt.Connect.Apply(p)
	if err != nil {
		return "", err
	}
	err = s.records.change(func(d *doc) {
		d.edit(c.ID, func(r *record) {
			r.Back++
			if res.Receipt != nil {
				r.Receipt = res.Receipt
			}
		})
	})
	return a.Name + " had written over Conch’s lines in its settings, and they are back.", err
}

// Checks are what repair and the security checkup look at here.
func (s *Service) Checks() []care.Check {
	return []care.Check{
		{ID: "other-apps", Title: "Other apps", Area: care.Repair, Run: s.look},
		care.Allowed("paired-apps", "Paired apps", care.Things{
			List: func(context.Context) ([]care.Thing, error) { return s.things() },
			Take: func(_ context.Context, id string) error {
				_, err := s.remove(id)
				return err
			},
			None: "None. No other app uses what you set up in Conch.",
			Some: func(n int) string {
				if n == 1 {
					return "1 app uses what you set up in Conch, as far as you let it."
				}
				return fmt.Sprintf("%d apps use what you set up in Conch, as far as you let each.", n)
			},
			Button: "Remove", Done: "%s was removed.", Level: care.Info, Open: web.PathApps,
		}),
		{ID: "apps-elsewhere", Title: "Apps from elsewhere", Area: care.Security, Run: s.lookElsewhere},
	}
}

func (s *Service) things() (out []care.Thing, err error) {
	for _, c := range s.opt.Clients.List() {
		may := strings.Join(uses(c), ", ")
		if may == "" {
			may = "nothing yet"
		}
		mode := web.PairedApp{Mode: web.Mode(c.Mode)}.ModeName()
		out = append(out, care.Thing{ID: c.ID, Name: c.Name, Say: "May use: " + may + ". " + mode + "."})
	}
	return out, s.opt.Clients.Problem()
}

// look says what is wrong in other apps' settings, with a press for what Conch can mend.
func (s *Service) look(context.Context) care.Finding {
	f := care.Finding{Level: care.OK, Say: "The settings of the apps you connected start Conch.", Open: web.PathApps}
	if s.opt.Clients.Problem() != nil {
		return care.Finding{Level: care.Warn, Say: "The list of paired apps can’t be read, so none is let in.", Open: web.PathApps}
	}
	clients := s.opt.Clients.List()
	if len(clients) == 0 {
		f.Say = "No app is connected."
	}
	if info, err := os.Stat(s.opt.Connect.Launcher); (err != nil || info.Mode().Perm()&0o100 == 0) && len(clients) > 0 {
		f.Rows = append(f.Rows, care.Row{ID: "launcher", Title: "The program that other apps start isn’t there", Fix: &care.Fix{
			Title: "Mend", Done: "Other apps can start Conch again.",
			Do: func(context.Context) error { _, err := s.opt.Relink(); return err },
		}})
	}
	var lost []string
	for _, a := range apps.All() {
		if s.wrong(a) {
			f.Rows = append(f.Rows, care.Row{ID: a.ID, Title: "The settings of " + a.Name + " don’t fit", Fix: &care.Fix{
				Title: "Mend", Done: "The settings of " + a.Name + " fit again.", Do: s.mendOne(a),
			}})
			continue
		}
		if c, paired := ofApp(clients, a.ID); paired {
			if state, _ := s.stand(a, c); state == web.AppLost {
				lost = append(lost, a.Name)
			}
		}
	}
	switch {
	case len(lost) > 0:
		f.Level, f.Say = care.Warn, "Connected here, and their settings no longer start Conch: "+strings.Join(lost, ", ")+". Connect them again, or remove them."
	case len(f.Rows) > 0:
		f.Level, f.Say = care.Warn, "Something in other apps’ settings doesn’t fit this Conch."
	}
	return f
}

// wrong says whether there is something in an app's settings that Conch can mend.
func (s *Service) wrong(a apps.App) bool {
	found, _ := s.opt.Connect.Find(a)
	for _, f := range found {
		if _, paired := s.opt.Clients.Get(f.Client); connect.Decide(f, paired) != connect.Keep {
			return true
		}
	}
	return false
}

func (s *Service) mendOne(a apps.App) func(context.Context) error {
	return func(context.Context) error {
		s.connecting.Lock()
		defer s.connecting.Unlock()
		_, err := s.mend(a)
		s.Changed()
		if left := saying(err); left != "" {
			return &care.Error{Say: left, Err: err}
		}
		return err
	}
}

// lookElsewhere warns while an app may come in through the address.
func (s *Service) lookElsewhere(context.Context) care.Finding {
	var in []string
	for _, c := range s.opt.Clients.List() {
		if c.Kind == pair.HTTP && c.Remote {
			in = append(in, c.Name)
		}
	}
	switch {
	case !s.opt.Clients.Elsewhere():
		return care.Finding{Level: care.OK, Say: "Off. Only apps on this computer come in.", Open: web.PathApps}
	case len(in) == 0:
		return care.Finding{Level: care.OK, Say: "On, and no app is marked to come in that way.", Open: web.PathApps}
	}
	return care.Finding{
		Level: care.Warn, Say: "On. From anywhere that reaches your address, with its key: " + strings.Join(in, ", ") + ".", Open: web.PathApps,
		Fix: &care.Fix{Title: "Turn off", Done: "Only apps on this computer come in now.", Do: func(context.Context) error {
			err := s.opt.Clients.SetElsewhere(false)
			s.Changed()
			return err
		}},
	}
}
