package models

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"conch/gateway/engine"
)

// A program of the person's own is a place once it is on this computer; until then it is said what is missing.
func TestPrograms(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("HOME", home)
	r := newRig(t)
	for id, name := range map[string]string{"claude-code": "claude", "codex": "codex"} {
		k, ok := KindOf(id)
		if !ok || k.Key || k.Own {
			t.Fatalf("%s: %+v", id, k)
		}
		if _, err := r.Add(id, "", "", "sk-1"); err == nil {
			t.Errorf("%s takes a key", id)
		}
		p, err := r.Add(id, "", "", "")
		if err != nil {
			t.Fatal(err)
		}
		// A computer with the program in a folder for everyone has it whatever PATH says.
		if lacks := k.Missing(); lacks != nil {
			_, err = r.List(t.Context(), p.ID, true)
			if problem, ok := errors.AsType[*engine.Problem](err); !ok || lacks.Say != k.Name+" isn't on this computer." || lacks.Next == "" || *problem != *lacks {
				t.Errorf("%s: %v, and %v is missing", id, err, lacks)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if lacks := k.Missing(); lacks != nil {
			t.Errorf("%s: %v", id, lacks)
		}
		_, err = r.List(t.Context(), p.ID, true)
		if problem, ok := errors.AsType[*engine.Problem](err); !ok || problem.Say != k.Name+" ended before it answered." {
			t.Errorf("%s that doesn't work: %v", id, err)
		}
	}
}
