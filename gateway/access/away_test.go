package access

import (
	"crypto/sha256"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// away is what a test's guard knows of callers elsewhere.
type away struct {
	address Address
	in      map[string]string // cookie → id
	waiting map[string]string
}

func (a *away) Address() Address { return a.address }

func (a *away) Known(cookie string) (string, bool) {
	if id := a.in[cookie]; id != "" {
		return id, true
	}
	return a.waiting[cookie], false
}

func elsewhere(proxy bool) *away {
	host := "conch.test:4779"
	if proxy {
		host = "conch.test"
	}
	return &away{Address{host, proxy}, map[string]string{"good": "d1"}, map[string]string{"waits": "d2"}}
}

// afar is a request over HTTPS to Conch's own port.
func afar(method string, headers ...string) Request {
	r := own(method, headers...)
	r.Host, r.Remote, r.Local, r.TLS = "conch.test:4779", "192.0.2.7:5000", "192.0.2.1:4779", true
	return r
}

// proxied is one that a TLS proxy on this computer hands on.
func proxied(method string, headers ...string) Request {
	r := own(method, append([]string{"X-Forwarded-Proto", "https", "X-Forwarded-For", "203.0.113.1, 198.51.100.4"}, headers...)...)
	r.Host = "conch.test"
	return r
}

func TestGuardElsewhere(t *testing.T) {
	proof := NewProof(testKey, clock)
	good, waits := DeviceCookie+"=good", DeviceCookie+"=waits"
	here := []string{"Cookie", CookieName("7777") + "=" + proof.NewCookie("7777").Value, HeaderHere, EncodeKey(testKey)}
	const ok = 200
	none := &away{}
	tests := []struct {
		name string
		out  *away
		r    Request
		need Level
		want int
	}{
		{"a device", elsewhere(false), afar("GET", "Cookie", good), Device, ok},
		{"a device that waits", elsewhere(false), afar("GET", "Cookie", waits), Device, 401},
		{"a device that waits asks whether it waits", elsewhere(false), afar("GET", "Cookie", waits), Waiting, ok},
		{"a device that was let in asks the same", elsewhere(false), afar("GET", "Cookie", good), Waiting, ok},
		{"nobody", elsewhere(false), afar("GET"), Device, 401},
		{"nobody waits", elsewhere(false), afar("GET"), Waiting, 401},
		{"nobody, styles", elsewhere(false), afar("GET"), Open, ok},
		{"nobody, signing in", elsewhere(false), afar("GET"), Away, ok},
		{"signing in on this computer", elsewhere(false), own("GET"), Away, 401},
		{"nobody, a code", elsewhere(false), afar("GET"), Anyone, 401},
		{"a device, a code", elsewhere(false), afar("GET", "Cookie", good), Anyone, 403},
		{"a device, this computer", elsewhere(false), afar("GET", "Cookie", good), Here, 403},
		{"a device, this computer's page", elsewhere(false), afar("GET", "Cookie", good), Page, 403},
		{"the proof of this computer", elsewhere(false), afar("GET", here...), Device, 401},
		{"an unknown cookie", elsewhere(false), afar("GET", "Cookie", DeviceCookie+"=bad"), Device, 401},
		{"an empty cookie", elsewhere(false), afar("GET", "Cookie", DeviceCookie+"="), Device, 401},
		{"a bad cookie beside a good one", elsewhere(false), afar("GET", "Cookie", DeviceCookie+"=bad; "+good), Device, ok},
		{"a shouted name", elsewhere(false), with(afar("GET", "Cookie", good), func(r *Request) { r.Host = "CONCH.TEST:4779" }), Device, ok},

		{"no address", none, afar("GET", "Cookie", good), Device, 421},
		{"no address, and no name", none, with(afar("GET", "Cookie", good), func(r *Request) { r.Host = "" }), Device, 421},
		{"plain HTTP", elsewhere(false), with(afar("GET", "Cookie", good), func(r *Request) { r.TLS = false }), Device, 421},
		{"another name", elsewhere(false), with(afar("GET", "Cookie", good), func(r *Request) { r.Host = "evil.test:4779" }), Device, 421},
		{"another port", elsewhere(false), with(afar("GET", "Cookie", good), func(r *Request) { r.Host = "conch.test" }), Device, 421},
		{"this computer's name over HTTPS", elsewhere(false), with(own("GET", here...), func(r *Request) { r.TLS = true }), Device, 421},
		{"a device's cookie on this computer", elsewhere(false), own("GET", "Cookie", good), Device, 401},
		{"a proxy that wasn't named", elsewhere(false), proxied("GET", "Cookie", good), Device, 421},

		{"behind a proxy", elsewhere(true), proxied("GET", "Cookie", good), Device, ok},
		{"behind a proxy, nobody", elsewhere(true), proxied("GET"), Device, 401},
		{"behind a proxy over HTTP", elsewhere(true), with(proxied("GET", "Cookie", good), func(r *Request) { r.Header.Set("X-Forwarded-Proto", "http") }), Device, 421},
		{"behind two proxies", elsewhere(true), with(proxied("GET", "Cookie", good), func(r *Request) { r.Header.Add("X-Forwarded-Proto", "https") }), Device, 421},
		{"a proxy on another computer", elsewhere(true), with(proxied("GET", "Cookie", good), func(r *Request) { r.Remote = "192.0.2.7:1" }), Device, 421},
		{"a socket that isn't loopback", elsewhere(true), with(proxied("GET", "Cookie", good), func(r *Request) { r.Local = "192.0.2.1:7777" }), Device, 421},
		{"the proof of this computer behind a proxy", elsewhere(true), proxied("GET", here...), Device, 401},
		{"Conch's own TLS where there is a proxy", elsewhere(true), with(afar("GET", "Cookie", good), func(r *Request) { r.Host = "conch.test" }), Device, 421},

		{"its own origin", elsewhere(false), afar("GET", "Cookie", good, "Origin", "https://conch.test:4779"), Device, ok},
		{"its own origin without HTTPS", elsewhere(false), afar("GET", "Cookie", good, "Origin", "http://conch.test:4779"), Device, 403},
		{"another site", elsewhere(false), afar("GET", "Cookie", good, "Sec-Fetch-Site", "cross-site"), Device, 403},
		{"no level", elsewhere(false), afar("GET", "Cookie", good), Nobody, 403},

		{"the door here", elsewhere(false), own("GET"), Door, ok},
		{"the door elsewhere", elsewhere(false), afar("GET"), Door, ok},
		{"the door, address bar", elsewhere(false), own("GET", "Sec-Fetch-Site", "none"), Door, ok},
		{"the door, a page of ours", elsewhere(false), own("GET", "Sec-Fetch-Site", "same-origin"), Door, 403},
		{"the door, our own origin", elsewhere(false), own("GET", "Origin", "http://localhost:7777"), Door, 403},
		{"the door, no address", none, afar("GET"), Door, 421},
		{"the door by plain HTTP", elsewhere(false), with(own("GET"), func(r *Request) { r.Remote = "192.0.2.7:1" }), Door, 401},
		{"the door by a proxy that wasn't named", elsewhere(false), own("GET", "Via", "1.1 x"), Door, 401},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			who, refusal := NewGuard(proof, tt.out, clock).Decide(tt.r, Rule{Need: tt.need})
			got := ok
			if refusal != nil {
				got = refusal.Status
				if who != (Who{}) {
					t.Errorf("refused, yet known as %+v", who)
				}
			} else if who.Secure == who.LooksLocal {
				t.Errorf("it came both ways, or neither: %+v", who)
			} else if who.Device != "" && (who.Local || !who.Secure || who.Waiting != "") {
				t.Errorf("a device known as %+v", who)
			}
			if got != tt.want {
				t.Errorf("got %d (%v), want %d", got, refusal, tt.want)
			}
		})
	}
}

