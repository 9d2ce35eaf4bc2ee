// Package wire is what the door and its launcher agree on: the paths, what is sent to them, and the proof. It is small on
// purpose, since the launcher is started by other apps, often and several at once. It keeps nothing and serves nothing.
package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"regexp"
	"time"
)

// Paths of the door, on Conch's own port.
const (
	PathDoor    = "/mcp"
	PathHello   = "/mcp/hello"
	PathSession = "/mcp/session"
)

// Hello is what PathHello takes.
type Hello struct {
	Client string `json:"client"`
}

// HelloAnswer is what PathHello gives: a nonce for one proof, within a minute.
type HelloAnswer struct {
	Nonce string `json:"nonce"`
}

// Session is what PathSession takes.
type Session struct {
	Client string `json:"client"`
	Nonce  string `json:"nonce"`
	Proof  string `json:"proof"`
}

// SessionAnswer is what PathSession gives: a bearer token and until when it is good.
type SessionAnswer struct {
	Token string    `json:"token"`
	Until time.Time `json:"until"`
}

// Key is what an app proves itself with: "cmcp.<id>.<secret>", 256 random bits. It never prints.
type Key string

// String hides the key.
func (Key) String() string { return "[hidden]" }

// GoString hides the key.
func (Key) GoString() string { return "[hidden]" }

// LogValue hides the key.
func (Key) LogValue() slog.Value { return slog.StringValue("[hidden]") }

var (
	idForm  = regexp.MustCompile(`^[a-z2-7]{16}$`)
	keyForm = regexp.MustCompile(`^cmcp\.([a-z2-7]{16})\.[A-Za-z0-9_-]{43}$`)
)

// ValidID says whether it has the form of a client's id, so that it may be looked up or be a file's name.
func ValidID(id string) bool { return idForm.MatchString(id) }

// ClientOf returns whose key it says it is, if it has the form of one.
func ClientOf(key string) (id string, ok bool) {
	m := keyForm.FindStringSubmatch(key)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// KeyFile is where a launcher's key is, in Conch's folder.
func KeyFile(id string) string { return "mcp/keys/" + id + ".key" }

// Proof is what a launcher answers a nonce with: HMAC-SHA-256 under its key, in hex.
func Proof(key Key, client, nonce string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte("conch-mcp/1 " + client + " " + nonce))
	return hex.EncodeToString(mac.Sum(nil))
}
