package main

import (
	"net/http"
	"strings"
	"testing"

	"conch/driver/x11/xconn"
	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"
	"conch/gateway/care"

	"github.com/jezek/xgb/xproto"
	xgbtest "github.com/jezek/xgb/xtest"
)

// TestRepairOnARealScreen breaks what can break on an X11 desktop beneath a running Conch, and has it put right.
func TestRepairOnARealScreen(t *testing.T) {
	x := xtest.Start(t, xserver.Options{WindowManager: "openbox", Bus: true})
	var env []string
	for _, pair := range x.Env() {
		if name, _, _ := strings.Cut(pair, "="); name != "PATH" && name != "HOME" {
			env = append(env, pair)
		}
	}
	c := startConch(t, env...)
	look := func() map[string]found {
		t.Helper()
		var d diagnosis
		if err := c.ask(http.MethodGet, "/api/care", nil, &d); err != nil {
			t.Fatal(err)
		}
		out := map[string]found{}
		for _, f := range d.Checks {
			out[f.ID] = f
		}
		return out
	}
	want := func(id string, level care.Level) {
		t.Helper()
		if f := look()[id]; f.Level != level {
			t.Errorf("%s is %q, want %q: %s", id, f.Level, level, f.Say)
		}
	}
	fix := func(id, say string) {
		t.Helper()
		var got struct {
			Fixed bool   `json:"fixed"`
			Say   string `json:"say"`
		}
		if err := c.ask(http.MethodPost, "/api/care/fix", map[string]string{"id": id}, &got); err != nil {
			t.Fatal(err)
		}
		if !got.Fixed || !strings.Contains(got.Say, say) {
			t.Errorf("%s: %+v", id, got)
		}
	}
	for _, id := range []string{"screen", "stop-key", "held", "edge-left", "port"} {
		if id != "port" { // the usual one may be taken on this machine
			want(id, care.OK)
		}
	}
	want("edge-test", care.Info)
	fix("edge-test", "it works")
	want("edge-test", care.OK)

	other, err := xconn.Dial(t.Context(), x.Display(), x.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	const keyDown, escape = 2, 9
	root := other.Screen.Root
	for _, err := range []error{
		xgbtest.FakeInputChecked(other.Conn, keyDown, 52, 0, root, 0, 0, 0).Check(),
		xproto.GrabKeyChecked(other.Conn, false, root, xproto.ModMask4, escape, xproto.GrabModeAsync, xproto.GrabModeAsync).Check(),
		xproto.ForceScreenSaverChecked(other.Conn, xproto.ScreenSaverActive).Check(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want("held", care.Bad)
	want("stop-key", care.Warn)
	want("screen", care.Warn)
	if out, err := c.command("doctor").CombinedOutput(); err == nil || !strings.Contains(string(out), "Another program already uses Super+Esc") {
		t.Errorf("the doctor: %v\n%s", err, out)
	}
	fix("screen", "is awake again")
	fix("held", "was let go")
	xproto.UngrabKey(other.Conn, escape, root, xproto.ModMask4)
	want("held", care.OK)
	want("screen", care.OK)
	want("stop-key", care.OK)
}
