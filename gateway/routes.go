package gateway

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"time"

	"conch/gateway/access"
	"conch/gateway/web"

	"github.com/go-json-experiment/json"
)

// handler does what a route is for. A *Problem is shown as it is; any other error is a mistake of ours.
type handler func(w http.ResponseWriter, r *http.Request) error

// route is one row of the table. Rule's zero level admits nobody.
type route struct {
	pattern string
	rule    access.Rule
	h       handler
}

const (
	smallBody    = 1 << 10
	passwordBody = 8 << 10 // six bytes of JSON for each of a password at worst
	addressBody  = 16 << 10
	textBody     = 700_000 // of a message: six bytes of JSON for each of chat.TextMax at worst
)

// table is every route of the gateway's own. testdata/routes.txt shows it to a reviewer.
func (g *Gateway) table() []route {
	open := access.Rule{Need: access.Open}
	herePage := access.Rule{Need: access.Anyone, Document: true}
	page := access.Rule{Need: access.Device, Document: true}
	read := access.Rule{Need: access.Device}
	small := access.Rule{Need: access.Device, Body: smallBody}
	password := access.Rule{Need: access.Device, Body: passwordBody}
	text := access.Rule{Need: access.Device, Body: textBody}
	place := access.Rule{Need: access.Device, Body: placeBody}
	fact := access.Rule{Need: access.Device, Body: factBody}
	here := access.Rule{Need: access.Here, Body: smallBody} // on this computer only
	return []route{
		{"GET " + web.PathStatic, open, g.getStatic},
		{"GET /here", herePage, g.pageHere},
		{"POST /api/here", access.Rule{Need: access.Anyone, Body: smallBody}, g.postHere},
		{"POST /api/sign-in", access.Rule{Need: access.Away, Body: passwordBody}, g.postSignIn},
		{"GET /api/device", access.Rule{Need: access.Waiting}, g.getDevice},

		{"GET /{$}", page, g.pageHome},
		{"GET /chats/{id}", page, g.pageChat},
		{"GET /settings", page, g.pageSettings},
		{"GET /settings/computer", page, g.pageComputer},
		{"GET /settings/devices", page, g.pageDevices},
		{"GET " + web.PathCheckup, page, g.pageCheckup},
		{"GET " + web.PathRepair, page, g.pageRepair},
		{"GET /activity", page, g.pageActivity},
		{"GET " + web.PathMemory, page, g.pageMemory},
		{"GET " + web.PathModels, page, g.pageModels},
		{"GET " + web.PathSkills, page, g.pageSkills},
		{"GET " + web.PathSkills + "/{name}", page, g.pageSkill},
		{"/", page, g.notFound},

		{"GET /api/here", access.Rule{Need: access.Here}, g.getHere},
		{"POST /api/here/codes", here, g.postCode},
		{"GET /api/status", read, g.getStatus},
		{"GET /api/activity", read, g.getActivity},
		{"GET /api/care", read, g.getCare},
		{"POST /api/care/fix", here, g.postFix},
		{"POST /api/care/repair", here, g.postRepair},
		{"POST /api/chats", text, g.postChat},
		{"POST /api/chats/{id}/messages", text, g.postMessage},
		{"POST /api/chats/{id}/stop", small, g.postStopChat},
		{"POST /api/chats/{id}/mode", small, g.postMode},
		{"GET /api/chats/{id}/events", read, g.getEvents},
		{"POST /api/confirm", password, g.postConfirm},
		{"POST /api/confirm/on", access.Rule{Need: access.Here, Body: passwordBody}, g.postConfirmOn},
		{"POST /api/confirm/off", here, g.postConfirmOff},
		{"POST /api/password", access.Rule{Need: access.Page, Body: passwordBody}, g.postPassword},
		{"POST /api/address", access.Rule{Need: access.Page, Body: addressBody}, g.postAddress},
		{"DELETE /api/address", small, g.deleteAddress},
		{"POST /api/devices/{id}", access.Rule{Need: access.Page, Body: smallBody}, g.postDevice},
		{"DELETE /api/devices/{id}", small, g.deleteDevice},
		{"POST /api/questions/{id}", small, g.postQuestion},
		{"POST /api/computer-use", small, g.postComputerUse},
		{"POST /api/computer-use/stop", small, g.postStop},
		{"POST /api/computer-use/pause", small, g.postPause},
		{"GET /api/computer-use/shot/{id}", read, g.getShot},
		{"DELETE /api/computer-use/apps/{id}", small, g.deleteApp},
		{"POST /api/computer-use/switches/look", small, g.postLookSwitches},
		{"POST /api/computer-use/switches/{name}", here, g.postAskSwitch},
		{"POST /api/computer-use/reopen", here, g.postReopen},
		{"GET /api/practice/shot", read, g.getPracticeShot},
		{"GET /api/models", read, g.getModels},
		{"POST /api/models", place, g.postPlace},
		{"POST /api/models/find", small, g.postFindPlaces},
		{"POST /api/models/usual", small, g.postUsual},
		{"POST /api/models/limits", small, g.postLimits},
		{"POST /api/models/{id}/key", place, g.postPlaceKey},
		{"POST /api/models/{id}/test", small, g.postPlaceTest},
		{"DELETE /api/models/{id}", small, g.deletePlace},
		{"POST /api/chats/{id}/model", small, g.postChatModel},
		{"POST /api/memory", fact, g.postFact},
		{"POST /api/memory/{id}", fact, g.postFactEdit},
		{"POST /api/memory/{id}/keep", fact, g.postFactKeep},
		{"POST /api/memory/{id}/refuse", small, g.postFactRefuse},
		{"POST /api/memory/{id}/forget", small, g.postFactForget},
		{"POST /api/memory/{id}/undo", small, g.postFactUndo},
		{"POST /api/skills/{name}", small, g.postSkill},
		{"POST /api/skills/{name}/accept", small, g.postSkillAccept},
		{"GET /live", access.Rule{Need: access.Device, Socket: true}, g.live},
	}
}

