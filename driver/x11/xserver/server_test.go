//go:build linux

package xserver_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv("CONCH_XSERVER_HOLD") != "" {
		holdForEver()
	}
	goleak.VerifyTestMain(m)
}

// holdForEver is a program that has a desktop, says so, and waits to be killed.
func holdForEver() {
	ctx := context.Background()
	s, err := xserver.Start(ctx, xserver.Options{WindowManager: "openbox", Bus: true})
	if err != nil {
		println(err.Error())
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString(s.Display() + " " + s.Getenv("XDG_RUNTIME_DIR") + "\n")
	select {}
}

func TestWholeDesktopComesUpAndGoes(t *testing.T) {
	var display string
	t.Run("up", func(t *testing.T) {
		s := xtest.Start(t, xserver.Options{WindowManager: "openbox", Compositor: true, Bus: true, Layout: "us,ru", Background: 0x223344})
		display = s.Display()
		out, err := s.Command("xprop", "-root", "_NET_SUPPORTING_WM_CHECK").CombinedOutput()
		if err != nil || !strings.Contains(string(out), "window id") {
			t.Fatalf("no window manager: %v: %s", err, out)
		}
	})
	if display != "" && socketAlive(display) {
		t.Errorf("the X server %s is still there after Close", display)
	}
}

func TestStrangersAreKeptOut(t *testing.T) {
	s := xtest.Start(t, xserver.Options{Auth: true, WindowManager: "openbox"})
	if out, err := s.Command("xdpyinfo").CombinedOutput(); err != nil {
		t.Fatalf("with the authority: %v: %s", err, out)
	}
	cmd := s.Command("xdpyinfo")
	cmd.Env = append(cmd.Env, "XAUTHORITY=/dev/null")
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("without the authority the screen answered: %.100s", out)
	}
}

func TestNothingOutlivesAKilledOwner(t *testing.T) {
	if err := xserver.Have("Xvfb", "openbox", "dbus-daemon"); err != nil {
		xtest.Missing(t, err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CONCH_XSERVER_HOLD=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	display, run, _ := strings.Cut(strings.TrimSpace(line), " ")
	if !socketAlive(display) {
		t.Fatalf("%s does not answer", display)
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	deadline := time.Now().Add(10 * time.Second)
	for socketAlive(display) || exists(run) || programIn(run) != "" {
		if time.Now().After(deadline) {
			t.Fatalf("left behind by a killed owner: %s alive %t, files %t, program %q", display, socketAlive(display), exists(run), programIn(run))
		}
		_, _ = syscall.Select(0, nil, nil, nil, &syscall.Timeval{Usec: 5000})
	}
}

func socketAlive(display string) bool {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return false
	}
	defer syscall.Close(fd)
	return syscall.Connect(fd, &syscall.SockaddrUnix{Name: "/tmp/.X11-unix/X" + strings.TrimPrefix(display, ":")}) == nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// programIn finds a process that was started with dir on its command line: the accessibility bus is.
func programIn(dir string) string {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && strings.Contains(string(b), dir) && !strings.Contains(string(b), "while read") {
			return strings.ReplaceAll(string(b), "\x00", " ")
		}
	}
	return ""
}
