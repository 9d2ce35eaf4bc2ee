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

// Guard decides on requests. Make one with NewGuard. It is safe for several goroutines.
type Guard struct {
	proof   *Proof
	failing *throttle
}

// NewGuard makes a guard that trusts proof.
func NewGuard(proof *Proof, now func() time.Time) *Guard {
	return &Guard{proof: proof, failing: newThrottle(now)}
}

// Decide says who the request is from, or why it doesn't go on.
func (g *Guard) Decide(r Request, rule Rule) (Who, *Refusal) {
	if !r.ownHost() {
		return Who{}, &Refusal{
			http.StatusMisdirectedRequest, "misdirected", "This address isn't Conch's.",
			"Open Conch from the menu bar.", "host " + clip(r.Host),
		}
	}
	stranger := false
	if why := foreign(r); why != "" {
		if !rule.Document || !navigation(r) {
			return Who{}, &Refusal{
				http.StatusForbidden, "foreign", "Conch answers only its own pages.",
				"Open Conch from the menu bar.", why,
			}
		}
		stranger = true
	}
	if why := origin(r, rule); why != "" {
		return Who{}, &Refusal{
			http.StatusForbidden, "foreign", "Conch answers only its own pages.",
			"Open Conch from the menu bar.", why,
		}
	}
	if refusal := body(r, rule); refusal != nil {
		return Who{}, refusal
	}
	who, tried := Who{}, false
	if !stranger {
		who, tried = g.who(r)
	}
	return g.level(who, tried, r, rule)
}

// level compares what the caller proved with what the route asks. Right proof always passes: it is 256 bits
// long, so throttling it would only let anyone on this machine lock the person out.
func (g *Guard) level(who Who, tried bool, r Request, rule Rule) (Who, *Refusal) {
	switch {
	case rule.Need == Anyone && r.LooksLocal():
		return who, nil
	case rule.Need == Here && who.Local, rule.Need == Page && who.Local && who.Page:
		return who, nil
	case rule.Need == Page && who.Local:
		return Who{}, &Refusal{
			http.StatusForbidden, "page-only", "This can only be done in Conch's own window.",
			"Open Conch from the menu bar and do it there.", "a key was shown where a page's cookie is needed",
		}
	case rule.Need < Anyone || rule.Need > Page:
		return Who{}, &Refusal{http.StatusForbidden, "closed", "This isn't open.", "", "the route has no level"}
	}
	// A page is what a new code is redeemed on, so it always loads, however often a stale tab has tried.
	if tried && !rule.Document && !g.failing.allow(r.Remote) {
		return Who{}, &Refusal{
			http.StatusTooManyRequests, "too-many", "Too many tries.",
			"Wait a minute, then open Conch from the menu bar.", "throttled",
		}
	}
	return Who{}, &Refusal{
		http.StatusUnauthorized, "proof-needed", "Conch doesn't know this window yet.",
		"Open Conch from the menu bar.", "no proof",
	}
}

// Failed counts a wrong one-time code from remote and says whether more may be tried.
func (g *Guard) Failed(remote string) bool { return g.failing.allow(remote) }

// who reads the proof, and says whether a wrong one was shown.
func (g *Guard) who(r Request) (who Who, tried bool) {
	if !r.LooksLocal() {
		return Who{}, false
	}
	for _, value := range r.Header.Values(HeaderHere) {
		tried = true
		who.Local = who.Local || g.proof.Key(value)
	}
	req := http.Request{Header: r.Header}
	for _, c := range req.CookiesNamed(CookieName(r.Port())) {
		tried = true
		if g.proof.Cookie(c.Value, r.Port()) {
			sum := sha256.Sum256([]byte(c.Value))
			who.Local, who.Page, who.Session = true, true, hex.EncodeToString(sum[:])
		}
	}
	return who, tried && !who.Local
}

// foreign says why fetch metadata mark the request as another site's. A page on another port of this computer
// is "same-site", and gets our cookies, so only our own origin and the person's own hand pass.
func foreign(r Request) string {
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "same-origin" && site != "none" {
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
func origin(r Request, rule Rule) string {
	origins := r.Header.Values("Origin")
	scheme := "http://"
	if r.TLS {
		scheme = "https://"
	}
	for _, o := range origins {
		if !strings.EqualFold(o, scheme+r.Host) {
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
				http.StatusRequestEntityTooLarge, "too-large", "That takes no content.",
				"Send the request without a body.", "a body where none is taken",
			}
		}
		return nil
	}
	if r.ContentLength > rule.Body {
		return &Refusal{
			http.StatusRequestEntityTooLarge, "too-large", "That is too long.",
			"Send less at a time.", "body too large",
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
		http.StatusUnsupportedMediaType, "json-only", "Conch reads JSON only.",
		"Send the body as application/json.", "content type " + clip(strings.Join(types, ", ")),
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
