package launcher

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/mcp/wire"
)

// lineMax is the size of the longest message of an app, in bytes.
const lineMax = 2 << 20

// Options are what a launcher needs.
type Options struct {
	Client string // the paired app's id
	In     io.Reader
	Out    io.Writer // JSON-RPC and nothing else
	Err    io.Writer // for a person who looks at the app's log
	// Find says where Conch answers now ("http://127.0.0.1:4778"), or ErrNotRunning.
	Find func(context.Context) (string, error)
	// Key reads the app's key.
	Key func() (wire.Key, error)
	// HowToStart says how a person starts Conch: "Open it from the menu bar."
	HowToStart string
	// Gone is closed when whoever started the launcher is gone; nil is never.
	Gone <-chan struct{}
}

// ErrNotRunning says that Conch isn't running.
var ErrNotRunning = errors.New("Conch isn't running")

// launcher is one that runs.
type launcher struct {
	opt Options
	far *far

	ctx context.Context
	wg  sync.WaitGroup

	mu      sync.Mutex
	calls   map[string]context.CancelFunc // requests that wait for an answer, by their id
	version string                        // of the protocol, as the handshake agreed; empty before
	listens bool

	out sync.Mutex
}

// Run serves until the app closes its end, its starter is gone, or ctx ends. What waits then is hung up, which stops
// it in Conch.
func Run(ctx context.Context, opt Options) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	l := &launcher{opt: opt, ctx: ctx, calls: map[string]context.CancelFunc{}}
	l.far = newFar(opt)
	defer l.far.close()
	lines, end := make(chan []byte), make(chan error, 1)
	go l.read(lines, end)
	for {
		select {
		case line := <-lines:
			l.take(line)
		case err := <-end:
			stop()
			l.wg.Wait()
			return err
		case <-opt.Gone:
			stop()
			l.wg.Wait()
			return nil
		case <-ctx.Done():
			l.wg.Wait()
			return nil
		}
	}
}

// read hands over what the app writes, line by line. It ends with the app's end of the pipe, so it is not waited for.
func (l *launcher) read(lines chan<- []byte, end chan<- error) {
	in := bufio.NewReaderSize(l.opt.In, 64<<10)
	for {
		line, err := readLine(in)
		switch {
		case errors.Is(err, errLong):
			l.fail(nil, codeInvalid, "That message is too long.")
			continue
		case err != nil && !errors.Is(err, io.EOF):
			end <- fmt.Errorf("read from the app: %w", err)
			return
		}
		if len(line) > 0 {
			select {
			case lines <- line:
			case <-l.ctx.Done():
				return
			}
		}
		if err != nil {
			end <- nil
			return
		}
	}
}

var errLong = errors.New("a line is too long")

// readLine reads one line without its end. One that is too long is read to its end and is errLong.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > lineMax {
			long = true
		} else {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long {
			return nil, errLong
		}
		for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
			line = line[:len(line)-1]
		}
		return line, err
	}
}

// head is what a launcher reads of a message.
type head struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params struct {
		Name      string         `json:"name"`
		RequestID jsontext.Value `json:"requestId"` // of notifications/cancelled
		Meta      struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
}

// JSON-RPC's codes.
const (
	codeParse    = -32700
	codeInvalid  = -32600
	codeInternal = -32603
	// codeAway is for what stands between the app and Conch.
	codeAway = -32000
)

// take passes one message on.
func (l *launcher) take(line []byte) {
	var h head
	if err := json.Unmarshal(line, &h); err != nil {
		l.fail(nil, codeParse, "This isn't one JSON-RPC message.")
		return
	}
	switch {
	case h.Method == "notifications/cancelled":
		l.cancel(string(h.Params.RequestID))
		return
	case h.Method == "": // an answer to a question that Conch never puts
		return
	}
	ctx, done := context.WithCancel(l.ctx)
	id := string(h.ID)
	if id != "" {
		l.mu.Lock()
		if l.calls[id] != nil {
			l.mu.Unlock()
			done()
			l.fail(h.ID, codeInvalid, "There is a request with this id already.")
			return
		}
		l.calls[id] = done
		l.mu.Unlock()
	}
	l.wg.Go(func() {
		defer func() {
			l.mu.Lock()
			delete(l.calls, id)
			l.mu.Unlock()
			done()
			if p := recover(); p != nil {
				_, _ = fmt.Fprintf(l.opt.Err, "conch launcher: %T\n%s", p, debug.Stack())
				l.fail(h.ID, codeInternal, "Something inside Conch's launcher went wrong. It may have happened: look first.")
			}
		}()
		l.pass(ctx, h, line)
	})
}

