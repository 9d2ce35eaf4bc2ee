package gateway

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// otherUser is an account that is neither the person's nor anybody's.
const otherUser = 65534

// errand is what another account of this computer is sent to do.
type errand struct {
	URL   string
	Files []string // that it must not be able to read
	Asks  [][2]string
}

// TestAnotherUser has another account of this computer call every route by a loopback socket of its own, and try to
// read what would prove that it is the person.
func TestAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can start a program as another user")
	}
	h := newHouse(t)
	e := errand{URL: h.url, Files: []string{
		filepath.Join(h.home, keyName), filepath.Join(h.home, "access.json"), filepath.Join(h.home, "conch.db"), h.home,
	}}
	for _, row := range h.g.mux.routes() {
		if unproven(false)(row) == asAnybody {
			continue
		}
		method, path, found := strings.Cut(row.pattern, " ")
		if !found {
			method, path = http.MethodPost, row.pattern
		}
		e.Asks = append(e.Asks, [2]string{method, strings.NewReplacer("{$}", "", "{", "", "}", "").Replace(path)})
	}
	// The folders of tests are for their own account, so the program goes where the other may start it.
	dir := must(os.MkdirTemp("", "conch-user-"))
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	self := filepath.Join(dir, "gateway.test")
	copyProgram(t, must(os.Executable()), self)
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestErrandOfAnotherUser$", "-test.v")
	cmd.Dir = dir
	cmd.Env = []string{"CONCH_ERRAND=" + string(must(json.Marshal(e))), "TMPDIR=" + dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: otherUser, Gid: otherUser}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), fmt.Sprintf("refused %d times as user %d", len(e.Asks), otherUser)) {
		t.Errorf("another user: %v\n%s", err, out)
	}
}

func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	in := must(os.Open(from))
	defer func() { _ = in.Close() }()
	out := must(os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755))
	_, err := io.Copy(out, in)
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestErrandOfAnotherUser is the other account's part of TestAnotherUser.
func TestErrandOfAnotherUser(t *testing.T) {
	text := os.Getenv("CONCH_ERRAND")
	if text == "" {
		t.Skip("TestAnotherUser starts this as another user")
	}
	var e errand
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != otherUser {
		t.Fatalf("this is user %d", os.Geteuid())
	}
	for _, file := range e.Files {
		if f, err := os.Open(file); err == nil {
			_ = f.Close()
			t.Errorf("%s can be read", file)
		}
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	refused := 0
	for _, a := range e.Asks {
		req := must(http.NewRequestWithContext(t.Context(), a[0], e.URL+a[1], nil))
		req.Header.Set("Origin", e.URL)
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s %s: %d", a[0], a[1], res.StatusCode)
			continue
		}
		refused++
	}
	fmt.Printf("refused %d times as user %d\n", refused, os.Geteuid())
}
