package launcher

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"conch/mcp/wire"
)

const (
	answerMax = 16 << 20 // bytes of one answer
	// backWithin is how long a Conch that was there before is waited for, since it may be starting again.
	backWithin = 10 * time.Second
	backEvery  = 50 * time.Millisecond
)

var (
	errUnpaired = errors.New("this app isn't paired")
	errBroke    = errors.New("the connection broke")
	errNoKey    = errors.New("the key can't be read")
)

// statusError is an answer that is no JSON-RPC.
type statusError struct {
	status int
	say    string
}

func (e *statusError) Error() string { return http.StatusText(e.status) }

// message is one message on its way to the door.
type message struct {
	head
	body    []byte
	version string
}

// safe says that sending it twice does no harm.
func (m message) safe() bool { return m.Method != "tools/call" }

// far is the door, as a launcher reaches it.
type far struct {
	opt  Options
	http *http.Client

	mu    sync.Mutex
	token string
	seen  bool // Conch has answered before
}

func newFar(opt Options) *far {
	return &far{opt: opt, http: &http.Client{
		// No proxy from the environment: what is said here goes to this computer and nowhere else.
		Transport:     &http.Transport{Proxy: nil, DisableCompression: true, MaxIdleConnsPerHost: 4},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (f *far) close() { f.http.CloseIdleConnections() }

// send sends a message and hands over each message that is answered. It proves itself as often as it has to, and
// waits for a Conch that is being restarted.
func (f *far) send(ctx context.Context, m message, got func([]byte)) error {
	var late <-chan time.Time
	for proven := false; ; {
		err := f.try(ctx, m, got)
		f.mu.Lock()
		seen := f.seen
		f.mu.Unlock()
		switch {
		case err == nil || ctx.Err() != nil:
			return err
		case errors.Is(err, errUnpaired) && !proven:
			proven = true // the session is over, or Conch was restarted: once more with a new one
			continue
		case seen && (errors.Is(err, ErrNotRunning) || errors.Is(err, errBroke) && m.safe()):
			proven = false
		default:
			return err
		}
		if late == nil {
			t := time.NewTimer(backWithin)
			defer t.Stop()
			late = t.C
		}
		tick := time.NewTimer(backEvery)
		select {
		case <-tick.C:
		case <-late:
			tick.Stop()
			return err
		case <-ctx.Done():
			tick.Stop()
			return ctx.Err()
		}
	}
}

// try sends a message once.
func (f *far) try(ctx context.Context, m message, got func([]byte)) error {
	base, err := f.opt.Find(ctx)
	if err != nil {
		return err
	}
	token, err := f.session(ctx, base)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+wire.PathDoor, bytes.NewReader(m.body))
	if err != nil {
		return err
	}
	h := req.Header
	h.Set("Authorization", "Bearer "+token)
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	if m.version != "" {
		h.Set("Mcp-Protocol-Version", m.version)
	}
	if m.version >= newest { // revisions are dates
		h.Set("Mcp-Method", m.Method)
		if m.Params.Name != "" {
			h.Set("Mcp-Name", headerText(m.Params.Name))
		}
	}
	res, err := f.http.Do(req)
	if err != nil {
		return refused(err)
	}
	defer func() { _ = res.Body.Close() }()
	f.mu.Lock()
	f.seen = true
	if res.StatusCode == http.StatusUnauthorized && f.token == token {
		f.token = ""
	}
	f.mu.Unlock()
	return answer(res, got)
}

// answer reads what the door says.
func answer(res *http.Response, got func([]byte)) error {
	kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
	switch {
	case res.StatusCode == http.StatusUnauthorized:
		return errUnpaired
	case res.StatusCode == http.StatusAccepted || res.StatusCode == http.StatusNoContent:
		return nil
	case res.StatusCode == http.StatusOK && kind == "text/event-stream":
		return events(res.Body, got)
	case kind != "application/json":
		return &statusError{status: res.StatusCode}
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, answerMax))
	if err != nil {
		return errBroke
	}
	var in struct {
		JSONRPC string `json:"jsonrpc"`
		Say     string `json:"say"`
	}
	if json.Unmarshal(data, &in) == nil && in.JSONRPC != "" {
		got(data)
		return nil
	}
	return &statusError{res.StatusCode, in.Say}
}

// events reads a stream of server-sent events, whose data are messages.
func events(body io.Reader, got func([]byte)) error {
	in := bufio.NewReaderSize(io.LimitReader(body, 4*answerMax), 64<<10)
	var data []byte
	for {
		line, err := in.ReadBytes('\n')
		text := bytes.TrimRight(line, "\r\n")
		switch {
		case len(text) == 0 && len(data) > 0:
			got(data)
			data = nil
		case bytes.HasPrefix(text, []byte("data:")):
			if len(data) > 0 {
				data = append(data, '\n')
			}
			data = append(data, bytes.TrimPrefix(text[len("data:"):], []byte(" "))...)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil || len(data) > answerMax {
			return errBroke
		}
	}
}

// session returns the token, proving itself for one when there is none.
func (f *far) session(ctx context.Context, base string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.token != "" {
		return f.token, nil
	}
	key, err := f.opt.Key()
	if err != nil {
		return "", errNoKey
	}
	var hello wire.HelloAnswer
	if err := f.ask(ctx, base+wire.PathHello, wire.Hello{Client: f.opt.Client}, &hello); err != nil {
		return "", err
	}
	var s wire.SessionAnswer
	in := wire.Session{Client: f.opt.Client, Nonce: hello.Nonce, Proof: wire.Proof(key, f.opt.Client, hello.Nonce)}
	if err := f.ask(ctx, base+wire.PathSession, in, &s); err != nil {
		return "", err
	}
	f.token = s.Token
	return s.Token, nil
}

func (f *far) ask(ctx context.Context, url string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, backWithin)
	defer cancel()
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := f.http.Do(req)
	if err != nil {
		return refused(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	switch {
	case err != nil:
		return errBroke
	case res.StatusCode == http.StatusUnauthorized:
		return errUnpaired
	case res.StatusCode != http.StatusOK:
		var told struct {
			Say string `json:"say"`
		}
		_ = json.Unmarshal(data, &told)
		return &statusError{res.StatusCode, told.Say}
	}
	if err := json.Unmarshal(data, out); err != nil {
		return &statusError{status: res.StatusCode}
	}
	return nil
}

// refused sorts what went wrong on the way: nobody there, or gone in the middle.
func refused(err error) error {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return ErrNotRunning
	}
	return errBroke
}

// headerText is a name as a header may hold it (MCP 2026-07-28, basic/transports).
func headerText(s string) string {
	for _, r := range s {
		if r < 0x21 || r > 0x7e {
			return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
		}
	}
	return s
}
