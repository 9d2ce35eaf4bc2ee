package pair

import (
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"conch/gateway/chat"
	"conch/gateway/state"
	"conch/mcp/wire"
)

// Kind is how an app reaches the door. The zero value doesn't.
type Kind string

// The kinds.
const (
	Launcher Kind = "launcher" // it runs the launcher, which proves itself
	HTTP     Kind = "http"     // it sends its key with each request
)

// The scopes, and how those of one of the person's own apps begin.
const (
	MemoryRead  = "memory.read"
	MemoryWrite = "memory.write"
	Skills      = "skills"
	Browser     = "browser"
	Computer    = "computer"
	AppPrefix   = "app:"
)

// Client is a paired app. What isn't known of it is empty, and empty gives nothing.
type Client struct {
	state.Versioned
	ID      string    `json:"id"`
	Name    string    `json:"name"`          // for a person
	App     string    `json:"app,omitempty"` // which known app it is (mcp/connect); empty: another one
	Kind    Kind      `json:"kind"`
	Scopes  []string  `json:"scopes,omitempty"`
	Mode    chat.Mode `json:"mode"`
	KeyHash string    `json:"keyHash"`         // SHA-256 of the key, in hex
	Remote  bool      `json:"remote,omitzero"` // the person lets it in through their address
	Paired  time.Time `json:"paired"`
}

// LogValue names the client, and nothing of its key.
func (c Client) LogValue() slog.Value { return slog.StringValue(c.ID) }

// May says whether the person gave it a scope.
func (c Client) May(scope string) bool { return slices.Contains(c.Scopes, scope) }

// Key is what an app proves itself with. It never prints.
type Key = wire.Key

var scopeForm = regexp.MustCompile(`^app:[a-z0-9][a-z0-9_-]{0,39}$`)

// Bad says what is wrong with what the person chose.
type Bad struct{ Say string }

func (e *Bad) Error() string { return e.Say }

const (
	nameMax   = 60 // characters
	clientMax = 200
)

// check looks at a record before it is written.
func (c *Client) check() error {
	c.Name = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, c.Name)), " ")
	switch {
	case c.Name == "" || !utf8.ValidString(c.Name) || utf8.RuneCountInString(c.Name) > nameMax:
		return &Bad{fmt.Sprintf("Give the app a name of at most %d characters.", nameMax)}
	case c.Kind != Launcher && c.Kind != HTTP:
		return &Bad{"It isn't said how the app reaches Conch."}
	case c.Remote && c.Kind != HTTP:
		return &Bad{"Only an app that sends its key can be let in through your address."}
	}
	if m, ok := chat.ParseMode(string(c.Mode)); !ok || m != c.Mode {
		return &Bad{"It isn't said how much the app may do without asking."}
	}
	slices.Sort(c.Scopes)
	c.Scopes = slices.Compact(c.Scopes)
	for _, s := range c.Scopes {
		switch s {
		case MemoryRead, MemoryWrite, Skills, Browser, Computer:
		default:
			if !scopeForm.MatchString(s) {
				return &Bad{"There is nothing called that which an app could use."}
			}
		}
	}
	return nil
}

var modeRank = map[chat.Mode]int{chat.Plan: 1, chat.Ask: 2, chat.Auto: 3, chat.Trust: 4}

// Widens says whether a record gives the app anything that the one before it didn't.
func Widens(was, is Client) bool {
	if modeRank[is.Mode] > modeRank[was.Mode] || is.Remote && !was.Remote || is.Kind != was.Kind {
		return true
	}
	return slices.ContainsFunc(is.Scopes, func(s string) bool { return !was.May(s) })
}
