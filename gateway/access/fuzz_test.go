package access

import (
	"net/http"
	"strings"
	"testing"
)

// FuzzDecide looks for a request that gets in and shouldn't: whatever the headers are, who is let in has proof,
// came to one of our own names on our own port, over loopback, with no proxy named, and from no other site.
func FuzzDecide(f *testing.F) {
	proof := NewProof(testKey, clock)
	good := proof.NewCookie("7777").Value
	f.Add("localhost:7777", "127.0.0.1:1", "127.0.0.1:7777", "http://localhost:7777", "same-origin", "navigate", "document", "application/json", "", uint8(3), int64(0))
	f.Add("[::1]:7777", "[::1]:1", "[::1]:7777", "", "none", "", "", "", "1", uint8(9), int64(5))
	f.Add("evil.test:7777", "10.0.0.1:1", "0.0.0.0:7777", "null", "cross-site", "no-cors", "iframe", "text/plain", "", uint8(255), int64(-1))
	f.Fuzz(func(t *testing.T, host, remote, local, origin, site, mode, dest, kind, forwarded string, bits uint8, length int64) {
		r := Request{Method: "GET", Host: host, Remote: remote, Local: local, Header: http.Header{}, ContentLength: length}
		set := func(name, value string) {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		set("Origin", origin)
		set("Sec-Fetch-Site", site)
		set("Sec-Fetch-Mode", mode)
		set("Sec-Fetch-Dest", dest)
		set("Content-Type", kind)
		set("X-Forwarded-For", forwarded)
		cookie, key := bits&1 != 0, bits&2 != 0
		if cookie {
			r.Header.Add("Cookie", CookieName("7777")+"="+good)
		}
		if key {
			r.Header.Set(HeaderHere, EncodeKey(testKey))
		}
		rule := Rule{Need: []Level{Nobody, Anyone, Here, Page}[bits>>2&3], Document: bits&16 != 0, Socket: bits&32 != 0}
		if bits&64 != 0 {
			rule.Body = 100
		}
		who, refusal := NewGuard(proof, nil, clock).Decide(r, rule)
		if refusal != nil {
			if refusal.Status < 400 || refusal.Say == "" {
				t.Errorf("refusal %+v", refusal)
			}
			return
		}
		lower := strings.ToLower(host)
		name, port, _ := strings.Cut(strings.TrimPrefix(lower, "[::1]"), ":")
		switch {
		case rule.Need == Nobody || rule.Need > Page:
			t.Error("a route without a level let somebody in")
		case name != "localhost" && name != "127.0.0.1" && !strings.HasPrefix(lower, "[::1]:"):
			t.Errorf("host %q", host)
		case !strings.HasSuffix(local, ":"+port) || !loopback(remote) || !loopback(local) || forwarded != "":
			t.Errorf("not from this computer: %q %q %q", remote, local, forwarded)
		case site != "" && site != "same-origin" && site != "none" && (rule.Need != Anyone || !rule.Document || mode != "navigate" || dest != "document"):
			t.Errorf("from another site: %q", site)
		case origin != "" && strings.ToLower(origin) != "http://"+lower:
			t.Errorf("origin %q at %q", origin, host)
		case rule.Need > Anyone && !cookie && !key, rule.Need == Page && !cookie, who.Page && !cookie:
			t.Errorf("no proof for %v: %+v", rule.Need, who)
		case rule.Body == 0 && length != 0, rule.Body > 0 && length > rule.Body:
			t.Errorf("a body of %d", length)
		}
	})
}
