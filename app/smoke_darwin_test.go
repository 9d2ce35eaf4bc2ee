package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/gateway"
)

// TestSmoke tries the real program on a real Mac: CONCH_SMOKE is the program inside a built Conch.app, and what
// starts the test must have both permissions, as the shells of GitHub's hosted runners do. It takes the
// computer, so nothing runs without being asked for.
//
// That the edge is lit and that pictures leave it out are seen by the program itself before its first turn (the
// overlay's self-test, without which a turn refuses to begin); the other things are read back from the apps.
func TestSmoke(t *testing.T) {
	program := os.Getenv("CONCH_SMOKE")
	if program == "" {
		t.Skip("CONCH_SMOKE names no program")
	}
	s := startSmoke(t, program)

	typed := strings.Repeat("Conch types sixty characters, ", 2)
	s.turn(`open TextEdit then press cmd+n then wait 1 then type "` + typed + `" then press cmd+a then press cmd+c`)
	s.copied(typed)

	// What the key's button is called differs between versions of macOS.
	s.turn(`open Calculator then press Escape then click "7" then wait 1 then press cmd+c`)
	if pasted(t) != "7" {
		s.turn(`open Calculator then press Escape then click "seven" then wait 1 then press cmd+c`)
	}
	s.copied("7")

	press := stopPresser(t)
	s.begin(`open TextEdit then press cmd+n then type "` + strings.Repeat("Stop is one press away. ", 400) + `"`)
	s.until("typing", func(st gateway.Status) bool { return st.State == gateway.Using && strings.HasPrefix(st.Say, "Typing") })
	began := time.Now()
	if out, err := exec.CommandContext(t.Context(), press).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.until("stopped", func(st gateway.Status) bool { return st.State == gateway.Idle })
	t.Logf("⌘⎋ ended the turn within %v, as seen from outside", time.Since(began))
}

// smoke is the running program.
type smoke struct {
	t    *testing.T
	peer *peer
	page *browser
	chat string
}

func startSmoke(t *testing.T, program string) *smoke {
	t.Helper()
	home := t.TempDir()
	cmd := exec.Command(program, "--no-open")
	cmd.Env = append(os.Environ(), "CONCH_HOME="+home, "CONCH_LOG=info")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the program's end: %v", err)
		}
	})
	s := &smoke{t: t}
	c := &call{getenv: func(name string) string { return map[string]string{"CONCH_HOME": home}[name] }}
	if err := eventually(patience, func() (err error) {
		s.peer, err = c.findPeer(t.Context())
		return err
	}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Code string `json:"code"`
	}
	err := s.peer.ask(t.Context(), http.MethodPost, "/api/here/codes", struct{}{}, &got)
	if err == nil {
		s.page, err = newBrowser(s.peer.Port, got.Code)
	}
	if err == nil {
		err = s.page.post("/api/computer-use", `{"on":true}`)
	}
	if err != nil {
		t.Fatal(err)
	}
	var chat started
	if err := s.page.ask("/api/chats", `{"text":"look"}`, &chat); err != nil {
		t.Fatal(err)
	}
	s.chat = chat.Chat
	s.until("the first look", func(st gateway.Status) bool { return st.State == gateway.Idle })
	if st := s.status(); st.Screen != "" {
		t.Fatalf("the screen can't be used: %s", st.Screen)
	}
	// Nobody is there to be asked.
	if err := s.page.post("/api/chats/"+s.chat+"/mode", `{"mode":"trust"}`); err != nil {
		t.Fatal(err)
	}
	return s
}

type started struct {
	Chat string `json:"chat"`
	Turn string `json:"turn"`
}

func (s *smoke) status() (st gateway.Status) {
	s.t.Helper()
	if err := s.peer.ask(s.t.Context(), http.MethodGet, "/api/status", nil, &st); err != nil {
		s.t.Fatal(err)
	}
	return st
}

func (s *smoke) until(what string, is func(gateway.Status) bool) {
	s.t.Helper()
	if err := eventually(2*patience, func() error {
		if st := s.status(); !is(st) {
			return fmt.Errorf("it is %s: %s", st.State, st.Say)
		}
		return nil
	}); err != nil {
		s.t.Fatalf("%s: %v", what, err)
	}
}

func (s *smoke) begin(words string) {
	s.t.Helper()
	if err := s.page.post("/api/chats/"+s.chat+"/messages", fmt.Sprintf(`{"text":%q}`, words)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *smoke) turn(words string) {
	s.t.Helper()
	s.begin(words)
	s.until(words, func(st gateway.Status) bool { return st.State == gateway.Idle })
}

// pasted is what is on the pasteboard.
func pasted(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "/usr/bin/pbpaste").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimRight(string(out), "\n")
}

// copied checks what the app in front put on the pasteboard.
func (s *smoke) copied(want string) {
	s.t.Helper()
	if err := eventually(patience, func() error {
		if got := pasted(s.t); got != want {
			return fmt.Errorf("the app has %q", got)
		}
		return nil
	}); err != nil {
		s.t.Errorf("want %q: %v", want, err)
	}
}

// stopPresser builds a program that presses ⌘⎋ as a person would: it isn't Conch, and carries no mark of ours.
func stopPresser(t *testing.T) (program string) {
	t.Helper()
	const script = `import CoreGraphics
for down in [true, false] {
	let e = CGEvent(keyboardEventSource: CGEventSource(stateID: .hidSystemState), virtualKey: 53, keyDown: down)!
	e.flags = .maskCommand
	e.post(tap: .cghidEventTap)
}
`
	dir := t.TempDir()
	file, program := filepath.Join(dir, "stop.swift"), filepath.Join(dir, "stop")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute) // the compiler is slow the first time
	defer cancel()
	if out, err := exec.CommandContext(ctx, "/usr/bin/swiftc", "-o", program, file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}
