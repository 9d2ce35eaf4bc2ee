//go:build linux

package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"conch/driver"
	"conch/driver/x11/xserver"
	"conch/gateway/access"
	"conch/gateway/state"
)

// Conch is the built program, running.
type Conch struct {
	URL string // http://127.0.0.1:port
	PID int

	bin  string
	env  []string
	home string
	key  string
	cmd  *exec.Cmd
	out  *lines
	end  sync.Once
	gone chan struct{}
	err  error
}

// Options says how to run the program.
type Options struct {
	Bin     string          // the program, from Build
	Home    string          // CONCH_HOME; whoever gives it removes it
	Desktop *xserver.Server // nil: no display, so the program brings its practice desktop
	Args    []string        // after the usual ones
	On      bool            // the switch Use your apps is on
	Allowed []string        // ids of apps that are always allowed
}

// Build builds the program into dir, with flags of go build such as -race, and returns its path.
func Build(ctx context.Context, dir string, flags ...string) (string, error) {
	bin := filepath.Join(dir, "conch")
	cmd := exec.CommandContext(ctx, "go", append(append([]string{"build"}, flags...), "-o", bin, "conch/app")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build Conch: %w: %s", err, out)
	}
	return bin, nil
}

// Start runs the program on a desktop and returns once it answers.
func Start(ctx context.Context, o Options) (*Conch, error) {
	if err := choose(o); err != nil {
		return nil, fmt.Errorf("prepare Conch's folder: %w", err)
	}
	cmd := exec.Command(o.Bin, append([]string{"--no-open", "--no-tray"}, o.Args...)...)
	cmd.Env = o.env()
	c := &Conch{bin: o.Bin, env: cmd.Env, home: o.Home, cmd: cmd, out: &lines{}, gone: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = c.out, c.out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start Conch: %w", err)
	}
	c.PID = cmd.Process.Pid
	go func() {
		c.err = cmd.Wait()
		close(c.gone)
	}()
	if err := c.answers(ctx); err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("Conch did not come up: %w: %s", err, c.out)
	}
	return c, nil
}

// env is what the program and its sub-commands are given of an environment.
func (o Options) env() []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + o.Home, "LANG=C.UTF-8"}
	if o.Desktop != nil {
		env = o.Desktop.Env()
	}
	// The race detector would wait a second at each end.
	return append(env, "CONCH_HOME="+o.Home, "CONCH_PORT=", "GORACE=atexit_sleep_ms=0")
}

// Command is one of the program's sub-commands, such as say, in the same surroundings.
func (c *Conch) Command(args ...string) *exec.Cmd {
	cmd := exec.Command(c.bin, args...)
	cmd.Env = c.env
	return cmd
}

// choose writes the person's choices as the pages would have.
func choose(o Options) error {
	dir, err := state.Open(o.Home)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	use := state.NewComputerUse(dir, time.Now, slog.New(slog.DiscardHandler))
	for _, id := range o.Allowed {
		if err := use.Allow(driver.AppID(id), id); err != nil {
			return err
		}
	}
	if !o.On {
		return nil
	}
	return use.Set(true)
}

// answers waits until the program has said where it is and answers there.
func (c *Conch) answers(ctx context.Context) error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := c.find(); err != nil {
			return err
		} else if ok {
			if err := c.Do(ctx, http.MethodGet, "/api/status", nil, nil); err == nil {
				return nil
			}
		}
		select {
		case <-tick.C:
		case <-c.gone:
			return fmt.Errorf("it ended: %w", c.err)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// find reads where the program answers, and the key that the person's own programs prove themselves with.
func (c *Conch) find() (bool, error) {
	data, err := os.ReadFile(filepath.Join(c.home, "here", "address"))
	if err != nil {
		return false, nil
	}
	var at struct {
		Port int `json:"port"`
		PID  int `json:"pid"`
	}
	if err := json.Unmarshal(data, &at); err != nil || at.PID != c.PID {
		return false, nil
	}
	key, err := os.ReadFile(filepath.Join(c.home, "here", "key"))
	if err != nil {
		return false, err
	}
	c.URL, c.key = "http://127.0.0.1:"+strconv.Itoa(at.Port), access.EncodeKey(key)
	return true, nil
}

// Do makes one request as a program of the person's own. in and out may be nil.
func (c *Conch) Do(ctx context.Context, method, path string, in, out any) error {
	r, err := c.request(ctx, method, path, in)
	if err != nil {
		return err
	}
	defer func() { _ = r.Body.Close() }()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if r.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, r.Status, data)
	}
	if out == nil || len(data) == 0 {
		return nil
	}
	return json.Unmarshal(data, out)
}

// Stream makes a request as Do does and returns what is answered, as it comes. Close it.
func (c *Conch) Stream(ctx context.Context, path string) (io.ReadCloser, error) {
	r, err := c.request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	if r.StatusCode != http.StatusOK {
		_ = r.Body.Close()
		err := fmt.Errorf("GET %s: %s", path, r.Status)
		if r.StatusCode == http.StatusNotFound {
			err = fmt.Errorf("%w: %w", ErrNotFound, err)
		}
		return nil, err
	}
	return r.Body, nil
}

// ErrNotFound says that there is no such thing, or not any more.
var ErrNotFound = errors.New("not found")

func (c *Conch) request(ctx context.Context, method, path string, in any) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.URL+path, body)
	if err != nil {
		return nil, err
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("X-Conch-Here", c.key)
	return http.DefaultClient.Do(req)
}

// Say starts a chat with text and returns the chat's id.
func (c *Conch) Say(ctx context.Context, text string) (chat string, err error) {
	var got struct {
		Chat string `json:"chat"`
	}
	err = c.Do(ctx, http.MethodPost, "/api/chats", map[string]string{"text": text}, &got)
	return got.Chat, err
}

// Stop stops whoever uses the computer and says whether anyone did.
func (c *Conch) Stop(ctx context.Context) (bool, error) {
	var got struct {
		Stopped bool `json:"stopped"`
	}
	err := c.Do(ctx, http.MethodPost, "/api/computer-use/stop", struct{}{}, &got)
	return got.Stopped, err
}

// Page is a one-time address of a page, for a browser.
func (c *Conch) Page(ctx context.Context, path string) (string, error) {
	var got struct {
		Code string `json:"code"`
	}
	if err := c.Do(ctx, http.MethodPost, "/api/here/codes", struct{}{}, &got); err != nil {
		return "", err
	}
	return "http://localhost" + c.URL[len("http://127.0.0.1"):] + path + "#here=" + got.Code, nil
}

// Output is what the program printed so far.
func (c *Conch) Output() string { return c.out.String() }

// Kill ends the program as a crash would.
func (c *Conch) Kill() {
	_ = c.cmd.Process.Kill()
	<-c.gone
	http.DefaultClient.CloseIdleConnections()
}

// Close asks the program to end and waits for it.
func (c *Conch) Close() error {
	c.end.Do(func() {
		_ = c.cmd.Process.Signal(syscall.SIGTERM)
		stop := time.AfterFunc(15*time.Second, func() { _ = c.cmd.Process.Kill() })
		<-c.gone
		stop.Stop()
		http.DefaultClient.CloseIdleConnections()
	})
	var exit *exec.ExitError
	if errors.As(c.err, &exit) {
		return fmt.Errorf("Conch ended with %w: %s", c.err, c.out)
	}
	return nil
}

// lines keeps what a program prints.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
