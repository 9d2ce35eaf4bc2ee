// Package program runs a program of the person's own that thinks for a turn: it finds it, starts it with as little
// around it as it needs, speaks with it in lines of JSON, and ends it with all that it started. It never runs
// anything by a shell, and no word of what is said goes onto a command line.
package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"conch/gateway/engine/wire"
)

const (
	// byeIn is how long a program that is ended in the middle may take to hear of it.
	byeIn = 5 * time.Millisecond
	// goesIn is how long it may take to go by itself after that.
	goesIn = 15 * time.Millisecond
	// goneIn is how long one that was killed is waited for.
	goneIn = 20 * time.Millisecond
)

// Spec says what to start.
type Spec struct {
	Path string // absolute; Find has it
	Args []string
	Dir  string
	Env  []string
}

// Line is one line that a program wrote, or why no more can be read.
type Line struct {
	Data []byte
	Err  error
}

// Process is a program under way, in a process group of its own. End must be called.
type Process struct {
	cmd    *exec.Cmd
	in     *os.File
	out    *os.File
	lines  chan Line
	read   chan struct{} // closed when nothing more can be read
	cancel context.CancelFunc
	ending sync.Once

	mu  sync.Mutex
	bye []byte
}

// Start starts a program. It ends with ctx at the latest.
func Start(ctx context.Context, s Spec) (*Process, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("a pipe: %w", err)
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("a pipe: %w", err), childIn.Close(), in.Close())
	}
	ctx, cancel := context.WithCancel(ctx)
	p := &Process{in: in, out: out, lines: make(chan Line), read: make(chan struct{}), cancel: cancel}
	p.cmd = exec.CommandContext(ctx, s.Path, s.Args...) //nolint:gosec // the person's own program, where Find found it
	p.cmd.Dir, p.cmd.Env, p.cmd.Stdin, p.cmd.Stdout = s.Dir, s.Env, childIn, childOut
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.Cancel = func() error { p.end(); return nil }
	err = p.cmd.Start()
	err = errors.Join(err, childIn.Close(), childOut.Close())
	if err != nil {
		if p.cmd.Process != nil {
			p.end()
			_ = p.cmd.Wait() // what failed is told already
		}
		cancel()
		return nil, errors.Join(fmt.Errorf("start the program: %w", err), in.Close(), out.Close())
	}
	go p.reads(ctx)
	return p, nil
}

// reads hands on what the program writes. Once it is to end, what it still writes goes nowhere.
func (p *Process) reads(ctx context.Context) {
	defer close(p.read)
	defer close(p.lines)
	for line, err := range wire.Lines(p.out) {
		select {
		case p.lines <- Line{bytes.Clone(line), err}:
		case <-ctx.Done():
		}
	}
}

// Lines are what the program writes. They end with it.
func (p *Process) Lines() <-chan Line { return p.lines }

// Write writes one line of JSON. It is for one goroutine.
func (p *Process) Write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("a line for the program: %w", err)
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write to the program: %w", err)
	}
	return nil
}

// Bye says what to write when the program is ended in the middle, so that it can tell its provider.
func (p *Process) Bye(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("a line for the program: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bye = append(line, '\n')
	return nil
}

// Done says that there is nothing to end in the middle any more.
func (p *Process) Done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bye = nil
}

// end ends the program once: where it has to be told, it is, and has a moment to go by itself.
func (p *Process) end() { p.ending.Do(p.tellAndKill) }

func (p *Process) tellAndKill() {
	p.mu.Lock()
	bye := p.bye
	p.mu.Unlock()
	if bye != nil {
		_ = p.in.SetWriteDeadline(time.Now().Add(byeIn))
		if _, err := p.in.Write(bye); err == nil {
			_ = p.in.Close()
			gone := time.NewTimer(goesIn)
			select {
			case <-p.read:
			case <-gone.C:
			}
			gone.Stop()
		}
	}
	p.killAll()
}

// killAll ends the whole group. That is done before the program is waited for and never after: then the number could
// be somebody else's.
func (p *Process) killAll() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // one that is gone already is what we want
}

// End ends the program and all that it started. From then on it does nothing any more; it may take the system a
// little longer to take it apart.
func (p *Process) End() {
	p.end()
	p.cancel()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_ = p.cmd.Wait() // that it was killed is no news
		_ = p.in.Close()
		_ = p.out.Close()
		<-p.read
	}()
	late := time.NewTimer(goneIn)
	defer late.Stop()
	select {
	case <-gone:
	case <-late.C:
	}
}
