package main

import (
	"context"
	"net"
	"strings"
	"testing"

	"conch/gateway/care"
	"conch/gateway/chat"
	"conch/gateway/state"
	"conch/mcp/pair"
)

func one(t *testing.T, c care.Check, want care.Level) care.Finding {
	t.Helper()
	f := care.NewList(c).Look(t.Context(), c.Area)[0].Finding
	if f.Level != want {
		t.Errorf("%s is %s, want %s: %s", c.ID, f.Level, want, f.Say)
	}
	return f
}

func TestPairedAppsCanBeRemoved(t *testing.T) {
	var registry *pair.Registry
	c := pairedCheck(func() *pair.Registry { return registry })
	one(t, c, care.Warn) // not known yet isn't fine
	dir, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = dir.Close() }()
	if registry, err = pair.Open(dir, pair.Options{Changed: func(string) {}}); err != nil {
		t.Fatal(err)
	}
	one(t, c, care.OK)
	app, _, err := registry.Pair(pair.Client{Name: "Claude Desktop", Kind: pair.Launcher, Mode: chat.Ask})
	if err != nil {
		t.Fatal(err)
	}
	if f := one(t, c, care.Info); len(f.Rows) != 1 || f.Rows[0].Title != "Claude Desktop" {
		t.Errorf("%+v", f)
	}
	if r, err := care.NewList(c).Fix(context.Background(), "paired/"+app.ID); err != nil || !r.Fixed || len(registry.List()) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestWhereConchAnswers(t *testing.T) {
	one(t, portCheck(4778, 4778), care.OK)
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := ln.Addr().(*net.TCPAddr).Port
	if f := one(t, portCheck(port, 1), care.Info); !strings.Contains(f.Say, "another program has") {
		t.Error(f.Say)
	}
	_ = ln.Close()
	if f := one(t, portCheck(port, 1), care.Info); !strings.Contains(f.Say, "is free again") {
		t.Error(f.Say)
	}
}
