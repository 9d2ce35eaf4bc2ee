package disk_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"conch/mcp/connect/disk"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.json")
	lock := path + ".lock"
	f := disk.File{Path: path, Real: path}
	unlock, err := disk.Lock(f)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(lock); err != nil || !info.IsDir() {
		t.Errorf("no lock: %v", err)
	}
	unlock()
	if _, err := os.Stat(lock); !os.IsNotExist(err) {
		t.Errorf("the lock stays: %v", err)
	}

	// One that a program left behind is taken over.
	if err := os.Mkdir(lock, 0o700); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Minute)
	if err := os.Chtimes(lock, old, old); err != nil {
		t.Fatal(err)
	}
	if unlock, err = disk.Lock(f); err != nil {
		t.Fatal(err)
	}
	unlock()

	// One that a program holds is waited for, and not for ever.
	if err := os.Mkdir(lock, 0o700); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := disk.Lock(f)
		if err == nil || err.Error() != "it is being written by another program" || time.Since(start) != 2*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		go func() {
			time.Sleep(120 * time.Millisecond)
			if err := os.Remove(lock); err != nil {
				t.Error(err)
			}
		}()
		unlock, err := disk.Lock(f)
		if err != nil {
			t.Fatal(err)
		}
		unlock()
	})
	if _, err := disk.Lock(disk.File{Path: filepath.Join(path, "none", "s.json")}); err != nil {
		t.Errorf("no folder yet: %v", err)
	}
}
