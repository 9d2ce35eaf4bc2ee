// Package wire is how engines talk to providers over HTTP: requests with a key, tries again while a provider is
// busy, answers that stream in, and what a failure means. An engine says what it sends and reads what comes;
// everything that must hold for each of them is here: bodies are closed, sizes are bounded, Stop ends a request or
// a wait at once, a key goes to no other address than its own, and no error holds a key or what a provider wrote.
package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"conch/gateway/engine"
)

// Bounds of what is read.
const (
	MaxAnswer = 64 << 20 // bytes of one answer
	MaxEvent  = 8 << 20  // bytes of one event in it
	maxFault  = 64 << 10 // bytes of an error's body
	maxKept   = 16       // connections that are kept open to one place
)

// Client talks to one place. Its fields are set before its first use; it may be used by many turns at once.
type Client struct {
	Where engine.Where // for the words of problems; its Model is set per request
	Base  string       // the address that paths are put behind: "https://api.anthropic.com"
	Key   Secret       // empty: none is sent
	// Sign puts the key into a request's header; nil: "Authorization: Bearer …".
	Sign   func(h http.Header, key Secret)
	Header http.Header // of every request
	// Sort says what kind of problem a fault is, where the provider has words of its own for it; nil, or false: as
	// its status says.
	Sort func(Fault) (engine.ProblemKind, bool)
	HTTP http.RoundTripper // nil: the shared one
	Retry
}

// Request is one request.
type Request struct {
	Method string // empty: POST with a body, GET without
	Path   string // behind Base, with a query if there is one: "/v1/messages"
	Header http.Header
	Body   []byte // JSON
	Model  string // the model's name for a person, for the words of a problem
}

var shared = transport()

// transport is the transport that all places share.
func transport() http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	t = t.Clone()
	t.MaxIdleConnsPerHost = maxKept
	return t
}

// Get reads one JSON document into a value.
func (c *Client) Get(ctx context.Context, r Request, into any) error {
	return c.Stream(ctx, nil, r, func(body io.Reader) (bool, error) {
		if err := json.UnmarshalRead(body, into); err != nil {
			if readFailed(body) {
				return false, ErrCut
			}
			return true, c.where(r).Strange(errStrange)
		}
		return false, nil
	})
}

// Stream sends a request and lets read read the answer, once it is one. While the place is busy or can't be reached
// it waits and tries again, and tells out so (which may be nil). It also tries again when read fails with an error
// that may pass (a Fault, ErrCut, a failed reading) and says that nothing of the answer has been shown yet.
//
// The error is nil, the cause of the context's end, ErrBroken, or a *engine.Problem.
func (c *Client) Stream(ctx context.Context, out *Out, r Request, read func(body io.Reader) (shown bool, err error)) error {
	if p := c.check(r); p != nil {
		return p
	}
	tries := tries{c: c, out: out}
	for {
		shown, err := c.once(ctx, r, func(body io.Reader) (bool, error) {
			if !tries.goesOn() {
				return true, ErrBroken
			}
			return read(body)
		})
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, ErrBroken):
			return ErrBroken
		case shown:
			return c.problem(r, err)
		}
		again, waitErr := tries.again(ctx, err)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case waitErr != nil:
			return waitErr
		case !again:
			return c.problem(r, err)
		}
	}
}

// once sends one request and reads its answer.
func (c *Client) once(ctx context.Context, r Request, read func(io.Reader) (bool, error)) (shown bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	req, err := c.request(ctx, r)
	if err != nil {
		return true, c.where(r).Strange(errAddress)
	}
	quiet := time.AfterFunc(c.quiet(), func() { cancel(errQuiet) })
	defer quiet.Stop()
	via := c.HTTP
	if via == nil {
		via = shared
	}
	res, err := via.RoundTrip(req) // no redirects: they would carry the key elsewhere
	if err != nil {
		return false, netError(err, context.Cause(ctx))
	}
	defer func() { _ = res.Body.Close() }()
	body := &reader{from: res.Body, left: MaxAnswer, timer: quiet, quiet: c.quiet()}
	if res.StatusCode != http.StatusOK {
		return false, c.fault(res, body)
	}
	shown, err = read(body)
	if err == nil || !body.failed || errors.Is(err, ErrBroken) {
		return shown, err
	}
	if body.left <= 0 {
		return true, c.where(r).Strange(errLong)
	}
	return shown, ErrCut
}

func (c *Client) request(ctx context.Context, r Request) (*http.Request, error) {
	method := r.Method
	var body io.Reader
	if r.Body != nil {
		body = bytes.NewReader(r.Body)
	}
	switch {
	case method != "":
	case r.Body != nil:
		method = http.MethodPost
	default:
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.Base, "/")+r.Path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "Conch")
	if r.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, more := range []http.Header{c.Header, r.Header} {
		for k, v := range more {
			req.Header[http.CanonicalHeaderKey(k)] = v
		}
	}
	switch {
	case c.Key == "":
	case c.Sign != nil:
		c.Sign(req.Header, c.Key)
	default:
		req.Header.Set("Authorization", "Bearer "+c.Key.Reveal())
	}
	return req, nil
}

// check refuses an address that a key may not go to, before anything is sent.
func (c *Client) check(r Request) *engine.Problem {
	u, err := url.Parse(c.Base)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" || !strings.HasPrefix(r.Path, "/") {
		return c.where(Request{}).Problem(engine.NoModel, errAddress)
	}
	if strings.ContainsAny(c.Key.Reveal(), "\r\n\x00") {
		return c.where(r).Problem(engine.BadKey, errAddress)
	}
	if c.Key != "" && u.Scheme == "http" && !near(u.Hostname()) {
		return c.where(r).Open()
	}
	return nil
}

// near says whether a host is this computer or one in the same house.
func near(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast())
}

func (c *Client) where(r Request) engine.Where {
	w := c.Where
	w.Model = r.Model
	return w
}

// reader is an answer's body: bounded, and ended when nothing comes for too long.
type reader struct {
	from   io.Reader
	left   int64
	timer  *time.Timer
	quiet  time.Duration
	failed bool // ended otherwise than by its end
}

func (r *reader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		r.failed = true
		return 0, errLong
	}
	if int64(len(p)) > r.left {
		p = p[:r.left]
	}
	r.timer.Reset(r.quiet)
	n, err := r.from.Read(p)
	r.timer.Stop() // what is done between two readings, such as a page that is shown, doesn't count
	r.left -= int64(n)
	if err != nil && err != io.EOF {
		r.failed = true
		return n, ErrCut // the text of the real one may name anything
	}
	return n, err
}

func readFailed(body io.Reader) bool {
	r, ok := body.(*reader)
	return ok && r.failed
}