// FuzzElsewhere looks for a device, or a stranger, that gets in and shouldn't.
func FuzzElsewhere(f *testing.F) {
	proof := NewProof(testKey, clock)
	f.Add("conch.test", "127.0.0.1:1", "127.0.0.1:7777", "https", "good", "https://conch.test", "same-origin", uint8(1), uint8(Device))
	f.Add("conch.test:4779", "192.0.2.7:5", "192.0.2.1:4779", "", "good", "", "", uint8(2), uint8(Page))
	f.Add("localhost:7777", "127.0.0.1:1", "127.0.0.1:7777", "https", "waits", "null", "none", uint8(3), uint8(Waiting))
	f.Fuzz(func(t *testing.T, host, remote, local, proto, cookie, origin, site string, bits, need uint8) {
		out := elsewhere(bits&1 != 0)
		r := Request{Method: "GET", Host: host, Remote: remote, Local: local, TLS: bits&2 != 0, Header: http.Header{}}
		for name, value := range map[string]string{"X-Forwarded-Proto": proto, "Origin": origin, "Sec-Fetch-Site": site} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		if cookie != "" && !strings.ContainsAny(cookie, ";, \"\\\r\n") {
			r.Header.Set("Cookie", DeviceCookie+"="+cookie)
		}
		rule := Rule{Need: Level(need % 10)}
		who, refusal := NewGuard(proof, out, clock).Decide(r, rule)
		if refusal != nil {
			return
		}
		switch {
		case who.Local:
			t.Errorf("a device's cookie made somebody local: %+v", who)
		case who.Secure && !strings.EqualFold(host, out.address.Host):
			t.Errorf("host %q", host)
		case who.Secure && out.address.Proxy && (proto != "https" || r.TLS || !loopback(remote) || !loopback(local)):
			t.Errorf("not by a proxy of this computer: %q %q %q", proto, remote, local)
		case who.Secure && !out.address.Proxy && !r.TLS:
			t.Error("without TLS")
		case who.Device != "" && (cookie != "good" || !who.Secure), who.Waiting != "" && (cookie != "waits" || !who.Secure):
			t.Errorf("known by %q as %+v", cookie, who)
		case rule.Need >= Waiting && who.Device == "" && who.Waiting == "", rule.Need >= Device && who.Device == "":
			t.Errorf("no proof for %v: %+v", rule.Need, who)
		case rule.Need == Nobody, rule.Need == Anyone && !who.LooksLocal, rule.Need >= Here:
			t.Errorf("let in at %v: %+v", rule.Need, who)
		case origin != "" && (rule.Need == Door || who.Secure && !strings.EqualFold(origin, "https://"+host)):
			t.Errorf("origin %q at %q", origin, host)
		case site != "" && site != "none" && (site != "same-origin" || rule.Need == Door):
			t.Errorf("from another site: %q", site)
		}
	})
}

