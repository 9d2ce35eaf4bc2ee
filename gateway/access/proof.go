package access

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// KeySize is the size of the here key, in bytes.
	KeySize = 32
	// CookieAge is how long a cookie is taken.
	CookieAge = 400 * 24 * time.Hour

	nonceSize = 16
	// skew is how far in the future a cookie may be: a clock that was set back must not shut the person out
	// for long, and no cookie of ours is ever from the future.
	skew = 5 * time.Minute
)

// Proof makes and checks what proves this computer. It is made from the here key.
type Proof struct {
	key []byte
	sum [sha256.Size]byte // of the key as it travels
	now func() time.Time
}

// NewProof returns the proof of a key of KeySize bytes; a key of another size proves nothing to anybody.
func NewProof(key []byte, now func() time.Time) *Proof {
	if now == nil {
		now = time.Now
	}
	p := &Proof{now: now}
	if len(key) == KeySize {
		p.key = key
		p.sum = sha256.Sum256([]byte(EncodeKey(key)))
	}
	return p
}

// EncodeKey is how the key travels in HeaderHere.
func EncodeKey(key []byte) string { return hex.EncodeToString(key) }

// Key says whether value is the here key.
func (p *Proof) Key(value string) bool {
	if p.key == nil {
		return false
	}
	sum := sha256.Sum256([]byte(value))
	return subtle.ConstantTimeCompare(sum[:], p.sum[:]) == 1
}

// CookieName is the name of the cookie of the Conch on a port: two of them never mix their cookies up, though
// browsers share cookies between ports.
func CookieName(port string) string { return "conch_here_" + port }

// DeviceCookie is the name of a device's cookie. Its prefix has browsers take it only over HTTPS, for this very host.
const DeviceCookie = "__Host-conch_device"

// NewDeviceCookie makes the cookie of a device that signed in. It only ever travels over HTTPS.
func NewDeviceCookie(value string) *http.Cookie {
	return &http.Cookie{
		Name: DeviceCookie, Value: value, Path: "/", MaxAge: int(CookieAge / time.Second),
		Secure: true, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}
}

// NewCookie makes a cookie for a browser at a port.
func (p *Proof) NewCookie(port string) *http.Cookie {
	nonce := make([]byte, nonceSize)
	_, _ = rand.Read(nonce) // never fails, by its documentation
	body := "v1." + strconv.FormatInt(p.now().Unix(), 10) + "." + base64.RawURLEncoding.EncodeToString(nonce)
	// Not Secure: a cookie of http://localhost must come back, and the socket never leaves this computer.
	return &http.Cookie{ //nolint:gosec // see above
		Name: CookieName(port), Value: body + "." + p.mac(body, port), Path: "/",
		MaxAge: int(CookieAge / time.Second), HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}
}

// Cookie says whether value is a cookie of ours for this port that is not too old.
func (p *Proof) Cookie(value, port string) bool {
	if p.key == nil || len(value) > 200 {
		return false
	}
	parts := strings.Split(value, ".")
	if len(parts) != 4 || parts[0] != "v1" {
		return false
	}
	body := strings.Join(parts[:3], ".")
	if subtle.ConstantTimeCompare([]byte(parts[3]), []byte(p.mac(body, port))) != 1 {
		return false
	}
	issued, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return false
	}
	age := p.now().Sub(time.Unix(issued, 0))
	return age >= -skew && age <= CookieAge
}

func (p *Proof) mac(body, port string) string {
	m := hmac.New(sha256.New, p.key)
	// The port is a part of what is signed, so a cookie renamed for another Conch proves nothing there.
	m.Write([]byte("conch cookie\x00" + port + "\x00" + body))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}
