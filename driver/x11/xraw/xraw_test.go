//go:build linux

package xraw

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	xgbtest "github.com/jezek/xgb/xtest"
	"go.uber.org/goleak"

	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// inputs collects XInput2 events and lets a test wait for one.
type inputs struct {
	mu   sync.Mutex
	all  []Event
	more chan struct{}
}

func (i *inputs) add(e Event) {
	i.mu.Lock()
	i.all = append(i.all, e)
	i.mu.Unlock()
	select {
	case i.more <- struct{}{}:
	default:
	}
}

func (i *inputs) await(t *testing.T, x *XI, want XIType) Input {
	t.Helper()
	limit := time.After(10 * time.Second)
	for {
		i.mu.Lock()
		for _, e := range i.all {
			if in, ok := x.Input(e); ok && in.Type == want {
				i.mu.Unlock()
				return in
			}
		}
		i.mu.Unlock()
		select {
		case <-i.more:
		case <-limit:
			t.Fatalf("no event of type %d came", want)
		}
	}
}

func TestRawEventsNameTheirSource(t *testing.T) {
	srv := xtest.Start(t, xserver.Options{})
	ctx := within(t)
	got := &inputs{more: make(chan struct{}, 1)}
	c, err := Dial(ctx, srv.Display(), got.add)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	xi, err := c.XI(ctx)
	if err != nil {
		t.Fatal(err)
	}
	devices, err := xi.Devices(ctx, AllDevices)
	if err != nil {
		t.Fatal(err)
	}
	synthetic := map[uint16]bool{}
	for _, d := range devices {
		if d.Synthetic() {
			synthetic[d.ID] = true
		}
	}
	if len(synthetic) != 2 {
		t.Fatalf("XTEST devices among %+v: %v, want the pointer and the keyboard", devices, synthetic)
	}
	if err := xi.Select(ctx, c.Setup().Root, AllMasterDevices, RawKeyPress, RawKeyRelease, RawButtonPress, RawMotion); err != nil {
		t.Fatal(err)
	}
	other, err := xgb.NewConnDisplay(srv.Display())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := xgbtest.Init(other); err != nil {
		t.Fatal(err)
	}
	for _, ev := range [][2]byte{{xproto.KeyPress, 38}, {xproto.KeyRelease, 38}, {xproto.ButtonPress, 3}, {xproto.ButtonRelease, 3}} {
		if err := xgbtest.FakeInputChecked(other, ev[0], ev[1], 0, 0, 0, 0, 0).Check(); err != nil {
			t.Fatal(err)
		}
	}
	if in := got.await(t, xi, RawKeyPress); in.Detail != 38 || !synthetic[in.Source] || in.Time == 0 {
		t.Errorf("key press %+v, want key 38 from an XTEST device", in)
	}
	got.await(t, xi, RawKeyRelease)
	if in := got.await(t, xi, RawButtonPress); in.Detail != 3 || !synthetic[in.Source] {
		t.Errorf("button press %+v, want button 3 from an XTEST device", in)
	}
}

func TestErrorsReachTheirRequest(t *testing.T) {
	srv := xtest.Start(t, xserver.Options{})
	ctx := within(t)
	c, err := Dial(ctx, srv.Display(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	destroy := []byte{4, 0, 0, 0, 0xef, 0xbe, 0xad, 0x00} // DestroyWindow of one that isn't there
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			var xe *Error
			if err := c.Do(ctx, destroy); !errors.As(err, &xe) || xe.Major != 4 || xe.Resource != 0xadbeef {
				t.Errorf("got %v, want the server's error on request 4", err)
			}
			if err := c.Do(ctx, []byte{127, 0, 0, 0}); err != nil { // NoOperation
				t.Errorf("NoOperation: %v", err)
			}
			if err := c.Sync(ctx); err != nil {
				t.Errorf("Sync: %v", err)
			}
		})
	}
	wg.Wait()
	c.mu.Lock()
	left := len(c.pending)
	c.mu.Unlock()
	if left != 0 {
		t.Errorf("%d requests still wait for an answer", left)
	}
	var missing *NoExtensionError
	if _, err := c.Extension(ctx, "NOT-THERE"); !errors.As(err, &missing) {
		t.Errorf("got %v, want a *NoExtensionError", err)
	}
	if _, err := c.Request(ctx, []byte{1}); err == nil {
		t.Error("a request of one byte was sent")
	}
	if err := c.Do(ctx, make([]byte, 1<<22)); err == nil {
		t.Error("a request longer than the server takes was sent")
	}
}