// cancel hangs up on a request, which stops it in Conch.
func (l *launcher) cancel(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if stop := l.calls[id]; stop != nil {
		stop()
	}
}

// pass sends a message to the door and writes what it answers.
func (l *launcher) pass(ctx context.Context, h head, line []byte) {
	version := h.Params.Meta.Version
	if version == "" && h.Method != "initialize" {
		l.mu.Lock()
		version = l.version
		l.mu.Unlock()
	}
	answered := false
	err := l.far.send(ctx, message{head: h, body: line, version: version}, func(data []byte) {
		answered = true
		if h.Method == "initialize" {
			l.agreed(data)
		}
		l.write(data)
	})
	switch {
	case err == nil && (answered || len(h.ID) == 0), len(h.ID) == 0, ctx.Err() != nil:
		// Nobody waits for an answer to a notification, or to what was cancelled.
	case err == nil:
		l.fail(h.ID, codeInternal, "Conch gave no answer.")
	default:
		l.fail(h.ID, codeAway, l.words(err))
	}
}

// agreed notes what the handshake agreed on, and follows changes for an app of before 2026-07-28.
func (l *launcher) agreed(data []byte) {
	var in struct {
		Result struct {
			Version string `json:"protocolVersion"`
		} `json:"result"`
	}
	if json.Unmarshal(data, &in) != nil || in.Result.Version == "" {
		return
	}
	l.mu.Lock()
	first := !l.listens
	l.version, l.listens = in.Result.Version, true
	l.mu.Unlock()
	if first {
		l.wg.Go(l.listen)
	}
}

const newest = "2026-07-28"

// listen tells the app when its tools are others. The door says so only in the newest revision's way.
func (l *launcher) listen() {
	const ask = `{"jsonrpc":"2.0","id":"conch-launcher","method":"subscriptions/listen","params":{"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"` + newest + `","io.modelcontextprotocol/clientCapabilities":{}},"notifications":{"toolsListChanged":true}}}`
	m := message{head: head{ID: jsontext.Value(`"conch-launcher"`), Method: "subscriptions/listen"}, body: []byte(ask), version: newest}
	for wait := time.Second; l.ctx.Err() == nil; wait = min(2*wait, time.Minute) {
		_ = l.far.send(l.ctx, m, func(data []byte) {
			var h head
			if json.Unmarshal(data, &h) == nil && h.Method == "notifications/tools/list_changed" {
				l.write([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))
			}
		})
		select { // Conch ended, or was restarted
		case <-time.After(wait):
		case <-l.ctx.Done():
		}
	}
}

// words says what stands between the app and Conch.
func (l *launcher) words(err error) string {
	switch {
	case errors.Is(err, ErrNotRunning):
		return "Conch isn't running. " + l.opt.HowToStart
	case errors.Is(err, errUnpaired):
		return "This app isn't paired with Conch any more. Its person can connect it again in Conch, Settings, Other apps."
	case errors.Is(err, errBroke):
		return "Conch went away while this was under way. It may have happened: look before trying again."
	case errors.Is(err, errNoKey):
		return "The key that this app proves itself with can't be read. Connect it again in Conch, Settings, Other apps."
	}
	var s *statusError
	if errors.As(err, &s) {
		if s.say != "" {
			return s.say
		}
		return fmt.Sprintf("Conch answered in a way that this launcher can't read (%d %s).", s.status, http.StatusText(s.status))
	}
	return "Conch can't be reached. Look whether it runs, then try again."
}

// fail answers a request with an error. One whose id isn't known is answered without.
func (l *launcher) fail(id jsontext.Value, code int, say string) {
	if len(id) == 0 {
		id = jsontext.Value("null")
	}
	data, err := json.Marshal(struct {
		JSONRPC string         `json:"jsonrpc"`
		ID      jsontext.Value `json:"id"`
		Error   any            `json:"error"`
	}{"2.0", id, map[string]any{"code": code, "message": say}}, json.Deterministic(true))
	if err == nil {
		l.write(data)
	}
}

// write writes one message. What isn't a JSON value, whoever said it, is never written.
func (l *launcher) write(data []byte) {
	v := jsontext.Value(data)
	if err := v.Compact(); err != nil {
		_, _ = fmt.Fprintln(l.opt.Err, "conch launcher: an answer that isn't JSON was dropped")
		return
	}
	l.out.Lock()
	defer l.out.Unlock()
	_, _ = l.opt.Out.Write(append(v, '\n'))
}
