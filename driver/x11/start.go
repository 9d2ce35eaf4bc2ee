//go:build linux

package x11

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
)

// start runs an app as a desktop's menu would: in a session of its own, with nothing of ours open, not ended
// with us.
func (a *apps) start(in installed) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", in.Name, err)
	}
	defer func() { _ = null.Close() }()
	attr := &os.ProcAttr{
		Dir: a.folder(in.Dir), Env: appEnv(a.env), Files: []*os.File{null, null, null},
		Sys: &syscall.SysProcAttr{Setsid: true},
	}
	if err := a.starter.start(in.program, in.argv, attr); err != nil {
		return fmt.Errorf("%s did not start: %w", in.Name, err)
	}
	return nil
}

// folder is where an app starts: what its entry says, else the person's home.
func (a *apps) folder(dir string) string {
	for _, d := range []string{dir, a.env.get("HOME"), "/"} {
		if i, err := os.Stat(d); d != "" && err == nil && i.IsDir() {
			return d
		}
	}
	return "/"
}

// Variables that are about us alone, by how their names begin and end: our settings, what a service manager or
// a launcher told us, and secrets that an app has no use for.
var (
	oursBegin = []string{
		"CONCH_", "LISTEN_", "NOTIFY_SOCKET", "INVOCATION_ID", "JOURNAL_STREAM", "MANAGERPID",
		"DESKTOP_STARTUP_ID", "XDG_ACTIVATION_TOKEN", "GOCOVERDIR",
	}
	oursEnd = []string{"_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD"}
)

func appEnv(env []string) []string {
	var out []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		ours := false
		for _, b := range oursBegin {
			ours = ours || strings.HasPrefix(name, b)
		}
		for _, e := range oursEnd {
			ours = ours || strings.HasSuffix(strings.ToUpper(name), e)
		}
		if !ours {
			out = append(out, kv)
		}
	}
	return out
}

// starter starts programs and takes note of their end, so that none of them stays as a zombie. They go on when
// it is closed.
type starter struct {
	mu   sync.Mutex
	pids []int
	stop chan struct{} // closes the reaper; nil when none runs
	done chan struct{}
}

func (s *starter) start(program string, argv []string, attr *os.ProcAttr) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop == nil {
		s.stop, s.done = make(chan struct{}), make(chan struct{})
		ended := make(chan os.Signal, 1)
		signal.Notify(ended, syscall.SIGCHLD) // before the start, so that a quick end is not missed
		go s.reap(ended, s.stop, s.done)
	}
	p, err := os.StartProcess(program, argv, attr)
	if err != nil {
		return err
	}
	s.pids = append(s.pids, p.Pid)
	return p.Release()
}

func (s *starter) reap(ended chan os.Signal, stop, done chan struct{}) {
	defer close(done)
	defer signal.Stop(ended)
	for {
		select {
		case <-ended:
		case <-stop:
			return
		}
		s.mu.Lock()
		var alive []int
		for _, pid := range s.pids {
			// Only those that we started: other parts of the program wait for their own.
			if got, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil); got == 0 && err == nil || err == syscall.EINTR {
				alive = append(alive, pid)
			}
		}
		s.pids = alive
		s.mu.Unlock()
	}
}

func (s *starter) close() {
	s.mu.Lock()
	stop, done := s.stop, s.done
	s.stop = nil
	s.mu.Unlock()
	if stop != nil {
		close(stop)
		<-done
	}
}
