package access

import (
	"crypto/sha256"
	"encoding/hex"
	"mime"
	"net/http"
	"strings"
	"time"
)

// HeaderHere carries the here key of a program of the person's own.
const HeaderHere = "X-Conch-Here"

// Outside is what the guard has to know about callers from elsewhere.
type Outside interface {
	// Address is where they come to, as it is now.
	Address() Address
	// Known says whose a device's cookie is; in says that it was let in. An unknown one is "".
	Known(cookie string) (id string, in bool)
}

// Guard decides on requests. Make one with NewGuard. It is safe for several goroutines.
type Guard struct {
	proof   *Proof
	outside Outside
	proofs  *Throttle
	codes   *Throttle
}

// NewGuard makes a guard that trusts proof, and devices that outside knows; nil is none.
func NewGuard(proof *Proof, outside Outside, now func() time.Time) *Guard {
	return &Guard{proof: proof, outside: outside, proofs: NewThrottle(LimitProofs, now), codes: NewThrottle(LimitCodes, now)}
}

// Decide says who the request is from, or why it doesn't go on.
func (g *Guard) Decide(r Request, rule Rule) (Who, *Refusal) {
	address, secure := g.address(r)
	if !secure && !r.ownHost() {
		return Who{}, &Refusal{
			Status: http.StatusMisdirectedRequest, Code: "misdirected", Say: "This address isn't Conch's.",
			Next: "Open Conch from the menu bar.", Reason: "host " + clip(r.Host),
		}
	}
	came := Who{LooksLocal: r.LooksLocal(), Secure: secure, From: r.from(secure && address.Proxy)}
	stranger := false
	if why := foreign(r, rule); why != "" {
		if !rule.Document || !navigation(r) {
			return Who{}, notOurs(why)
		}
		stranger = true
	}
	if why := origin(r, rule, secure); why != "" {
		return Who{}, notOurs(why)
	}
	if refusal := body(r, rule); refusal != nil {
		return Who{}, refusal
	}
	who, tried := came, false
	if !stranger && rule.Need != Door {
		who, tried = g.who(r, came)
	}
	if admits(rule.Need, who) {
		return who, nil
	}
	return Who{}, g.refuse(who, tried, rule)
}

// address is the one that the request came to over HTTPS. It isn't looked up for what is plainly of this computer.
func (g *Guard) address(r Request) (Address, bool) {
	if g.outside == nil || !r.TLS && len(r.Header.Values("X-Forwarded-Proto")) == 0 {
		return Address{}, false
	}
	a := g.outside.Address()
	return a, r.secure(a)
}

// admits compares what the caller proved with what the route asks. Right proof always passes: it is 256 bits
// long, so throttling it would only let anyone on this machine lock the person out.
func admits(need Level, who Who) bool {
	switch need {
	case Open, Door:
		return who.LooksLocal || who.Secure
	case Anyone:
		return who.LooksLocal
	case Away:
		return who.Secure
	case Waiting:
		return who.Waiting != "" || who.Device != ""
	case Device:
		return who.Local || who.Device != ""
	case Here:
		return who.Local
	case Page:
		return who.Local && who.Page
	default:
		return false
	}
}

func (g *Guard) refuse(who Who, tried bool, rule Rule) *Refusal {
	switch {
	case rule.Need <= Nobody || rule.Need > Page:
		return &Refusal{Status: http.StatusForbidden, Code: "closed", Say: "This isn't open.", Reason: "the route has no level"}
	case who.Local && rule.Need == Page:
		return &Refusal{
			Status: http.StatusForbidden, Code: "page-only", Say: "This can only be done in Conch's own window.",
			Next: "Open Conch from the menu bar and do it there.", Reason: "a key was shown where a page's cookie is needed",
		}
	case who.Device != "":
		return &Refusal{
			Status: http.StatusForbidden, Code: "here-only", Say: "This can only be done on the computer itself.",
			Next: "Open Conch there, from the menu bar.", Reason: "a device asked for what only this computer may",
		}
	}
	// A page is what a new code is redeemed on, so it always loads, however often a stale tab has tried.
	if tried && !rule.Document && !g.proofs.Try(who.From) {
		return &Refusal{
			Status: http.StatusTooManyRequests, Code: "too-many", Say: "Too many tries.",
			Next: "Wait a minute, then open Conch from the menu bar.", Reason: "throttled",
		}
	}
	reason := "no proof"
	if who.Waiting != "" {
		reason = "a device that wasn't let in yet"
	}
	return &Refusal{
		Status: http.StatusUnauthorized, Code: "proof-needed", Say: "Conch doesn't know this window yet.",
		Next: "Open Conch from the menu bar.", Reason: reason, SignIn: who.Secure, Waiting: who.Waiting != "",
	}
}