// router guards the table and hands requests to it.
type router struct {
	g     *Gateway
	mux   *http.ServeMux
	rules map[string]route
}

func newRouter(g *Gateway) *router {
	rt := &router{g: g, mux: http.NewServeMux(), rules: map[string]route{}}
	for _, r := range g.table() {
		rt.add(r)
	}
	return rt
}

func (rt *router) add(r route) {
	rt.rules[r.pattern] = r
	rt.mux.Handle(r.pattern, rt.handle(r))
}

// routes is every route there is, those that were mounted too.
func (rt *router) routes() []route { return slices.Collect(maps.Values(rt.rules)) }

// Mount adds a route that another package answers. Call it before Serve. The guard goes by rule as it does for every
// route; behind access.Door the handler proves its callers itself, with DoorCaller to tell how they came.
func (g *Gateway) Mount(pattern string, rule access.Rule, h http.Handler) {
	g.mux.add(route{pattern, rule, func(w http.ResponseWriter, r *http.Request) error {
		h.ServeHTTP(w, r)
		return nil
	}})
}

// ServeHTTP decides who is asking before anything of the request is looked at, also where the mux itself
// would answer (a path that isn't clean).
func (rt *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	_, pattern := rt.mux.Handler(r)
	route, ok := rt.rules[pattern]
	if !ok {
		route = rt.rules["/"]
	}
	who, refusal := rt.g.guard.Decide(access.FromHTTP(r), route.rule)
	if refusal != nil {
		rt.g.log.Info("refused", "route", route.pattern, "status", refusal.Status, "why", refusal.Reason)
		rt.refuse(w, r, route, refusal)
		return
	}
	if route.rule.Body > 0 {
		r.Body = http.MaxBytesReader(w, r.Body, route.rule.Body)
	}
	if who.Local || who.Device != "" {
		Proven(r)
	}
	ctx := context.WithValue(r.Context(), callerKey{}, caller{who, rt.g.confirm.Confirmed(who.Session)})
	if who.Device != "" {
		rt.g.devices.Here(who.Device)
		held, release := rt.g.devices.Hold(ctx, who.Device)
		defer release()
		ctx = held
	}
	rt.mux.ServeHTTP(w, r.WithContext(ctx))
}

