package wire

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
)

// ErrCut says that an answer ended before it was whole. An engine returns it from reading when the stream ends
// without the words that end it.
var ErrCut = errors.New("the answer broke off")

// ErrBroken says that whoever ranges broke off. It is told to nobody.
var ErrBroken = errors.New("broken off")

// ErrStrange says that an answer can't be read.
var ErrStrange = errors.New("the answer can't be read")

var (
	errStrange = ErrStrange
	errLong    = errors.New("the answer is too long")
	errQuiet   = errors.New("nothing came for too long")
	errAddress = errors.New("the address or key can't be used")
)

// Fault is what a provider said went wrong, in a refused request or in the middle of an answer. What it wrote may
// hold anything, so that is only for sorting: a Fault prints as its status and its type.
type Fault struct {
	Status int    // of HTTP; 0 in the middle of an answer
	Type   string // the provider's word for it: "overloaded_error"
	Code   string // another such word
	After  time.Duration

	message string
}

// Says reports whether the provider's message holds one of these words, in small letters.
func (f Fault) Says(words ...string) bool {
	m := strings.ToLower(f.message)
	for _, w := range words {
		if strings.Contains(m, w) {
			return true
		}
	}
	return false
}

func (f Fault) Error() string {
	return strings.TrimSpace(fmt.Sprintf("fault %d %s %s", f.Status, f.Type, f.Code))
}

// Format hides the message from every verb.
func (f Fault) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, f.Error()) }

// LogValue hides the message from logs.
func (f Fault) LogValue() slog.Value { return slog.StringValue(f.Error()) }

// ParseFault reads what providers write when something went wrong: {"error": {"type", "code", "status", "message"}},
// or {"error": "message"}. It finds what there is and never fails.
func ParseFault(body []byte) Fault {
	var outer struct {
		Error   jsontext.Value `json:"error"`
		Message jsontext.Value `json:"message"`
		Type    jsontext.Value `json:"type"`
		Code    jsontext.Value `json:"code"`
	}
	lax := json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if json.Unmarshal(body, &outer, lax) != nil {
		return Fault{}
	}
	var inner struct {
		Type    jsontext.Value `json:"type"`
		Code    jsontext.Value `json:"code"`
		Status  jsontext.Value `json:"status"`
		Message jsontext.Value `json:"message"`
		Details jsontext.Value `json:"details"`
	}
	if outer.Error.Kind() == '{' {
		_ = json.Unmarshal(outer.Error, &inner, lax)
	} else {
		inner.Type, inner.Code, inner.Message = outer.Type, outer.Code, outer.Message
		if outer.Error.Kind() == '"' {
			inner.Message = outer.Error
		}
	}
	f := Fault{Type: name(inner.Type), Code: name(inner.Code), message: text(inner.Message), After: delay(inner.Details)}
	if f.Type == "" {
		f.Type = name(inner.Status)
	}
	return f
}

// delay is how long a provider asks to wait, where it says so in the details ("34.5s") rather than in a header.
func delay(details jsontext.Value) time.Duration {
	var all []jsontext.Value
	if details.Kind() != '[' || json.Unmarshal(details, &all, jsontext.AllowDuplicateNames(true)) != nil {
		return 0
	}
	for _, raw := range all {
		var one struct {
			Delay string `json:"retryDelay"`
		}
		if raw.Kind() != '{' || json.Unmarshal(raw, &one, jsontext.AllowDuplicateNames(true)) != nil || one.Delay == "" {
			continue
		}
		if d, err := time.ParseDuration(one.Delay); err == nil && d > 0 {
			return min(d, longestAsked)
		}
	}
	return 0
}

func text(v jsontext.Value) string {
	var s string
	if v.Kind() == '"' {
		_ = json.Unmarshal(v, &s, jsontext.AllowInvalidUTF8(true))
	}
	return s
}

// name keeps a provider's word only if it is one: letters, digits, "_", "-" and ".".
func name(v jsontext.Value) string {
	s := text(v)
	if v.Kind() == '0' {
		s = string(v)
	}
	if len(s) > 60 {
		return ""
	}
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.') {
			return ""
		}
	}
	return s
}

// fault reads a refused request's answer.
func (c *Client) fault(res *http.Response, body io.Reader) Fault {
	data, _ := io.ReadAll(io.LimitReader(body, maxFault)) // what can't be read is sorted by its status
	f := ParseFault(data)
	f.Status = res.StatusCode
	if d := retryAfter(res.Header, c.now()); d > 0 {
		f.After = d
	}
	return f
}

// kind sorts a fault.
func (c *Client) kind(f Fault) engine.ProblemKind {
	if c.Sort != nil {
		if k, ok := c.Sort(f); ok {
			return k
		}
	}
	switch s := f.Status; {
	case s == http.StatusUnauthorized, s == http.StatusForbidden:
		return engine.BadKey
	case s == http.StatusPaymentRequired:
		return engine.NoCredit
	case s == http.StatusNotFound:
		return engine.NoModel
	case s == http.StatusRequestEntityTooLarge:
		return engine.TooLong
	case s == http.StatusTooManyRequests, s == http.StatusRequestTimeout, s >= 500:
		return engine.Busy
	}
	return engine.Other
}

// problem puts an error into words for a person.
func (c *Client) problem(r Request, err error) error {
	if p, ok := errors.AsType[*engine.Problem](err); ok {
		return p
	}
	w := c.where(r)
	if f, ok := errors.AsType[Fault](err); ok {
		return w.Problem(c.kind(f), f)
	}
	if n, ok := errors.AsType[*NetError](err); ok {
		return w.Problem(engine.Unreachable, n)
	}
	if errors.Is(err, ErrCut) {
		return w.CutOff(ErrCut)
	}
	return w.Strange(errStrange)
}

// NetError says that nothing answered, without the address, which may hold a key.
type NetError struct {
	Refused bool // nobody listens there
	Quiet   bool // nothing came for as long as we have patience
}

func (e *NetError) Error() string {
	switch {
	case e.Refused:
		return "nobody listens at the address"
	case e.Quiet:
		return "nothing answered in time"
	}
	return "nothing answered"
}

func netError(err, cause error) error {
	return &NetError{Refused: errors.Is(err, syscall.ECONNREFUSED), Quiet: errors.Is(cause, errQuiet)}
}
