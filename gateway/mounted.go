package gateway

import (
	"context"
	"net/http"

	"conch/gateway/access"
	"conch/gateway/access/address"
	"conch/gateway/web"
)

// What a package above needs to answer routes of its own, with the same guard, errors and frame as the gateway's.

// stateMounted says that what a mounted page shows is different.
const stateMounted stateChange = "mounted"

// liveParts are the parts of a mounted page that change by themselves.
type liveParts func(ctx context.Context, local bool) ([]web.PartView, error)

// Handle adds a route like Mount, and shows its error as the gateway's own are shown: a *Problem as it is, any other
// as a mistake of ours.
func (g *Gateway) Handle(pattern string, rule access.Rule, h func(http.ResponseWriter, *http.Request) error) {
	g.mux.add(route{pattern, rule, h})
}

// Follow has a page's socket bring these parts up to date after Refresh. page is its data-follow. Call it before Serve.
func (g *Gateway) Follow(page string, parts func(ctx context.Context, local bool) ([]web.PartView, error)) {
	g.mounted[page] = parts
}

// OtherApps says that a mounted page connects these apps, so that ⌘K finds them. Call it before Serve.
func (g *Gateway) OtherApps(known []web.AppName) { g.knownApps = known }

// Refresh says that what mounted pages show is different.
func (g *Gateway) Refresh() { g.publish(topicSettings, stateMounted) }

func (g *Gateway) mountedParts(ctx context.Context, page string, local bool) ([]web.PartView, error) {
	if parts := g.mounted[page]; parts != nil {
		return parts(ctx, local)
	}
	return nil, nil
}

// Page shows a page with the rail around it.
func (g *Gateway) Page(w http.ResponseWriter, r *http.Request, view func(web.Frame) web.PageView) error {
	frame, err := g.frame(r.Context())
	if err != nil {
		return err
	}
	return g.writePage(w, http.StatusOK, view(frame))
}

// Confirmed refuses what lets others in, or gives them more, to all but a page whose person confirmed that it's them in
// the last ten minutes, always. what begins a sentence: "An app can be connected".
func (g *Gateway) Confirmed(r *http.Request, what string) error {
	return g.mustMay(r, what)
}

// FromHere says that the caller proved to be on this computer.
func FromHere(r *http.Request) bool { return who(r).Local }

// PageOnly refuses programs.
func PageOnly(r *http.Request, what string) error {
	if who(r).Page {
		return nil
	}
	return problem(CodePageOnly, what+" only in Conch's own window.", "Open Conch from the menu bar and do it there.")
}

// ReadJSON reads the one JSON value of a body.
func ReadJSON(r *http.Request, v any) error { return readJSON(r, v) }

// WriteJSON answers with JSON.
func WriteJSON(w http.ResponseWriter, v any) { writeJSON(w, http.StatusOK, v) }

// NoContent answers that it is done.
func NoContent(w http.ResponseWriter) error { return noContent(w) }

// Address is Conch's address for other devices; empty while it is off.
func (g *Gateway) Address() string {
	doc, err := g.access.Read()
	if err != nil || !doc.Address.On {
		return ""
	}
	return address.URL(doc.Address)
}

// ClientLog is the chat that is a paired app's log; empty until the app did something.
func (g *Gateway) ClientLog(ctx context.Context, client string) string {
	c, err := g.store.ClientLog(ctx, client)
	if err != nil {
		return ""
	}
	return c.ID
}