func notOurs(why string) *Refusal {
	return &Refusal{
		Status: http.StatusForbidden, Code: "foreign", Say: "Conch answers only its own pages.",
		Next: "Open Conch from the menu bar.", Reason: why,
	}
}

// Failed counts a wrong one-time code from remote and says whether more may be tried.
func (g *Guard) Failed(remote string) bool { return g.codes.Try(Request{Remote: remote}.from(false)) }

// who adds to how a request came what it proves, and says whether wrong proof was shown.
func (g *Guard) who(r Request, came Who) (who Who, tried bool) {
	who = came
	req := http.Request{Header: r.Header}
	if who.Secure {
		for _, c := range req.CookiesNamed(DeviceCookie) {
			tried = true
			if id, in := g.outside.Known(c.Value); in {
				who.Device, who.Waiting, who.Page, who.Session = id, "", true, session(c.Value)
			} else if id != "" && who.Device == "" {
				who.Waiting = id
			}
		}
		return who, tried && who.Device == "" && who.Waiting == ""
	}
	if !who.LooksLocal {
		return who, false
	}
	for _, value := range r.Header.Values(HeaderHere) {
		tried = true
		who.Local = who.Local || g.proof.Key(value)
	}
	for _, c := range req.CookiesNamed(CookieName(r.Port())) {
		tried = true
		if g.proof.Cookie(c.Value, r.Port()) {
			who.Local, who.Page, who.Session = true, true, session(c.Value)
		}
	}
	return who, tried && !who.Local
}

func session(cookie string) string {
	sum := sha256.Sum256([]byte(cookie))
	return hex.EncodeToString(sum[:])
}

// foreign says why fetch metadata mark the request as another site's. A page on another port of this computer
// is "same-site", and gets our cookies, so only our own origin and the person's own hand pass.
//
// At the door there is no origin of our own: pages have no business there.
func foreign(r Request, rule Rule) string {
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "none" && (site != "same-origin" || rule.Need == Door) {
			return "fetch site " + clip(site)
		}
	}
	return ""
}

// navigation says that a person's window goes to the address: a top-level GET, never a frame.
func navigation(r Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document"
}

// origin says why the Origin is not our own. Browsers send one with every socket and every change.
func origin(r Request, rule Rule, secure bool) string {
	origins := r.Header.Values("Origin")
	scheme := "http://"
	if secure {
		scheme = "https://"
	}
	for _, o := range origins {
		if rule.Need == Door || !strings.EqualFold(o, scheme+r.Host) {
			return "origin " + clip(o)
		}
	}
	if rule.Socket && len(origins) != 1 && r.Header.Get(HeaderHere) == "" {
		return "a socket without an origin"
	}
	return ""
}

// body checks that what is sent is what the route takes: JSON of a bounded size, or nothing.
func body(r Request, rule Rule) *Refusal {
	if rule.Body == 0 {
		if r.ContentLength != 0 || len(r.Header.Values("Transfer-Encoding")) > 0 {
			return &Refusal{
				Status: http.StatusRequestEntityTooLarge, Code: "too-large", Say: "That takes no content.",
				Next: "Send the request without a body.", Reason: "a body where none is taken",
			}
		}
		return nil
	}
	if r.ContentLength > rule.Body {
		return &Refusal{
			Status: http.StatusRequestEntityTooLarge, Code: "too-large", Say: "That is too long.",
			Next: "Send less at a time.", Reason: "body too large",
		}
	}
	if r.ContentLength == 0 && len(r.Header.Values("Content-Type")) == 0 {
		return nil // the handler says what is missing
	}
	types := r.Header.Values("Content-Type")
	if len(types) == 1 {
		kind, params, err := mime.ParseMediaType(types[0])
		charset, named := params["charset"]
		if err == nil && kind == "application/json" && (!named || strings.EqualFold(charset, "utf-8")) {
			return nil
		}
	}
	return &Refusal{
		Status: http.StatusUnsupportedMediaType, Code: "json-only", Say: "Conch reads JSON only.",
		Next: "Send the body as application/json.", Reason: "content type " + clip(strings.Join(types, ", ")),
	}
}

// clip keeps what a stranger sent short in the log.
func clip(s string) string {
	const most = 80
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
