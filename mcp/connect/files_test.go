package connect_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"conch/mcp/connect"
	"conch/mcp/connect/apps"
	"conch/mcp/connect/disk"
)

// Every app has a file of cases: name/before (absent: no file yet) and name/after, or name/refused with what
// a person is told. Each is connected and taken out again, on both systems.
func TestFiles(t *testing.T) {
	have, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(have) != len(apps.All()) {
		t.Errorf("%d files of cases for %d apps", len(have), len(apps.All()))
	}
	for _, app := range apps.All() {
		t.Run(app.ID, func(t *testing.T) {
			path := filepath.Join("testdata", app.ID+".txtar")
			ar, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for i := range ar.Files {
				f := &ar.Files[i]
				name, kind, _ := strings.Cut(f.Name, "/")
				if kind == "before" {
					continue
				}
				var before *string
				if i > 0 && ar.Files[i-1].Name == name+"/before" {
					text := string(ar.Files[i-1].Data)
					before = &text
				}
				for _, goos := range []string{apps.Mac, apps.Linux} {
					t.Run(goos+" "+name, func(t *testing.T) {
						got := ""
						if kind == "refused" {
							got = refused(t, goos, app.ID, *before)
						} else {
							got = roundTrip(t, goos, app.ID, before)
						}
						if *update {
							f.Data = []byte(got)
						}
						if diff := cmp.Diff(string(f.Data), got); diff != "" {
							t.Error(diff)
						}
					})
				}
			}
			if *update {
				if err := os.WriteFile(path, txtar.Format(ar), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// roundTrip connects, and takes out with the receipt, with the kept copy, and with neither.
func roundTrip(t *testing.T, goos, app string, before *string) (after string) {
	t.Helper()
	b := newBench(t, goos, app)
	start := "(none)"
	if before != nil {
		start = *before
		b.write(start)
	}
	for _, how := range []string{"receipt", "copy"} {
		p, err := b.Plan(b.app, "c-1")
		if err != nil {
			t.Fatal(err)
		}
		b.is(start) // planning writes nothing
		r, err := b.Apply(p)
		if err != nil {
			t.Fatal(err)
		}
		after = b.text()
		if !strings.Contains(after, p.After) || r.Receipt == nil || !r.Changed || p.Before != "" || p.Create != (before == nil) {
			t.Errorf("%+v %+v", p, r)
		}
		found := b.found()
		if len(found) != 1 || found[0].Client != "c-1" || !found[0].Current || found[0].Text != p.After || found[0].Name != p.Name || found[0].Off {
			t.Errorf("found %+v", found)
		}
		if kept, ok := disk.Backup(disk.File{Real: b.file}); ok != (before != nil) || ok && string(kept) != start {
			t.Errorf("kept %v %q", ok, kept)
		}
		// Connecting once more changes nothing.
		again := b.connect("c-1")
		b.is(after)
		if again.Receipt != nil || again.Changed {
			t.Error("a second receipt for one entry, or a second time written")
		}
		if how == "copy" {
			r.Receipt = nil
		}
		if out := b.remove("c-1", r.Receipt); !out.Changed {
			t.Errorf("%s: %+v", how, out)
		}
		b.is(start)
		if out := b.remove("c-1", r.Receipt); out.Changed {
			t.Errorf("%s: taken out twice: %+v", how, out)
		}
	}
	b.connect("c-1")
	b.forget()
	b.remove("c-1", nil)
	if got := b.found(); len(got) != 0 {
		t.Errorf("still there: %+v", got)
	}
	return after
}

// refused gives the sentence and the lines.
func refused(t *testing.T, goos, app, before string) string {
	t.Helper()
	b := newBench(t, goos, app)
	b.write(before)
	_, err := b.Plan(b.app, "c-1")
	if err == nil {
		t.Fatal("not refused")
	}
	b.is(before)
	if _, err := b.Apply(connect.Plan{App: b.app, Client: "c-1", File: b.file}); err == nil {
		t.Error("applied all the same")
	}
	b.is(before)
	entries, rerr := os.ReadDir(filepath.Dir(b.file))
	if rerr != nil || len(entries) != 1 {
		t.Errorf("left behind: %v %v", entries, rerr)
	}
	out := err.Error() + "\n"
	if l, ok := errors.AsType[*connect.LeftAloneError](err); ok {
		if l.File != b.file || l.Lines == "" {
			t.Errorf("%+v", l)
		}
		out += l.Lines + "\n"
	}
	if slices.Contains(strings.Fields(out), b.file) {
		t.Errorf("the sentence has a path in it: %s", out)
	}
	return out
}
