package pair

import (
	"crypto/hmac"
	"crypto/sha256"
	encoding32 "encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"conch/mcp/wire"
)

const (
	nonceFor   = time.Minute
	sessionFor = 24 * time.Hour
	// sessionsEach bounds the sessions of one app: some start several launchers at once. The oldest goes first.
	sessionsEach = 32
)

var base32 = encoding32.StdEncoding.WithPadding(encoding32.NoPadding)

// proof knows which nonces are ours, which were used, and which sessions there are. All of it is in memory: after a
// restart a launcher proves itself again.
type proof struct {
	rand io.Reader
	now  func() time.Time
	own  []byte // the key of our own nonces

	mu       sync.Mutex
	used     map[string]time.Time // nonces that a proof came with, until when they would have been good
	sessions map[string]session   // by the hash of their token
}

type session struct {
	client string
	until  time.Time
}

func (p *proof) begin(rand io.Reader, now func() time.Time) (err error) {
	p.rand, p.now = rand, now
	p.used, p.sessions = map[string]time.Time{}, map[string]session{}
	p.own, err = p.random(32)
	return err
}

func (p *proof) random(n int) ([]byte, error) {
	b := make([]byte, n)
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := io.ReadFull(p.rand, b)
	return b, err
}

// Nonce returns one for an app to prove itself with, once, within a minute. Any id gets one, so that nobody learns
// which apps are paired; and none is kept, so that nobody fills the memory by asking.
func (p *proof) Nonce(client string) (string, error) {
	chance, err := p.random(16)
	if err != nil {
		return "", err
	}
	body := binary.BigEndian.AppendUint64(chance, uint64(p.now().Add(nonceFor).UnixMilli()))
	return base64.RawURLEncoding.EncodeToString(append(body, p.seal(client, body)...)), nil
}

func (p *proof) seal(client string, body []byte) []byte {
	mac := hmac.New(sha256.New, p.own)
	mac.Write([]byte(client + " "))
	mac.Write(body)
	return mac.Sum(nil)
}

// use says whether a nonce is ours, for that app, still good, and used for the first time; it is used up by that.
func (p *proof) use(client, nonce string) bool {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(nonce)
	const body = 24
	if err != nil || len(raw) != body+sha256.Size || !hmac.Equal(raw[body:], p.seal(client, raw[:body])) {
		return false
	}
	until := time.UnixMilli(int64(binary.BigEndian.Uint64(raw[16:body])))
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	for n, t := range p.used {
		if !now.Before(t) {
			delete(p.used, n)
		}
	}
	_, twice := p.used[nonce]
	if twice || !now.Before(until) || until.Sub(now) > nonceFor {
		return false
	}
	p.used[nonce] = until
	return true
}

// ErrProof is the one answer to every proof that isn't right.
var ErrProof = errors.New("this proof isn't right")

// Session turns a launcher's proof into a token that is good for a day. Why it doesn't is told to nobody.
func (r *Registry) Session(client, nonce, answer string) (token string, until time.Time, err error) {
	c, paired := r.Get(client)
	key, has := r.keyOf(c)
	fresh := r.use(client, nonce)
	right := hmac.Equal([]byte(strings.ToLower(answer)), []byte(wire.Proof(key, client, nonce)))
	if !paired || c.Kind != Launcher || !has || !fresh || !right {
		return "", time.Time{}, ErrProof
	}
	secret, err := r.random(32)
	if err != nil {
		return "", time.Time{}, err
	}
	token = "cmcps." + base64.RawURLEncoding.EncodeToString(secret)
	until = r.now().Add(sessionFor)
	r.keep(hashOf(token), session{client, until})
	r.opt.Proved(client)
	return token, until, nil
}

func (p *proof) keep(hash string, s session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var oldest string
	n, now := 0, p.now()
	for h, other := range p.sessions {
		switch {
		case !now.Before(other.until):
			delete(p.sessions, h)
		case other.client == s.client:
			n++
			if oldest == "" || other.until.Before(p.sessions[oldest].until) {
				oldest = h
			}
		}
	}
	if n >= sessionsEach {
		delete(p.sessions, oldest)
	}
	p.sessions[hash] = s
}

func (p *proof) end(client string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for h, s := range p.sessions {
		if s.client == client {
			delete(p.sessions, h)
		}
	}
}

// Bearer says whose token or key it is, and names the session that it is good for. A launcher's key is never taken this
// way: it isn't to travel.
func (r *Registry) Bearer(bearer string) (c Client, session string, ok bool) {
	if id, is := wire.ClientOf(bearer); is {
		c, paired := r.Get(id)
		return c, c.ID, sameHash(c.KeyHash, bearer) && paired && c.Kind == HTTP
	}
	hash := hashOf(bearer)
	r.mu.Lock()
	s, known := r.sessions[hash]
	r.mu.Unlock()
	if !known || !r.now().Before(s.until) {
		return Client{}, "", false
	}
	c, paired := r.Get(s.client)
	return c, hash, paired && c.Kind == Launcher
}
