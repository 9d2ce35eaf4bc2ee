//go:build linux

package xserver

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// procs starts programs that can't outlive this process.
//
// The kernel sends a child its parent-death signal when the thread that started it ends, not the process,
// so one goroutine locked to one thread starts them all and lives as long as they do. That reaches children
// only: what they start themselves (the accessibility bus, programs that the bus activates) is ended by the
// warden, a shell that waits for this process to go.
type procs struct {
	log   io.Writer
	ask   chan startAsk
	done  chan struct{}
	mu    sync.Mutex
	pids  []int // in the order they were started
	ended []chan struct{}
	close func() error
}

type startAsk struct {
	cmd *exec.Cmd
	err chan error
}

var errClosed = errors.New("the private screen is closed")

func newProcs(log io.Writer, dir string) (*procs, error) {
	w, err := newWarden(dir)
	if err != nil {
		return nil, err
	}
	p := &procs{log: log, ask: make(chan startAsk), done: make(chan struct{})}
	gone := make(chan struct{})
	go p.keeper(gone)
	p.close = sync.OnceValue(func() error {
		close(p.done)
		<-gone
		return w.sweep()
	})
	return p, nil
}

func (p *procs) keeper(gone chan struct{}) {
	defer close(gone)
	runtime.LockOSThread() // never unlocked: the thread goes with this goroutine
	for {
		select {
		case a := <-p.ask:
			a.err <- p.startHere(a.cmd)
		case <-p.done:
			p.killAll()
			return
		}
	}
}

func (p *procs) start(cmd *exec.Cmd) error {
	a := startAsk{cmd: cmd, err: make(chan error, 1)}
	select {
	case p.ask <- a:
		return <-a.err
	case <-p.done:
		return errClosed
	}
}

func (p *procs) startHere(cmd *exec.Cmd) error {
	// A group of its own, so that its children end with it on Close. TERM lets Xvfb remove its lock and socket.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Setpgid: true}
	if p.log != nil && cmd.Stderr == nil {
		cmd.Stderr = p.log
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pids, p.ended = append(p.pids, cmd.Process.Pid), append(p.ended, ended)
	return nil
}

// killAll ends all, last started first, so that the X server goes when nothing uses it any more.
func (p *procs) killAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := len(p.pids) - 1; i >= 0; i-- {
		select {
		case <-p.ended[i]: // its id may belong to another program by now
		default:
			p.end(i)
		}
	}
}

// end asks first, so that Xvfb removes its lock and socket, and then doesn't.
func (p *procs) end(i int) {
	_ = syscall.Kill(-p.pids[i], syscall.SIGTERM)
	patience := time.NewTimer(time.Second)
	defer patience.Stop()
	select {
	case <-p.ended[i]:
	case <-patience.C:
	}
	_ = syscall.Kill(-p.pids[i], syscall.SIGKILL)
	<-p.ended[i]
}

func (p *procs) killFirst() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.pids) == 0 {
		return errClosed
	}
	err := syscall.Kill(p.pids[0], syscall.SIGKILL)
	<-p.ended[0]
	return err
}

// warden is a shell that waits for its input to end, which it does when this process closes it or dies. Then
// it ends every program that has the desktop's runtime folder in its environment, which all of them inherit,
// and removes the desktop's files. So there is one clean-up, after Close and after kill -9 alike.
type warden struct {
	cmd *exec.Cmd
	in  *os.File
}

const wardenScript = `read -r _
for round in 1 2 3 4 5; do
	found=$(grep -lsF "XDG_RUNTIME_DIR=$0/" /proc/[0-9]*/environ)
	[ -n "$found" ] || break
	for f in $found; do
		p=${f#/proc/}
		kill -9 "${p%/environ}" 2>/dev/null
	done
done
rm -rf -- "$0" 2>/dev/null || rm -rf -- "$0"`

func newWarden(dir string) (*warden, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("watch over the private screen: %w", err)
	}
	defer func() { _ = r.Close() }()
	cmd := exec.Command("/bin/sh", "-c", wardenScript, dir)
	cmd.Stdin = r
	// A group of its own: a Ctrl+C in the terminal must not end it before us.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		_ = w.Close()
		return nil, fmt.Errorf("watch over the private screen: %w", err)
	}
	return &warden{cmd: cmd, in: w}, nil
}

func (w *warden) sweep() error {
	_ = w.in.Close()
	return w.cmd.Wait()
}