func TestAuthority(t *testing.T) {
	srv := xtest.Start(t, xserver.Options{Auth: true})
	ctx := within(t)
	t.Setenv("XAUTHORITY", srv.Authority())
	c, err := Dial(ctx, srv.Display(), nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	empty := t.TempDir() + "/none"
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XAUTHORITY", empty)
	if c, err := Dial(ctx, srv.Display(), nil); err == nil {
		c.Close()
		t.Fatal("connected without the cookie")
	} else if !strings.Contains(err.Error(), "refused") {
		t.Errorf("got %q, want the server's refusal", err)
	}
}

func TestServerGone(t *testing.T) {
	srv := xtest.Start(t, xserver.Options{})
	ctx := within(t)
	c, err := Dial(ctx, srv.Display(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := srv.KillX(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-c.Done():
	case <-ctx.Done():
		t.Fatal("the end of the server went unseen")
	}
	if err := c.Sync(ctx); err == nil || errors.Is(err, ErrClosed) {
		t.Errorf("after the server's end: %v", err)
	}
	c.Close()
}

func TestNoDisplay(t *testing.T) {
	t.Setenv("DISPLAY", "")
	if _, err := Dial(within(t), "", nil); !errors.Is(err, ErrNoDisplay) {
		t.Errorf("got %v, want ErrNoDisplay", err)
	}
	for _, bad := range []string{"nonsense", ":", ":x", ":-1", ":1.x", ":99999", "tcp/:1"} {
		if _, err := parseDisplay(bad); err == nil {
			t.Errorf("%q was taken for a display", bad)
		}
	}
}

func TestParseDisplay(t *testing.T) {
	for in, want := range map[string]address{
		":0":              {network: "unix", socket: "/tmp/.X11-unix/X0"},
		"unix:3.1":        {network: "unix", socket: "/tmp/.X11-unix/X3", number: 3, screen: 1},
		"host:2":          {network: "tcp", host: "host", number: 2},
		"[::1]:2.0":       {network: "tcp", host: "::1", number: 2},
		"/a/org.x:0":      {network: "unix", socket: "/a/org.x:0"},
		"tcp/localhost:1": {network: "tcp", host: "localhost", number: 1},
	} {
		want.text = in
		if got, err := parseDisplay(in); err != nil || got != want {
			t.Errorf("parseDisplay(%q) = %+v, %v; want %+v", in, got, err, want)
		}
	}
}

func entry(family uint16, addr, number, name, data string) []byte {
	b := binary.BigEndian.AppendUint16(nil, family)
	for _, f := range []string{addr, number, name, data} {
		b = append(binary.BigEndian.AppendUint16(b, uint16(len(f))), f...)
	}
	return b
}

func TestFindCookie(t *testing.T) {
	one, two := strings.Repeat("1", 16), strings.Repeat("2", 16)
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"own host":           {entry(familyLocal, "here", "0", cookieName, one), one},
		"another host first": {append(entry(familyLocal, "there", "0", cookieName, two), entry(familyLocal, "here", "0", cookieName, one)...), one},
		"any host":           {entry(familyWild, "", "", cookieName, one), one},
		"another kind first": {append(entry(familyLocal, "here", "0", "XDM-AUTHORIZATION-1", two), entry(familyLocal, "here", "0", cookieName, one)...), one},
		"another display":    {entry(familyLocal, "here", "1", cookieName, one), ""},
		"short cookie":       {entry(familyLocal, "here", "0", cookieName, "123"), ""},
		"empty":              {nil, ""},
		"cut short":          {entry(familyLocal, "here", "0", cookieName, one)[:30], ""},
	} {
		if got := string(findCookie(c.file, "here", "0")); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if findCookie(entry(familyIP4, "\x7f\x00\x00\x01", "0", cookieName, one), "127.0.0.1", "0") == nil {
		t.Error("an address entry was not found")
	}
}

func FuzzParsers(f *testing.F) {
	f.Add(entry(familyLocal, "here", "0", cookieName, strings.Repeat("1", 16)), byte(2))
	f.Add(bytes.Repeat([]byte{1}, 200), byte(1))
	f.Add([]byte{35, 131, 0, 0, 1, 0, 0, 0, 13, 0}, byte(0))
	f.Fuzz(func(t *testing.T, b []byte, n byte) {
		if c := findCookie(b, "here", "0"); c != nil && len(c) != 16 {
			t.Errorf("a cookie of %d bytes", len(c))
		}
		if _, err := parseSetup(b, int(n)); err == nil && len(b) < 32 {
			t.Error("a short greeting was taken")
		}
		if d, err := parseDevices(b, int(n)); err == nil && len(d) != int(n) {
			t.Errorf("%d devices of %d", len(d), n)
		}
		x := &XI{major: 131}
		x.Input(b)
		_, _ = parseDisplay(string(b))
		_, _ = readUnit(bytes.NewReader(b))
	})
}
