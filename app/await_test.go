package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"conch/gateway/web/webtest"

	"github.com/go-json-experiment/json"
)

const patience = 30 * time.Second // a loaded machine is not an error

// eventually asks again until ask succeeds or the time is over, and returns the last error.
func eventually(within time.Duration, ask func() error) error {
	deadline := time.Now().Add(within)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ask()
		if err == nil || time.Now().After(deadline) {
			return err
		}
		<-tick.C
	}
}

// shoot keeps a photograph of the page in the folder that CONCH_SHOTS names.
func shoot(t *testing.T, b *webtest.Browser, name string) {
	t.Helper()
	dir := os.Getenv("CONCH_SHOTS")
	if dir == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, "app-"+name+".png"), b.Shot(), 0o600); err != nil {
		t.Error(err)
	}
}

// browser is a window with proof, as a person's own has it: it redeems a code and keeps the cookie.
type browser struct {
	origin string
	client http.Client
}

func newBrowser(port int, code string) (*browser, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	b := &browser{origin: "http://localhost:" + strconv.Itoa(port), client: http.Client{Jar: jar, Timeout: 10 * time.Second}}
	return b, b.post("/api/here", fmt.Sprintf(`{"code":%q}`, code))
}

func (b *browser) post(path, body string) error { return b.ask(path, body, nil) }

// ask posts and reads the answer into out, which may be nil.
func (b *browser) ask(path, body string, out any) error {
	req, err := http.NewRequest(http.MethodPost, b.origin+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", b.origin)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	res, err := b.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		return fmt.Errorf("%s: %s: %s", path, res.Status, text)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, out)
}
