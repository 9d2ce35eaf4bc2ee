package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// openTerminal makes a pseudo-terminal: what the person has, and what a program has.
func openTerminal() (person, program *os.File, err error) {
	person, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	fd := int(person.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		_ = person.Close()
	}
	return person, program, err
}

// terminal runs conch in a terminal, as a person does: “terminal CODE 'when' 'type' … -- ARGS”. Each pair says
// what has to be on the screen before something is typed (^C for Ctrl+C); it ends with exit code CODE. What was
// on the screen is written to the file $WORK/screen. A last word @FILE stands for what is in the file, and
// typing STOP is stopping from elsewhere.
func terminal(ts *testscript.TestScript, _ bool, args []string) {
	want, args := args[0], args[1:]
	var pairs [][2]string
	for len(args) >= 2 && args[0] != "--" {
		pairs, args = append(pairs, [2]string{args[0], args[1]}), args[2:]
	}
	person, program, err := openTerminal()
	check(ts, err)
	defer func() { _ = person.Close() }()
	args = args[1:]
	if last := len(args) - 1; strings.HasPrefix(args[last], "@") {
		args[last] = ts.ReadFile(args[last][1:])
	}
	cmd := exec.Command(firstOf(ts), args...)
	cmd.Env = []string{"CONCH_HOME=" + ts.Getenv("CONCH_HOME"), "HOME=" + ts.Getenv("HOME"), "PATH=" + ts.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	check(ts, cmd.Start())
	_ = program.Close()

	var mu sync.Mutex
	var screen bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 4096)
		for {
			n, err := person.Read(buf)
			mu.Lock()
			screen.Write(buf[:n])
			mu.Unlock()
			if err != nil {
				return // EIO once no program has the terminal any more
			}
		}
	}()
	seen := func() string {
		mu.Lock()
		defer mu.Unlock()
		return screen.String()
	}
	from := 0
	for _, p := range pairs {
		err := eventually(patience, func() error {
			if i := strings.Index(seen()[from:], p[0]); i >= 0 {
				from += i + len(p[0])
				return nil
			}
			return fmt.Errorf("%q is not on the screen:\n%s", p[0], seen())
		})
		if err != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			ts.Fatalf("%v", err)
		}
		if p[1] == "STOP" {
			check(ts, scriptPeer(ts).ask(context.Background(), http.MethodPost, "/api/computer-use/stop", struct{}{}, nil))
			continue
		}
		typed := strings.NewReplacer("^C", "\x03", `\n`, "\n").Replace(p[1])
		_, err = person.WriteString(typed)
		check(ts, err)
	}
	timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	err = cmd.Wait()
	timer.Stop()
	<-read
	check(ts, os.WriteFile(ts.MkAbs("screen"), []byte(seen()), 0o600))
	if got := fmt.Sprint(cmd.ProcessState.ExitCode()); got != want {
		ts.Fatalf("ended with %s (%v), want %s; on the screen:\n%s", got, err, want, seen())
	}
}

// firstOf finds the conch that the script runs.
func firstOf(ts *testscript.TestScript) string {
	for dir := range strings.SplitSeq(ts.Getenv("PATH"), string(os.PathListSeparator)) {
		if info, err := os.Stat(dir + "/conch"); err == nil && info.Mode().IsRegular() {
			return dir + "/conch"
		}
	}
	ts.Fatalf("no conch in the script's PATH")
	return ""
}
