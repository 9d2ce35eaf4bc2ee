package gateway

import (
	"context"
	"fmt"
	"slices"

	"conch/driver"
	"conch/gateway/access/address"
	"conch/gateway/access/keep"
	"conch/gateway/care"
	"conch/gateway/chat"
	"conch/gateway/confirm"
	"conch/gateway/state"
	"conch/gateway/web"
)

// trustedMost is how many chats with full trust are listed.
const trustedMost = 50

// tighterAbsent are the documents that allow no more when they are absent than when they can't be read. access.json
// is none: absent it asks for no confirming.
var tighterAbsent = []string{state.ComputerUseFile}

// openCare puts the checks together: the gateway's own, the platform's, and those that the program registered.
func (g *Gateway) openCare() {
	p := g.cfg.Platform
	p.Busy = func() bool {
		_, _, used := g.computer.Holder()
		return used
	}
	if p.Screen == nil && g.cfg.Driver != nil {
		p.Screen = g.cfg.Driver
	}
	checks := []care.Check{
		care.Apps(g.use, func(ctx context.Context) error { return careError(g.turnUse(ctx, false)) }),
		g.alwaysCheck(), g.trustCheck(),
		care.Confirming(g.asksToConfirm, g.use),
		care.Pausing(g.use),
		care.Address(care.Outside{Look: g.reachedAt, Off: g.turnOffAddress}),
		g.devicesCheck(),
		care.Keychain(filedKeys{g}),
		care.Modes(g.dir),
		care.Documents(g.dir, func(name string) bool { return slices.Contains(tighterAbsent, name) }),
		care.Database(
			func(ctx context.Context) error { return chat.Verify(ctx, g.dir.Path(chat.File)) },
			func(ctx context.Context) error { return g.store.Rebuild(ctx) },
		),
		care.Kept(g.dir),
		care.Leftovers(g.dir, g.cfg.Now, g.cfg.Stale),
	}
	checks = append(checks, p.Checks()...)
	g.care.list = care.NewList(append(checks, g.cfg.Checks...)...)
}

// filedKeys tells which keys are in files, because there is no keychain.
type filedKeys struct{ g *Gateway }

// InFiles names them for a person.
func (f filedKeys) InFiles(context.Context) ([]string, error) {
	if f.g.cfg.Secrets.Safe() {
		return nil, nil
	}
	var names []string
	for _, p := range f.g.models.Keyed() {
		names = append(names, "the key for "+p.Name)
	}
	return names, nil
}

// careError keeps the words of an error that was written for a person.
func careError(err error) error {
	if err == nil {
		return nil
	}
	if p := problemOf(err); p.Code != CodeInternal {
		return &care.Error{Say: p.Error(), Err: err}
	}
	return err
}

func (g *Gateway) alwaysCheck() care.Check {
	return care.Allowed("always", "Apps always allowed", care.Things{
		List: func(context.Context) (out []care.Thing, err error) {
			for _, a := range g.use.Apps() {
				out = append(out, care.Thing{ID: string(a.ID), Name: a.Name, Say: "Since " + a.Since.Local().Format("2 January 2006") + "."})
			}
			return out, nil
		},
		Take: func(_ context.Context, id string) error {
			_, err := g.use.TakeBack(driver.AppID(id))
			return careError(err)
		},
		None: "No app. Conch asks before it first uses an app in a chat.",
		Some: func(n int) string { return fmt.Sprintf("%s used without asking.", countOf(n, "app is", "apps are")) },
		// Names are the apps' own.
		Button: "Take back", Done: "Conch asks again before it uses %s.", Level: care.Info, Open: web.PathComputer,
	})
}

func (g *Gateway) trustCheck() care.Check {
	return care.Allowed("trust", "Chats with full trust", care.Things{
		List: func(ctx context.Context) (out []care.Thing, err error) {
			chats, err := g.store.In(ctx, chat.Trust, trustedMost)
			for _, c := range chats {
				title := c.Title
				if title == "" {
					title = "New chat"
				}
				out = append(out, care.Thing{ID: c.ID, Name: "“" + title + "”", Say: "Last used " + c.Updated.Local().Format("2 January 2006") + "."})
			}
			return out, err
		},
		Take: func(ctx context.Context, id string) error {
			if err := g.store.SetMode(ctx, id, chat.Ask); err != nil {
				return err
			}
			g.changed(id)
			return nil
		},
		None: "None. Every chat asks first, or goes by its mode.",
		Some: func(n int) string {
			return fmt.Sprintf("%s ahead without asking.", countOf(n, "chat goes", "chats go"))
		},

		Button: "Ask first", Done: "%s asks first again.", Level: care.Warn,
	})
}

func (g *Gateway) devicesCheck() care.Check {
	return care.Allowed("devices", "Devices let in", care.Things{
		List: func(context.Context) (out []care.Thing, err error) {
			in, err := g.devices.In()
			for _, d := range in {
				out = append(out, care.Thing{ID: d.ID, Name: d.Name, Say: "Let in on " + d.Since.Local().Format("2 January 2006") + "."})
			}
			return out, err
		},
		Take: func(_ context.Context, id string) error {
			_, err := g.devices.Remove(id)
			return careError(err)
		},
		None: "None.", Some: func(n int) string {
			return fmt.Sprintf("%s in when the address is on.", countOf(n, "device comes", "devices come"))
		},
		Button: "Remove", Done: "%s was removed.", Level: care.Info, Open: web.PathDevices,
	})
}

func countOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func (g *Gateway) asksToConfirm() (bool, error) {
	how, err := g.confirm.How()
	return how != confirm.Off, err
}

func (g *Gateway) reachedAt() (on bool, url string, err error) {
	doc, err := g.access.Read()
	return doc.Address.On, address.URL(doc.Address), err
}

func (g *Gateway) turnOffAddress(context.Context) error {
	err := g.access.Change(func(d *keep.Doc) error {
		d.Address.On = false
		return nil
	})
	if err == nil {
		g.shutOut()
	}
	return careError(err)
}
