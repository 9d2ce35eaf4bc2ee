package webtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Stop is one page on a walk.
type Stop struct {
	Name string
	URL  string
	// Before is run once the page shows, to open what is to be seen (a sheet, the rail). May be nil.
	Before func(*Browser)
	Only   string // a Look's name, where the others don't apply; empty is all
}

// Walk opens every page in every Look. It fails the test where the page is wider than the window, where the
// browser refused something by its policy, and where axe (if there is one) finds anything serious. Where
// CONCH_SHOTS names a folder, each page's photograph is written there.
func Walk(t *testing.T, b *Browser, stops []Stop) {
	axe := AxeSource(t)
	if axe == "" {
		t.Log("no axe-core (CONCH_AXE), so accessibility isn't judged")
	}
	for _, look := range Looks {
		b.Set(look)
		for _, stop := range stops {
			if stop.Only != "" && stop.Only != look.Name {
				continue
			}
			b.Go(stop.URL)
			if stop.Before != nil {
				stop.Before(b)
			}
			b.Settle()
			name := stop.Name + "-" + look.Name
			if wide := b.Eval(`document.documentElement.scrollWidth > innerWidth`); wide == "true" {
				t.Errorf("%s: the page is wider than the window", name)
			}
			if faults := b.Faults(); faults != "" {
				t.Errorf("%s: %s", name, faults)
			}
			keep(t, name, b.Shot())
			if axe == "" {
				continue
			}
			for _, f := range b.Axe(axe) {
				if f.Serious() {
					t.Errorf("%s: %v", name, f)
				} else {
					t.Logf("%s: %v", name, f)
				}
			}
		}
	}
}

func keep(t *testing.T, name string, png []byte) {
	t.Helper()
	dir := os.Getenv("CONCH_SHOTS")
	if dir == "" {
		return
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		t.Fatal(err)
	}
}
