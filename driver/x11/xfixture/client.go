//go:build linux

package xfixture

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

const envName = "CONCH_X11_FIXTURE"

// Main runs the program and ends the process when this process was started as one; otherwise it returns.
func Main() {
	if os.Getenv(envName) == "" {
		return
	}
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "xfixture:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Program is a running fixture: one process, one X connection, any number of windows.
type Program struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	mu  sync.Mutex // one request and its reply at a time
	out *bufio.Reader
}

// Window is one of a Program's windows.
type Window struct {
	ID uint32
	p  *Program
}

// Start runs this same binary as a fixture with the environment env, which names the display.
func Start(env []string) (*Program, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return StartAs(exe, env)
}

// StartAs runs exe, a binary whose main calls Main, under that very path: what /proc/PID/exe says of a program
// can then be chosen, by a copy or a hard link of the test binary.
func StartAs(exe string, env []string) (*Program, error) {
	cmd := exec.Command(exe)
	// A program with the race detector would sleep a second at its end, once for each test's desk.
	cmd.Env = append(append([]string(nil), env...), envName+"=1", "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &Program{cmd: cmd, in: in, out: bufio.NewReader(out)}
	if _, err := p.ask(request{Do: "hello"}); err != nil {
		_ = p.Close()
		return nil, fmt.Errorf("the fixture did not come up: %w", err)
	}
	return p, nil
}

// PID is the process id.
func (p *Program) PID() int { return p.cmd.Process.Pid }

// Close ends the program and waits for it.
func (p *Program) Close() error {
	_ = p.in.Close()
	return p.cmd.Wait()
}

// Kill ends the program the hard way.
func (p *Program) Kill() error {
	_ = p.cmd.Process.Kill()
	_ = p.in.Close()
	_ = p.cmd.Wait()
	return nil
}

func (p *Program) ask(q request) (reply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b, err := json.Marshal(q)
	if err != nil {
		return reply{}, err
	}
	if _, err := p.in.Write(append(b, '\n')); err != nil {
		return reply{}, err
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return reply{}, err
	}
	var r reply
	if err := json.Unmarshal(line, &r); err != nil {
		return reply{}, err
	}
	if r.Err != "" {
		return r, errors.New(r.Err)
	}
	return r, nil
}

// Open opens a window and returns once the server shows it.
func (p *Program) Open(s Spec) (*Window, error) {
	r, err := p.ask(request{Do: "open", Spec: s})
	if err != nil {
		return nil, fmt.Errorf("open a window: %w", err)
	}
	return &Window{ID: r.ID, p: p}, nil
}

func (w *Window) do(q request) error {
	q.ID = w.ID
	_, err := w.p.ask(q)
	return err
}

// Raise puts the window above the others, as far as a window manager lets it.
func (w *Window) Raise() error { return w.do(request{Do: "raise"}) }

// Lower puts the window below the others.
func (w *Window) Lower() error { return w.do(request{Do: "lower"}) }

// Focus gives the window the keyboard and returns once it has it.
func (w *Window) Focus() error { return w.do(request{Do: "focus"}) }

// Move moves the window.
func (w *Window) Move(x, y int) error { return w.do(request{Do: "move", X: x, Y: y}) }

// Resize changes the window's size.
func (w *Window) Resize(width, height int) error {
	return w.do(request{Do: "resize", X: width, Y: height})
}

// Paint fills the window with one colour and keeps it.
func (w *Window) Paint(color uint32) error { return w.do(request{Do: "paint", Color: color}) }

// Blink swaps the window's two colours every ms milliseconds; 0 stops it.
func (w *Window) Blink(ms int) error { return w.do(request{Do: "blink", MS: ms}) }

// Blinks is how often the window has changed colour by Blink.
func (w *Window) Blinks() (int, error) {
	r, err := w.p.ask(request{Do: "blinks", ID: w.ID})
	return r.Count, err
}

// Title changes the window's title.
func (w *Window) Title(s string) error {
	return w.do(request{Do: "title", Spec: Spec{Title: s}})
}

// Hide unmaps the window, and Show maps it again.
func (w *Window) Hide() error { return w.do(request{Do: "hide"}) }

// Show maps the window again and returns once the server shows it.
func (w *Window) Show() error { return w.do(request{Do: "show"}) }

// Close destroys the window.
func (w *Window) Close() error { return w.do(request{Do: "close"}) }

// Text is what was typed into the window: each key press translated with the keymap that the program had
// when it handled it, Return as "\n", Tab as "\t", BackSpace taking one character away.
func (w *Window) Text() (string, error) {
	r, err := w.p.ask(request{Do: "text", ID: w.ID})
	return r.Text, err
}

// Events are the events the window got since it was opened or Forget was called.
func (w *Window) Events() ([]Event, error) {
	r, err := w.p.ask(request{Do: "events", ID: w.ID})
	return r.Events, err
}

// EventsFrom are those events but the first n, for whoever asks again and again.
func (w *Window) EventsFrom(n int) ([]Event, error) {
	r, err := w.p.ask(request{Do: "events", ID: w.ID, X: n})
	return r.Events, err
}

// Count is how many events there are.
func (w *Window) Count() (int, error) {
	r, err := w.p.ask(request{Do: "count", ID: w.ID})
	return r.Count, err
}

// Forget drops the text and the events so far.
func (w *Window) Forget() error { return w.do(request{Do: "forget"}) }
