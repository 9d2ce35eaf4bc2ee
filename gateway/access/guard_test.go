package access

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"conch/gateway/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var (
	testKey = []byte(strings.Repeat("k", KeySize))
	testNow = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
)

func clock() time.Time { return testNow }

// own is a request from this computer by somebody who proves nothing.
func own(method string, headers ...string) Request {
	h := http.Header{}
	for i := 0; i < len(headers); i += 2 {
		h.Add(headers[i], headers[i+1])
	}
	return Request{Method: method, Host: "localhost:7777", Remote: "127.0.0.1:5000", Local: "127.0.0.1:7777", Header: h}
}

func with(r Request, change func(*Request)) Request {
	change(&r)
	return r
}

func TestGuard(t *testing.T) {
	proof := NewProof(testKey, clock)
	good := CookieName("7777") + "=" + proof.NewCookie("7777").Value
	key := EncodeKey(testKey)
	page := func(method string, more ...string) Request {
		return own(method, append([]string{"Cookie", good, "Sec-Fetch-Site", "same-origin"}, more...)...)
	}
	jsonBody := func(r Request) Request {
		r.Header.Set("Content-Type", "application/json")
		r.ContentLength = 10
		return r
	}
	here := Rule{Need: Here}
	post := Rule{Need: Here, Body: 100}
	doc := Rule{Need: Here, Document: true}
	sock := Rule{Need: Here, Socket: true}
	const ok = 200

	tests := []struct {
		name string
		r    Request
		rule Rule
		want int
	}{
		{"cookie", page("GET"), here, ok},
		{"key", own("GET", HeaderHere, key), here, ok},
		{"cookie of 127.0.0.1", with(page("GET"), func(r *Request) { r.Host = "127.0.0.1:7777" }), here, ok},
		{"cookie over IPv6", with(page("GET"), func(r *Request) { r.Host, r.Remote, r.Local = "[::1]:7777", "[::1]:1", "[::1]:7777" }), here, ok},
		{"IPv4 in IPv6", with(page("GET"), func(r *Request) { r.Remote = "[::ffff:127.0.0.1]:1" }), here, ok},
		{"shouted host", with(page("GET"), func(r *Request) { r.Host = "LOCALHOST:7777" }), here, ok},

		{"zero rule", page("GET"), Rule{}, 403},
		{"level out of range", page("GET"), Rule{Need: Page + 1}, 403},
		{"nobody", own("GET"), here, 401},
		{"nobody, open route", own("GET"), Rule{Need: Anyone}, ok},
		{"wrong key", own("GET", HeaderHere, strings.Repeat("0", 64)), here, 401},
		{"raw key", own("GET", HeaderHere, string(testKey)), here, 401},
		{"empty key", own("GET", HeaderHere, ""), here, 401},
		{"wrong cookie", own("GET", "Cookie", good+"x"), here, 401},
		{"another port's cookie", own("GET", "Cookie", CookieName("7777")+"="+proof.NewCookie("8888").Value), here, 401},
		{"wrong cookie beside the right one", own("GET", "Cookie", CookieName("7777")+"=v1.1.a.b; "+good), here, ok},

		{"page level by cookie", page("GET"), Rule{Need: Page}, ok},
		{"page level by key", own("GET", HeaderHere, key), Rule{Need: Page}, 403},
		{"page level by nobody", own("GET"), Rule{Need: Page}, 401},

		{"rebound host", with(page("GET"), func(r *Request) { r.Host = "evil.test:7777" }), here, 421},
		{"rebound host, open route", with(own("GET"), func(r *Request) { r.Host = "evil.test" }), Rule{Need: Anyone}, 421},
		{"rebound host with its own origin", with(page("POST", "Origin", "http://evil.test:7777"), func(r *Request) { r.Host = "evil.test:7777" }), post, 421},
		{"no host", with(page("GET"), func(r *Request) { r.Host = "" }), here, 421},
		{"host without port", with(page("GET"), func(r *Request) { r.Host = "localhost" }), here, 421},
		{"host with another port", with(page("GET"), func(r *Request) { r.Host = "localhost:1" }), here, 421},
		{"dotted host", with(page("GET"), func(r *Request) { r.Host = "localhost.:7777" }), here, 421},
		{"host like ours", with(page("GET"), func(r *Request) { r.Host = "localhost:7777.evil.test" }), here, 421},
		{"no local end known", with(page("GET"), func(r *Request) { r.Local = "" }), here, 421},

		{"another computer", with(page("GET"), func(r *Request) { r.Remote = "192.168.1.9:1" }), here, 401},
		{"another computer, open route", with(own("GET"), func(r *Request) { r.Remote = "192.168.1.9:1" }), Rule{Need: Anyone}, 401},
		{"another computer with the key", with(own("GET", HeaderHere, key), func(r *Request) { r.Remote = "10.0.0.1:1" }), here, 401},
		{"socket not on loopback", with(page("GET"), func(r *Request) { r.Local = "192.168.1.9:7777" }), here, 401},
		{"proxy", page("GET", "X-Forwarded-For", "127.0.0.1"), here, 401},
		{"proxy by the standard", page("GET", "Forwarded", "for=127.0.0.1"), here, 401},
		{"proxy with an empty header", page("GET", "X-Forwarded-Host", ""), here, 401},
		{"proxy, open route", own("GET", "Via", "1.1 x"), Rule{Need: Anyone}, 401},

		{"cross-site", page("GET", "Sec-Fetch-Site", "cross-site"), here, 403},
		{"another port of this computer", own("GET", "Cookie", good, "Sec-Fetch-Site", "same-site"), here, 403},
		{"typed address", own("GET", "Cookie", good, "Sec-Fetch-Site", "none"), here, ok},
		{"new word for a site", own("GET", "Cookie", good, "Sec-Fetch-Site", "galaxy"), here, 403},
		{"arrives from elsewhere", own("GET", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"), doc, 401},
		{"arrives from elsewhere with a cookie", own("GET", "Cookie", good, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"), doc, 401},
		{"arrives in a frame", own("GET", "Cookie", good, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"), doc, 403},
		{"arrives by a form", own("POST", "Cookie", good, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"), doc, 403},
		{"arrives at no page", own("GET", "Cookie", good, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"), here, 403},
		{"fetched from elsewhere", own("GET", "Cookie", good, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"), doc, 403},

		{"own origin", jsonBody(page("POST", "Origin", "http://localhost:7777")), post, ok},
		{"other origin", jsonBody(page("POST", "Origin", "http://evil.test")), post, 403},
		{"other port's origin", jsonBody(page("POST", "Origin", "http://localhost:3000")), post, 403},
		{"null origin", jsonBody(page("POST", "Origin", "null")), post, 403},
		{"empty origin", jsonBody(page("POST", "Origin", "")), post, 403},
		{"another scheme's origin", jsonBody(page("POST", "Origin", "https://localhost:7777")), post, 403},
		{"another name's origin", jsonBody(page("POST", "Origin", "http://127.0.0.1:7777")), post, 403},
		{"two origins", jsonBody(page("POST", "Origin", "http://localhost:7777", "Origin", "http://evil.test")), post, 403},
		{"other origin with the key", jsonBody(own("POST", HeaderHere, key, "Origin", "http://evil.test")), post, 403},
		{"reading with another origin", page("GET", "Origin", "http://evil.test"), here, 403},

		{"socket", page("GET", "Origin", "http://localhost:7777"), sock, ok},
		{"socket without origin", page("GET"), sock, 403},
		{"socket of a program", own("GET", HeaderHere, key), sock, ok},
		{"socket from another site", own("GET", "Cookie", good, "Origin", "http://evil.test"), sock, 403},

		{"json", jsonBody(page("POST")), post, ok},
		{"json with charset", with(jsonBody(page("POST")), func(r *Request) { r.Header.Set("Content-Type", "application/json; charset=UTF-8") }), post, ok},
		{"json in another charset", with(jsonBody(page("POST")), func(r *Request) { r.Header.Set("Content-Type", "application/json; charset=utf-16") }), post, 415},
		{"plain text", with(jsonBody(page("POST")), func(r *Request) { r.Header.Set("Content-Type", "text/plain") }), post, 415},
		{"form", with(jsonBody(page("POST")), func(r *Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }), post, 415},
		{"multipart", with(jsonBody(page("POST")), func(r *Request) { r.Header.Set("Content-Type", "multipart/form-data; boundary=x") }), post, 415},
		{"no type", with(page("POST"), func(r *Request) { r.ContentLength = 10 }), post, 415},
		{"two types", with(jsonBody(page("POST")), func(r *Request) { r.Header.Add("Content-Type", "text/plain") }), post, 415},
		{"nothing at all", page("POST"), post, ok},
		{"too long", with(jsonBody(page("POST")), func(r *Request) { r.ContentLength = 101 }), post, 413},
		{"unsaid length", with(jsonBody(page("POST")), func(r *Request) { r.ContentLength = -1 }), post, ok},
		{"body where none is taken", jsonBody(page("GET")), here, 413},
		{"unsaid body where none is taken", with(page("GET"), func(r *Request) { r.ContentLength = -1 }), here, 413},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			who, refusal := NewGuard(proof, nil, clock).Decide(tt.r, tt.rule)
			got := ok
			if refusal != nil {
				got = refusal.Status
				if refusal.Say == "" || refusal.Reason == "" || refusal.Code == "" {
					t.Errorf("a refusal without words: %+v", refusal)
				}
				if who != (Who{}) {
					t.Errorf("refused, yet known as %+v", who)
				}
			}
			if got != tt.want {
				t.Errorf("got %d (%v), want %d", got, refusal, tt.want)
			}
		})
	}
}

func TestCookieAge(t *testing.T) {
	now := testNow
	proof := NewProof(testKey, func() time.Time { return now })
	c := proof.NewCookie("1")
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" {
		t.Errorf("cookie %+v", c)
	}
	for age, want := range map[time.Duration]bool{
		0: true, CookieAge: true, CookieAge + time.Second: false, -skew: true, -skew - time.Second: false,
	} {
		now = testNow.Add(age)
		if got := proof.Cookie(c.Value, "1"); got != want {
			t.Errorf("at age %v: %v, want %v", age, got, want)
		}
	}
}

func TestNoKeyProvesNothing(t *testing.T) {
	for _, key := range [][]byte{nil, {}, make([]byte, KeySize-1), make([]byte, KeySize+1)} {
		p := NewProof(key, clock)
		if p.Key("") || p.Key(EncodeKey(key)) || p.Cookie(p.NewCookie("1").Value, "1") {
			t.Errorf("a key of %d bytes proves something", len(key))
		}
	}
}

// FuzzCookie looks for a value that is taken though it isn't exactly one that was made.
func FuzzCookie(f *testing.F) {
	proof := NewProof(testKey, clock)
	body := "v1." + strconv.FormatInt(testNow.Unix(), 10) + ".AAAAAAAAAAAAAAAAAAAAAA" // the same in every process
	made := body + "." + proof.mac(body, "1")
	if !proof.Cookie(made, "1") {
		f.Fatal("the cookie that was made isn't taken")
	}
	f.Add(made)
	f.Add("v1.1.a.b")
	f.Add(made + ".")
	f.Add(strings.Replace(made, "v1.", "v1.+", 1))
	f.Fuzz(func(t *testing.T, value string) {
		if proof.Cookie(value, "1") && value != made {
			t.Errorf("%q was taken", value)
		}
	})
}

func TestCodes(t *testing.T) {
	now := testNow
	c := NewCodes(func() time.Time { return now })
	code := c.New()
	if c.Redeem("") || c.Redeem(code+"x") || !c.Redeem(code) || c.Redeem(code) {
		t.Error("a code is good once, and nothing else is")
	}
	late := c.New()
	now = now.Add(CodeAge + time.Second)
	if c.Redeem(late) {
		t.Error("a code was good after its time")
	}
	back := c.New()
	now = now.Add(-time.Hour)
	if c.Redeem(back) {
		t.Error("a code from the future was good")
	}
	first := c.New()
	for range MaxCodes - 1 {
		c.New()
	}
	last := c.New()
	if c.Redeem(first) || !c.Redeem(last) {
		t.Error("one code too many must take the place of the oldest")
	}
	if len(c.waiting) > MaxCodes {
		t.Errorf("%d codes wait", len(c.waiting))
	}
}

func TestFailuresAreThrottledAndProofAlwaysPasses(t *testing.T) {
	now := testNow
	at := func() time.Time { return now }
	g := NewGuard(NewProof(testKey, at), nil, at)
	wrong := own("GET", HeaderHere, "wrong")
	count := func(r Request, n int) (refused int) {
		for range n {
			_, refusal := g.Decide(r, Rule{Need: Here})
			if refusal != nil && refusal.Status == http.StatusTooManyRequests {
				refused++
			}
		}
		return refused
	}
	if got := count(wrong, LimitProofs.Each); got != 0 {
		t.Errorf("%d refused within bounds", got)
	}
	if got := count(wrong, 5); got != 5 {
		t.Errorf("%d of 5 throttled", got)
	}
	if got := count(own("GET"), 200); got != 0 {
		t.Error("a window without any proof is no guess and isn't throttled")
	}
	if _, refusal := g.Decide(own("GET", HeaderHere, EncodeKey(testKey)), Rule{Need: Here}); refusal != nil {
		t.Errorf("the right key was shut out: %v", refusal)
	}
	if got := count(with(wrong, func(r *Request) { r.Remote = "127.0.0.2:1" }), LimitProofs.Each); got != 0 {
		t.Errorf("another address: %d throttled", got)
	}
	for i := range 10 {
		addr := "127.0.1." + string(rune('0'+i)) + ":1"
		count(with(wrong, func(r *Request) { r.Remote = addr }), LimitProofs.Each)
	}
	if got := count(with(wrong, func(r *Request) { r.Remote = "127.0.2.1:1" }), 1); got != 1 {
		t.Error("the bound for everyone didn't hold")
	}
	now = now.Add(2 * LimitProofs.Window)
	if got := count(wrong, 1); got != 0 {
		t.Error("it must pass with time")
	}
}
