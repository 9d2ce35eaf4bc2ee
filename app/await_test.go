package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"conch/gateway/web/webtest"
)

const patience = 30 * time.Second // a loaded machine is not an error

// eventually asks again until ask succeeds or the time is over, and returns the last error.
func eventually(within time.Duration, ask func() error) error {
	deadline := time.Now().Add(within)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ask()
		if err == nil || time.Now().After(deadline) {
			return err
		}
		<-tick.C
	}
}

// shoot keeps a photograph of the page in the folder that CONCH_SHOTS names.
func shoot(t *testing.T, b *webtest.Browser, name string) {
	t.Helper()
	dir := os.Getenv("CONCH_SHOTS")
	if dir == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, "app-"+name+".png"), b.Shot(), 0o600); err != nil {
		t.Error(err)
	}
}
