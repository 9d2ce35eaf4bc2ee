//go:build linux

package xserver

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Options says what desktop to start. The zero value is a bare 1280×800 screen.
type Options struct {
	Width, Height int
	WindowManager string   // a program such as "openbox"; "" none
	Compositor    bool     // picom
	Bus           bool     // a session bus with AT-SPI
	Layout        string   // for setxkbmap: "us", "de", "us,ru"; "" as the server starts
	Auth          bool     // only holders of XAUTHORITY may connect; otherwise any local user may
	Home          string   // HOME of the programs; "" a temporary folder
	Files         []File   // put into HOME before anything runs
	ExtraEnv      []string // NAME=value
	Background    uint32   // 0xRRGGBB of the root window
	Log           io.Writer
}

// File is a file in the desktop's home: settings of its programs, or something to open.
type File struct{ Path, Text string }

// Server is a running private desktop.
type Server struct {
	opts    Options
	display string
	dir     string // temporary: authority, runtime dir, home
	env     []string
	procs   *procs
}

// How long a part may take to come up. Generous: a loaded machine is not an error.
const startLimit = 20 * time.Second

// MissingError says that a program is not installed.
type MissingError struct{ Program, Package string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is not installed (Debian: apt-get install %s)", e.Program, e.Package)
}

var debian = map[string]string{
	"Xvfb": "xvfb", "openbox": "openbox", "picom": "picom", "dbus-daemon": "dbus", "setxkbmap": "x11-xkb-utils",
}

// Have returns a *MissingError for the first program that is not installed.
func Have(programs ...string) error {
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			pkg := debian[p]
			if pkg == "" {
				pkg = p
			}
			return &MissingError{Program: p, Package: pkg}
		}
	}
	return nil
}

// Start starts the desktop and returns once each part of it answers.
func Start(ctx context.Context, o Options) (s *Server, err error) {
	if o.Width == 0 || o.Height == 0 {
		o.Width, o.Height = 1280, 800
	}
	if err := Have("Xvfb"); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "conch-x-")
	if err != nil {
		return nil, fmt.Errorf("start a private screen: %w", err)
	}
	pr, err := newProcs(o.Log, dir)
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	s = &Server{opts: o, dir: dir, procs: pr}
	defer func() {
		if err != nil {
			_ = s.Close()
			s = nil
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := s.startX(ctx); err != nil {
		return s, err
	}
	if err := s.makeEnv(); err != nil {
		return s, err
	}
	if o.Bus {
		if err := s.startBus(ctx); err != nil {
			return s, err
		}
	}
	if o.Layout != "" {
		if out, err := s.Command("setxkbmap", o.Layout).CombinedOutput(); err != nil {
			return s, fmt.Errorf("set the keyboard layout %q: %w: %s", o.Layout, err, out)
		}
	}
	return s, s.startDesktop(ctx)
}

func (s *Server) startX(ctx context.Context) error {
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start a private screen: %w", err)
	}
	defer func() { _ = r.Close() }()
	args := []string{
		"-displayfd", "3", "-screen", "0", fmt.Sprintf("%dx%dx24", s.opts.Width, s.opts.Height),
		"-nolisten", "tcp", "-noreset",
	}
	cookie := make([]byte, 16)
	authority := filepath.Join(s.dir, "authority")
	if s.opts.Auth {
		_, _ = rand.Read(cookie)
		if err := writeAuthority(authority, "0", cookie); err != nil {
			_ = w.Close()
			return err
		}
		args = append(args, "-auth", authority)
	}
	cmd := exec.Command("Xvfb", args...)
	cmd.ExtraFiles = []*os.File{w}
	err = s.procs.start(cmd)
	_ = w.Close()
	if err != nil {
		return fmt.Errorf("start Xvfb: %w", err)
	}
	line, err := readLine(ctx, r)
	if err != nil {
		return fmt.Errorf("Xvfb did not come up: %w", err)
	}
	s.display = ":" + line
	if s.opts.Auth {
		return writeAuthority(authority, line, cookie)
	}
	return nil
}

