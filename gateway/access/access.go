// Package access decides who a request is from and whether it may go on. A loopback socket proves nothing:
// another account, a web page, a rebound name or a proxy on this machine all look alike. So a caller proves
// itself with a key that only this person's account can read, or with a cookie made from it.
//
// From elsewhere only devices come in: over HTTPS to the one address that the person gave Conch, each with a cookie
// of its own, once it was let in from this computer.
//
// The guard decides on a plain Request, in one order: Host, fetch metadata and Origin, body, proof, level.
// The package serves nothing, and reads no body.
package access

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Level is what a route asks of its caller. The zero value admits nobody.
type Level int

// The levels, from those that ask least to those that ask most.
const (
	Nobody Level = iota
	// Open is anyone on this computer, or over HTTPS at Conch's address: styles and scripts.
	Open
	// Anyone on this computer: the page that redeems a code.
	Anyone
	// Away is anyone over HTTPS at Conch's address: signing in.
	Away
	// Door is for programs that prove themselves to the handler: anyone whom Open admits, but never a browser.
	Door
	// Waiting is a device that signed in, whether or not it was let in yet.
	Waiting
	// Device is a device that was let in, or proof of this computer.
	Device
	// Here is proof of this computer, by cookie or by key.
	Here
	// Page is a page's own cookie, on the computer itself: what adds power asks for it.
	Page
)

var levelNames = map[Level]string{
	Open: "open", Anyone: "anyone", Away: "away", Door: "door", Waiting: "waiting", Device: "device", Here: "here", Page: "page",
}

func (l Level) String() string {
	if name, ok := levelNames[l]; ok {
		return name
	}
	return "nobody"
}

// Rule is what a route asks.
type Rule struct {
	Need Level
	// Body is the most bytes of JSON that the route takes; 0 takes no body at all.
	Body int64
	// Document says that a person may arrive here from anywhere (the address bar, a file that opens the
	// page). Someone who comes from another site counts as a stranger, whatever cookie is sent.
	Document bool
	// Socket says that the route is a WebSocket: a browser must name its origin.
	Socket bool
}

// Request is what the guard looks at.
type Request struct {
	Method        string
	Host          string
	Remote, Local string // the two ends of the socket, host:port
	TLS           bool
	Header        http.Header
	// ContentLength is the body's size; -1 when the client didn't say.
	ContentLength int64
}

// FromHTTP takes from r what the guard looks at.
func FromHTTP(r *http.Request) Request {
	local := ""
	if a, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		local = a.String()
	}
	return Request{
		Method: r.Method, Host: r.Host, Remote: r.RemoteAddr, Local: local, TLS: r.TLS != nil,
		Header: r.Header, ContentLength: r.ContentLength,
	}
}

// Who is a caller that was let in.
type Who struct {
	Local bool // proven to be this person on this computer
	Page  bool // by a page's cookie
	// Device is the id of a device that was let in; empty on this computer.
	Device string
	// Waiting is the id of one that signed in and was not let in yet.
	Waiting string
	// Session tells one browser from another, by the hash of its cookie; empty for a program.
	Session string

	// LooksLocal and Secure say how the request came: from this computer, by its looks, or over HTTPS to Conch's
	// address. They are no proof.
	LooksLocal, Secure bool
	// From is whom tries count for.
	From netip.Addr
}

// Refusal is why a request doesn't go on. Say and Next are all that a stranger is told; Reason is for the log.
type Refusal struct {
	Status int
	Code   string
	Say    string
	Next   string
	Reason string
	// SignIn says that a person's window may show where to sign in, and Waiting that it did so already.
	SignIn, Waiting bool
}

func (r *Refusal) Error() string { return r.Code + ": " + r.Reason }

// Port returns the port of the socket that was connected to.
func (r Request) Port() string {
	_, port, err := net.SplitHostPort(r.Local)
	if err != nil {
		return ""
	}
	return port
}

// forwarding are the headers by which a proxy says that a request is somebody else's.
var forwarding = []string{
	"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port",
	"X-Forwarded-Server", "X-Real-Ip", "Via",
}

// LooksLocal says that the socket and the Host are of this machine and no proxy is named. It is no proof.
func (r Request) LooksLocal() bool {
	if !loopback(r.Remote) || !loopback(r.Local) || !r.ownHost() {
		return false
	}
	for _, name := range forwarding {
		if _, there := r.Header[name]; there {
			return false
		}
	}
	return true
}

// ownHost says whether Host is one of our names with our own port. On this computer Conch speaks plain HTTP.
func (r Request) ownHost() bool {
	port := r.Port()
	if port == "" || r.TLS {
		return false
	}
	for _, name := range []string{"localhost", "127.0.0.1", "[::1]"} {
		if strings.EqualFold(r.Host, name+":"+port) {
			return true
		}
	}
	return false
}

// Address is where callers from elsewhere come to. The zero value is nowhere.
type Address struct {
	Host string // as a browser sends it: conch.example.org, or conch.example.org:4779
	// Proxy says that a TLS proxy on this computer stands before Conch; otherwise Conch speaks TLS itself.
	Proxy bool
}

// secure says that the request came over HTTPS to an address. What a proxy says of it counts only from a proxy on
// this computer, and only where the person said that there is one.
func (r Request) secure(a Address) bool {
	if a.Host == "" || !strings.EqualFold(r.Host, a.Host) {
		return false
	}
	if !a.Proxy {
		return r.TLS
	}
	proto := r.Header.Values("X-Forwarded-Proto")
	return !r.TLS && loopback(r.Remote) && loopback(r.Local) && len(proto) == 1 && proto[0] == "https"
}

// from is whom the tries of a request count for. Behind a proxy that is the last address in X-Forwarded-For, which
// the proxy wrote itself; whoever leaves it out counts as the proxy.
func (r Request) from(proxied bool) netip.Addr {
	peer, err := netip.ParseAddrPort(r.Remote)
	if err != nil {
		return netip.Addr{}
	}
	if all := r.Header.Values("X-Forwarded-For"); proxied && len(all) > 0 {
		last := all[len(all)-1]
		last = strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])
		if addr, err := netip.ParseAddr(last); err == nil {
			return addr
		}
	}
	return peer.Addr().Unmap()
}

func loopback(addr string) bool {
	a, err := netip.ParseAddrPort(addr)
	return err == nil && a.Addr().Unmap().IsLoopback()
}
