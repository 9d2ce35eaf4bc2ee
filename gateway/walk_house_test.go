package gateway

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"conch/gateway/access"
)

const (
	houseWord = "correct horse battery"
	houseName = "conch.test"
	houseHost = "conch.test:4779"
)

// house is a Conch as it runs: served on a loopback port, with an HTTPS address that is on, a page on this computer,
// and a client for devices elsewhere.
type house struct {
	t    *testing.T
	g    *Gateway
	log  *logBuffer
	home string
	url  string // on this computer
	port string
	key  string // proof of this computer, as it travels
	page *http.Client
	pool *x509.CertPool
	now  *atomic.Int64 // added to the clock
	tls  atomic.Pointer[net.TCPAddr]

	cookies []string // of all devices that ever signed in
}

// noAddress builds the house without its address turned on.
func noAddress(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, log: &logBuffer{}, home: t.TempDir(), now: new(atomic.Int64), pool: x509.NewCertPool()}
	g, err := New(t.Context(), Config{
		Home: h.home, Engine: echo, Version: "test",
		Now: func() time.Time { return time.Now().Add(time.Duration(h.now.Load())) },
		Log: slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		// The port that a browser is given is 4779; here any free one answers for it.
		Listen: func(ctx context.Context, _ int) (net.Listener, error) {
			var lc net.ListenConfig
			ln, err := lc.Listen(ctx, "tcp4", "127.0.0.1:0")
			if err == nil {
				h.tls.Store(ln.Addr().(*net.TCPAddr))
			}
			return ln, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	h.g = g
	g.Mount("/door", access.Rule{Need: access.Door, Body: smallBody}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewEncoder(w).Encode(DoorCaller(r)); err != nil {
			t.Error(err)
		}
	}))
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.url, h.port = "http://"+ln.Addr().String(), strings.TrimPrefix(ln.Addr().String(), "127.0.0.1:")
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- g.Serve(ctx, ln) }()
	secret, err := g.dir.Secret(keyName, access.KeySize)
	if err != nil {
		t.Fatal(err)
	}
	h.key = access.EncodeKey(secret)
	h.page = h.client(nil)
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	h.here("POST", "/api/here", `{"code":"`+g.NewCode()+`"}`, http.StatusNoContent)
	return h
}

// newHouse is a house with a password and an address.
func newHouse(t *testing.T) *house {
	t.Helper()
	h := noAddress(t)
	h.here("POST", "/api/password", `{"password":"`+houseWord+`"}`, http.StatusNoContent)
	h.confirm("address")
	cert, key := h.certificate(houseName, time.Now().Add(24*time.Hour))
	h.here("POST", "/api/address", `{"name":"`+houseName+`","certificate":"`+cert+`","key":"`+key+`"}`, http.StatusNoContent)
	return h
}

func (h *house) confirm(what string) {
	h.t.Helper()
	h.here("POST", "/api/confirm", `{"what":"`+what+`","password":"`+houseWord+`"}`, http.StatusNoContent)
}

// certificate writes a certificate for a name and its key into files.
func (h *house) certificate(name string, until time.Time) (cert, key string) {
	h.t.Helper()
	priv, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		h.t.Fatal(err)
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: until, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, leaf, &priv.PublicKey, priv)
	if err != nil {
		h.t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(priv)
	if err != nil {
		h.t.Fatal(err)
	}
	dir := h.t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	h.pool.AppendCertsFromPEM(certPEM)
	for name, data := range map[string][]byte{cert: certPEM, key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			h.t.Fatal(err)
		}
	}
	return cert, key
}

// client makes a browser with cookies of its own. Whatever is asked of https goes to the address's port.
func (h *house) client(jar http.CookieJar) *http.Client {
	if jar == nil {
		jar, _ = cookiejar.New(nil)
	}
	tr := &http.Transport{
		ExpectContinueTimeout: 10 * time.Second,
		TLSClientConfig:       &tls.Config{RootCAs: h.pool, ServerName: houseName, MinVersion: tls.VersionTLS13},
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if at := h.tls.Load(); at != nil && strings.HasPrefix(addr, houseName) {
				addr = at.String()
			}
			var d net.Dialer
			return d.DialContext(ctx, network, addr)
		},
	}
	h.t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Jar: jar, Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

func (h *house) send(c *http.Client, req *http.Request) answer {
	h.t.Helper()
	res, err := c.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var b bytes.Buffer
	if _, err := io.Copy(&b, res.Body); err != nil {
		h.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, b.String()}
}

func (h *house) ask(c *http.Client, base, method, path, body string, want int) string {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), method, base+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if method != http.MethodGet {
		req.Header.Set("Origin", base)
	}
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	got := h.send(c, req)
	if got.status != want {
		h.t.Fatalf("%s %s%s: %d, want %d: %s", method, base, path, got.status, want, got.body)
	}
	return got.body
}

// here asks as a page on this computer.
func (h *house) here(method, path, body string, want int) string {
	h.t.Helper()
	return h.ask(h.page, h.url, method, path, body, want)
}

// away asks as a browser elsewhere.
func (h *house) away(c *http.Client, method, path, body string, want int) string {
	h.t.Helper()
	return h.ask(c, "https://"+houseHost, method, path, body, want)
}

// cookie is the value of a client's device cookie.
func (h *house) cookie(c *http.Client) string {
	h.t.Helper()
	at, _ := url.Parse("https://" + houseHost + "/")
	for _, k := range c.Jar.Cookies(at) {
		if k.Name == access.DeviceCookie {
			return k.Value
		}
	}
	return ""
}

// signIn is a new browser elsewhere that signed in.
func (h *house) signIn() (c *http.Client, id string) {
	h.t.Helper()
	c = h.client(nil)
	h.away(c, "POST", "/api/sign-in", `{"password":"`+houseWord+`"}`, http.StatusNoContent)
	h.cookies = append(h.cookies, h.cookie(c))
	id, in := h.g.devices.Known(h.cookie(c))
	if id == "" || in {
		h.t.Fatalf("a device that just signed in: %q, in: %v", id, in)
	}
	return c, id
}

// letIn is a new browser elsewhere that was let in.
func (h *house) letIn() (c *http.Client, id string) {
	h.t.Helper()
	c, id = h.signIn()
	h.confirm("device")
	h.here("POST", "/api/devices/"+id, `{}`, http.StatusNoContent)
	return c, id
}
