// Package access decides who a request is from and whether it may go on. A loopback socket proves nothing:
// another account, a web page, a rebound name or a proxy on this machine all look alike. So a caller proves
// itself with a key that only this person's account can read, or with a cookie made from it.
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

// The levels, each asking more than the one before it.
const (
	Nobody Level = iota
	// Anyone on this computer: the page that redeems a code, and styles and scripts.
	Anyone
	// Here is proof of this computer, by cookie or by key.
	Here
	// Page is a page's own cookie, on the computer itself: what adds power asks for it.
	Page
)

func (l Level) String() string {
	switch l {
	case Anyone:
		return "anyone"
	case Here:
		return "here"
	case Page:
		return "page"
	default:
		return "nobody"
	}
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
	// Session tells one browser from another, by the hash of its cookie; empty for a program.
	Session string
}

// Refusal is why a request doesn't go on. Say and Next are all that a stranger is told; Reason is for the log.
type Refusal struct {
	Status int
	Code   string
	Say    string
	Next   string
	Reason string
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

// ownHost says whether Host is one of our names with our own port.
func (r Request) ownHost() bool {
	port := r.Port()
	if port == "" {
		return false
	}
	for _, name := range []string{"localhost", "127.0.0.1", "[::1]"} {
		if strings.EqualFold(r.Host, name+":"+port) {
			return true
		}
	}
	return false
}

func loopback(addr string) bool {
	a, err := netip.ParseAddrPort(addr)
	return err == nil && a.Addr().Unmap().IsLoopback()
}