func TestFrom(t *testing.T) {
	out := elsewhere(true)
	from := func(r Request) string {
		who, _ := NewGuard(NewProof(testKey, clock), out, clock).Decide(r, Rule{Need: Open})
		return who.From.String()
	}
	if got := from(proxied("GET")); got != "198.51.100.4" {
		t.Errorf("behind a proxy: %s", got)
	}
	if got := from(with(proxied("GET"), func(r *Request) { r.Header.Set("X-Forwarded-For", "not an address") })); got != "127.0.0.1" {
		t.Errorf("behind one that says nothing: %s", got)
	}
	if got := from(own("GET")); got != "127.0.0.1" {
		t.Errorf("here: %s", got)
	}
	out.address = Address{Host: "conch.test:4779"}
	if got := from(afar("GET", "X-Forwarded-For", "203.0.113.9")); got != "192.0.2.7" {
		t.Errorf("without a proxy a header counts: %s", got)
	}
}

func TestThrottle(t *testing.T) {
	now := testNow
	for name, limit := range map[string]Limit{"proofs": LimitProofs, "codes": LimitCodes, "sign-ins": LimitSignIns, "confirmations": LimitConfirms} {
		t.Run(name, func(t *testing.T) {
			th := NewThrottle(limit, func() time.Time { return now })
			a := netip.MustParseAddr("192.0.2.1")
			tries := func(from netip.Addr, n int) (passed int) {
				for range n {
					if th.Try(from) {
						passed++
					}
				}
				return passed
			}
			if got := tries(a, limit.Each+50); got != limit.Each {
				t.Errorf("%d of one address pass, want %d", got, limit.Each)
			}
			if got := tries(netip.MustParseAddr("192.0.2.2"), 1); got != 1 {
				t.Error("one address's tries count for another")
			}
			if got := tries(netip.MustParseAddr("::ffff:192.0.2.1"), 1); got != 0 {
				t.Error("the same address written otherwise is another")
			}
			th.Right(a)
			if got := tries(a, limit.Each); got != limit.Each {
				t.Errorf("after a right one %d pass", got)
			}
			all := limit.Each + 1
			for i := range 4 * limit.All {
				all += tries(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 1)
			}
			if all != limit.All {
				t.Errorf("%d pass in all, want %d", all, limit.All)
			}
			if th.Try(netip.MustParseAddr("198.51.100.1")) || th.Try(netip.Addr{}) {
				t.Error("the bound for everyone doesn't hold")
			}
			now = now.Add(limit.Window + time.Second)
			if !th.Try(a) {
				t.Error("it must pass with time")
			}
			now = now.Add(-time.Hour)
			if !th.Try(a) {
				t.Error("a clock that was set back keeps people waiting")
			}
			if len(th.each) > mostAddresses {
				t.Errorf("%d addresses are remembered", len(th.each))
			}
		})
	}
}

// A household with IPv6 has more addresses than anybody can count.
func TestThrottleTakesAnIPv6HouseholdAsOne(t *testing.T) {
	th := NewThrottle(LimitSignIns, clock)
	passed := 0
	sum := sha256.Sum256([]byte("x"))
	for i := range 100 {
		b := netip.MustParseAddr("2001:db8:1:2::").As16()
		copy(b[8:], sum[:8])
		b[15] = byte(i)
		if th.Try(netip.AddrFrom16(b)) {
			passed++
		}
	}
	if passed != LimitSignIns.Each {
		t.Errorf("%d pass", passed)
	}
	if !th.Try(netip.MustParseAddr("2001:db8:1:3::1")) {
		t.Error("the neighbours wait too")
	}
}
