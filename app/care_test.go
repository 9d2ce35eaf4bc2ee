package main

import (
	"net"
	"strings"
	"testing"

	"conch/gateway/care"
)

func one(t *testing.T, c care.Check, want care.Level) care.Finding {
	t.Helper()
	f := care.NewList(c).Look(t.Context(), c.Area)[0].Finding
	if f.Level != want {
		t.Errorf("%s is %s, want %s: %s", c.ID, f.Level, want, f.Say)
	}
	return f
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
