package gateway

import (
	"bytes"
	"context"
	"net/http"
	"strings"

	"conch/gateway/chat"
	"conch/gateway/web"
)

const railMax = 200 // chats in the rail

func (g *Gateway) writePage(w http.ResponseWriter, status int, v web.PageView) error {
	var b bytes.Buffer
	if err := g.web.Page(&b, v); err != nil {
		g.log.Error("a page could not be rendered", "err", err)
		return err
	}
	web.Headers(w.Header())
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
	return nil
}

func (g *Gateway) getStatic(w http.ResponseWriter, r *http.Request) error {
	g.web.Static().ServeHTTP(w, r)
	return nil
}

// pageHere redeems a code in its fragment, then goes on to ?next=.
func (g *Gateway) pageHere(w http.ResponseWriter, r *http.Request) error {
	return g.writePage(w, http.StatusOK, web.Here{Next: ownPath(r.URL.Query().Get("next"))})
}

// ownPath is p when it leads to a page of ours, else the start page. A browser reads "//host" and "/\host"
// as another site.
func ownPath(p string) string {
	if len(p) > 200 || !strings.HasPrefix(p, "/") || strings.HasPrefix(p, "//") || strings.ContainsAny(p, "\\\r\n\t#") {
		return web.PathHome
	}
	return p
}

func (g *Gateway) pageHome(w http.ResponseWriter, r *http.Request) error {
	frame, err := g.frame(r.Context())
	if err != nil {
		return err
	}
	return g.writePage(w, http.StatusOK, web.Home{Frame: frame, Model: g.modelsRow().Usual, Computer: g.computerView(r.Context())})
}

func (g *Gateway) pageChat(w http.ResponseWriter, r *http.Request) error {
	c, err := g.store.Chat(r.Context(), r.PathValue("id"))
	if err != nil {
		return g.notFound(w, r)
	}
	f, err := g.fold(r.Context(), c.ID)
	if err != nil {
		return err
	}
	frame, err := g.frame(r.Context())
	if err != nil {
		return err
	}
	cost, err := g.costView(r.Context(), c.ID)
	if err != nil {
		return err
	}
	frame.After, frame.Needs = f.after, g.needsOK(r.Context(), c.ID)
	return g.writePage(w, http.StatusOK, web.Chat{
		Frame: frame, ID: c.ID, Title: c.Title, Items: f.items,
		Asking: g.asking(c.ID), Live: g.liveView(c.ID), Composer: g.composer(c), Cost: cost, Computer: g.computerView(r.Context()),
	})
}

// fold is all of a chat's log.
func (g *Gateway) fold(ctx context.Context, id string) (*fold, error) {
	events, err := g.store.All(ctx, id, 0)
	if err != nil {
		return nil, err
	}
	f := newFold()
	for _, e := range events {
		f.add(e)
	}
	return f, nil
}

func (g *Gateway) pageSettings(w http.ResponseWriter, r *http.Request) error {
	frame, err := g.frame(r.Context())
	if err != nil {
		return err
	}
	rows, err := g.assistantRows(r.Context())
	if err != nil {
		return err
	}
	_, otherApps := g.mux.rules["GET "+web.PathApps]
	return g.writePage(w, http.StatusOK, web.Settings{
		Rows: rows, OtherApps: otherApps,
		Frame: frame, Computer: g.computerView(r.Context()), Confirm: g.confirmView(who(r).Local), Address: g.addressView(who(r).Local), Version: g.cfg.Version, Folder: g.home,
	})
}

func (g *Gateway) pageComputer(w http.ResponseWriter, r *http.Request) error {
	frame, err := g.frame(r.Context())
	if err != nil {
		return err
	}
	return g.writePage(w, http.StatusOK, web.ComputerSettings{
		Frame: frame, Switch: g.switchView(), Screen: g.screenView(r.Context()), Pause: g.pauseView(), Switches: g.switchesView(r.Context(), who(r).Local), Allowed: g.allowedView(),
		Stop: g.stopKey(), Practice: g.cfg.Practice,
	})
}

func (g *Gateway) notFound(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet || strings.HasPrefix(r.URL.Path, "/api/") {
		return problem(CodeNotFound, "There's nothing at this address.", "Check the address and the method.")
	}
	frame, err := g.frame(r.Context())
	if err != nil {
		return err
	}
	return g.writePage(w, http.StatusNotFound, web.NotFound{Frame: frame})
}

func (g *Gateway) frame(ctx context.Context) (web.Frame, error) {
	rail, err := g.rail(ctx)
	return web.Frame{Rail: rail, Needs: g.needsOK(ctx, ""), Palette: web.Palette{Practice: g.cfg.Practice, Apps: g.knownApps}}, err
}

func (g *Gateway) rail(ctx context.Context) (web.RailChats, error) {
	chats, err := g.store.Chats(ctx, railMax)
	if err != nil {
		return web.RailChats{}, err
	}
	asking := map[string]bool{}
	for _, q := range g.desk.Waiting() {
		asking[q.Chat] = true
	}
	var rail web.RailChats
	now := g.cfg.Now()
	for _, c := range chats {
		day := dayName(c.Updated, now)
		if n := len(rail.Days); n == 0 || rail.Days[n-1].Name != day {
			rail.Days = append(rail.Days, web.RailDay{Name: day})
		}
		_, running := g.runner.Running(c.ID)
		last := &rail.Days[len(rail.Days)-1]
		last.Chats = append(last.Chats, web.RailChat{ID: c.ID, Title: c.Title, Running: running, Asking: asking[c.ID]})
	}
	return rail, nil
}

func (g *Gateway) asking(chatID string) web.Asking {
	var out web.Asking
	for _, q := range g.desk.Waiting() {
		if q.Chat == chatID {
			out.Questions = append(out.Questions, web.Question{
				ID: q.ID, What: q.Title, Why: q.Why, App: q.App, Always: q.Always, At: q.Asked.Local(),
			})
		}
	}
	return out
}

func (g *Gateway) composer(c chat.Chat) web.ComposerState {
	_, running := g.runner.Running(c.ID)
	v := web.ComposerState{Chat: c.ID, Running: running, Mode: web.Mode(c.Mode)}
	answers := g.models.Answers(c.Model)
	if v.Model = g.models.Name(answers); v.Model == "" {
		v.Model = answers // chosen before anything was learned of it
	}
	if answers == c.Model {
		v.ModelOwn = c.Model
	}
	return v
}

func (g *Gateway) switchView() web.Switch {
	v := web.Switch{On: g.use.On()}
	// A file that may not be replaced can't be changed from here either, so the switch says why.
	if said := stateProblem(g.use.Problem()); said != nil {
		v.Locked = said.Say
	}
	return v
}

func (g *Gateway) pauseView() web.Pause {
	return web.Pause{Off: !g.use.Pauses(), Locked: g.switchView().Locked}
}

func (g *Gateway) allowedView() web.AllowedApps {
	var out web.AllowedApps
	for _, a := range g.use.Apps() {
		out.Apps = append(out.Apps, web.AllowedApp{ID: string(a.ID), Name: a.Name, Since: a.Since.Local()})
	}
	return out
}

func (g *Gateway) computerView(ctx context.Context) web.Computer {
	return web.Computer{On: g.use.On(), Screen: g.screenView(ctx), Practice: g.cfg.Practice}
}