// refuse shows a window without proof a page that can redeem a code, or where to sign in, and everybody else one flat
// sentence.
func (rt *router) refuse(w http.ResponseWriter, r *http.Request, route route, refusal *access.Refusal) {
	if r.ContentLength != 0 {
		// The server would read what is left of the body before it answers; a stranger's isn't waited for.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now())
	}
	if refusal.Status == http.StatusUnauthorized && route.rule.Document && r.Method == http.MethodGet {
		var page web.PageView = web.Refused{}
		if refusal.SignIn {
			page = rt.g.signInPage(r, refusal.Waiting)
		}
		if err := rt.g.writePage(w, http.StatusUnauthorized, page); err == nil {
			return
		}
	}
	writeProblem(w, problemOf(refusal))
}

func (rt *router) handle(route route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler { //nolint:errorlint // it is panicked as it is
				panic(p)
			}
			rt.g.log.Error("a request panicked", "route", route.pattern, "stack", string(debug.Stack()))
			writeProblem(w, problemOf(errors.New("panic")))
		}()
		err := route.h(w, r)
		if err == nil {
			return
		}
		p := problemOf(err)
		level := rt.g.log.Info
		if p.Code == CodeInternal {
			level = rt.g.log.Error
		}
		level("request failed", "route", route.pattern, "code", string(p.Code), "err", p.Err)
		if route.rule.Document && p.Code == CodeInternal {
			if rt.g.writePage(w, p.status(), web.Broken{Say: p.Say, Next: p.Next}) == nil {
				return
			}
		}
		writeProblem(w, p)
	})
}

type callerKey struct{}

// caller is who was let in, and whether the person confirmed from there just now.
type caller struct {
	access.Who
	sure bool
}

// who is the caller, as the guard knows it. Nobody is the zero value.
func who(r *http.Request) access.Who { return callerOf(r).Who }

func callerOf(r *http.Request) caller {
	c, _ := r.Context().Value(callerKey{}).(caller)
	return c
}

// Caller says how a program came to the door. Neither is proof of who it is.
type Caller struct {
	LooksLocal bool       // from this computer, by its looks
	Secure     bool       // over HTTPS, to Conch's address
	From       netip.Addr // whom failed tries count for
}

// DoorCaller says how the caller of a route of access.Door came.
func DoorCaller(r *http.Request) Caller {
	w := who(r)
	return Caller{LooksLocal: w.LooksLocal, Secure: w.Secure, From: w.From}
}

// readJSON reads the one JSON value of a body: no member twice, none unknown, nothing after it.
func readJSON(r *http.Request, v any) error {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return &Problem{Code: CodeInvalid, Say: "That is too long.", Next: "Send less at a time.", Err: err, Status: http.StatusRequestEntityTooLarge}
		}
		return &Problem{Code: CodeInvalid, Say: "The request broke off.", Next: "Send it again.", Err: err}
	}
	if len(data) == 0 {
		data = []byte("{}")
	}
	if err := json.Unmarshal(data, v, json.RejectUnknownMembers(true)); err != nil {
		// The error quotes names, never values; still it is only for the log.
		return &Problem{Code: CodeInvalid, Say: "That request can't be read.", Next: "Send the JSON that this address takes.", Err: errors.New("bad JSON")}
	}
	return nil
}

func noContent(w http.ResponseWriter) error {
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}