// readLine waits for one line, for ctx's end, or for the writer to go away.
func readLine(ctx context.Context, r *os.File) (string, error) {
	stop := context.AfterFunc(ctx, func() { _ = r.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	line, err := bufio.NewReader(r).ReadString('\n')
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(line), nil
}

func (s *Server) makeEnv() error {
	home := s.opts.Home
	if home == "" {
		home = filepath.Join(s.dir, "home")
	}
	runtime := filepath.Join(s.dir, "run")
	for _, d := range []string{home, runtime} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return fmt.Errorf("start a private screen: %w", err)
		}
	}
	for _, f := range s.opts.Files {
		at := filepath.Join(home, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return fmt.Errorf("start a private screen: %w", err)
		}
		if err := os.WriteFile(at, []byte(f.Text), 0o600); err != nil {
			return fmt.Errorf("start a private screen: %w", err)
		}
	}
	s.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LANG=C.UTF-8", "DISPLAY=" + s.display,
		"XDG_RUNTIME_DIR=" + runtime, "XDG_SESSION_TYPE=x11", "XDG_CURRENT_DESKTOP=Openbox",
		// Settings of the person's own desktop must not reach in here, nor ours out.
		"GSETTINGS_BACKEND=memory", "GIO_USE_VFS=local", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1",
		"GTK_OVERLAY_SCROLLING=0",
	}
	if s.opts.Auth {
		s.env = append(s.env, "XAUTHORITY="+s.Authority())
	}
	if !s.opts.Bus {
		// Without a bus address GTK programs would start a bus of their own and leave it behind.
		s.env = append(s.env, "DBUS_SESSION_BUS_ADDRESS=disabled:", "NO_AT_BRIDGE=1")
	}
	s.env = append(s.env, s.opts.ExtraEnv...)
	return nil
}

func (s *Server) startBus(ctx context.Context) error {
	if err := Have("dbus-daemon"); err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start a session bus: %w", err)
	}
	defer func() { _ = r.Close() }()
	cmd := s.Command("dbus-daemon", "--session", "--nofork", "--nopidfile", "--nosyslog", "--print-address=3",
		"--address=unix:path="+filepath.Join(s.dir, "run", "bus"))
	cmd.ExtraFiles = []*os.File{w}
	err = s.procs.start(cmd)
	_ = w.Close()
	if err != nil {
		return fmt.Errorf("start a session bus: %w", err)
	}
	address, err := readLine(ctx, r)
	if err != nil {
		return fmt.Errorf("the session bus did not come up: %w", err)
	}
	s.env = append(s.env, "DBUS_SESSION_BUS_ADDRESS="+address)
	const launcher = "/usr/libexec/at-spi-bus-launcher"
	if _, err := os.Stat(launcher); err != nil {
		return &MissingError{Program: launcher, Package: "at-spi2-core"}
	}
	return s.procs.start(s.Command(launcher, "--launch-immediately"))
}

// Display is the DISPLAY of this desktop, such as ":7".
func (s *Server) Display() string { return s.display }

// Authority is the path for XAUTHORITY, or "" when anyone local may connect.
func (s *Server) Authority() string {
	if !s.opts.Auth {
		return ""
	}
	return filepath.Join(s.dir, "authority")
}

// Env is the whole environment for a program on this desktop.
func (s *Server) Env() []string { return append([]string(nil), s.env...) }

// Getenv is one value of Env.
func (s *Server) Getenv(name string) string {
	for i := len(s.env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(s.env[i], name+"="); ok {
			return v
		}
	}
	return ""
}

// Command prepares a program with this desktop's environment. Whoever runs it ends it.
func (s *Server) Command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Env = s.Env()
	return cmd
}

// Run starts a program that ends with the desktop, and returns its process id.
func (s *Server) Run(program string, args ...string) (pid int, err error) {
	cmd := s.Command(program, args...)
	if err := s.procs.start(cmd); err != nil {
		return 0, fmt.Errorf("start %s: %w", program, err)
	}
	return cmd.Process.Pid, nil
}

// Start starts a prepared program (Command) that ends with the desktop.
func (s *Server) Start(cmd *exec.Cmd) error { return s.procs.start(cmd) }

// KillX ends the X server the hard way, as a crash would.
func (s *Server) KillX() error { return s.procs.killFirst() }

// Close ends every program of this desktop and removes its files.
func (s *Server) Close() error {
	if err := s.procs.close(); err != nil {
		return fmt.Errorf("clean up the private screen: %w", err)
	}
	return nil
}
