//go:build linux

package x11

import (
	"path/filepath"
	"slices"
	"testing"

	"conch/driver"
	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"

	"github.com/google/go-cmp/cmp"
)

func (k *desk) find(class string) driver.Window {
	k.t.Helper()
	for _, w := range k.windows() {
		if w.Class == class {
			return w
		}
	}
	k.t.Fatalf("no window of class %q in %v", class, classes(k.windows()))
	return driver.Window{}
}

func TestWindowFacts(t *testing.T) {
	onDesktops(t, func(t *testing.T, k *desk) {
		vault := k.as("Vault Keeper")
		w, err := vault.Open(xfixture.Spec{X: 100, Y: 100, W: 300, H: 200, Class: "VaultKeeper", Instance: "vault", Title: "Tresor — ключи 🔑"})
		k.try(err)
		ask, err := vault.Open(xfixture.Spec{X: 150, Y: 150, W: 100, H: 80, Class: "Ask", Transient: w.ID})
		k.try(err)
		_, err = vault.Open(xfixture.Spec{X: 500, Y: 100, W: 100, H: 80, Class: "Note", Kind: "notification"})
		k.try(err)
		_, err = vault.Open(xfixture.Spec{X: 0, Y: 780, W: 1280, H: 20, Class: "Bar", Kind: "dock"})
		k.try(err)
		_, err = vault.Open(xfixture.Spec{X: 700, Y: 100, W: 100, H: 80, Class: "Popup", Override: true})
		k.try(err)
		main := k.find("VaultKeeper")
		if main.PID != vault.PID() || filepath.Base(main.Exe) != "Vault Keeper" || main.Instance != "vault" ||
			main.Title != "Tresor — ключи 🔑" || main.App != "" || main.AppName != "VaultKeeper" || main.Role != "normal" {
			t.Errorf("the main window is %+v", main)
		}
		if got := k.find("Ask"); got.Transient != main.ID || got.Role != "dialog" || got.PID != vault.PID() {
			t.Errorf("the dialog is %+v", got)
		}
		for class, role := range map[string]string{"Note": "notification", "Bar": "dock", "Popup": "menu"} {
			if got := k.find(class); got.Role != role || got.PID != vault.PID() {
				t.Errorf("%s is %+v", class, got)
			}
		}
		k.try(w.Title("shut"))
		if got := k.find("VaultKeeper").Title; got != "shut" {
			t.Errorf("its title is now %q", got)
		}
		k.try(w.Focus())
		if got := k.find("VaultKeeper"); !got.Focused {
			t.Errorf("the window with the keys is %+v", got)
		}
		k.try(ask.Focus())
		if k.find("VaultKeeper").Focused || !k.find("Ask").Focused {
			t.Error("the dialog has the keys, and the list says otherwise")
		}
		same := k.find("VaultKeeper").ID
		k.try(w.Hide())
		eventually(t, "a hidden window is not listed", func() bool { return !slices.Contains(classes(k.windows()), "VaultKeeper") })
		k.try(w.Show())
		if got := k.find("VaultKeeper").ID; got != same {
			t.Errorf("the same window was %d and is %d", same, got)
		}
	})
}

func TestFrontToBack(t *testing.T) {
	onDesktops(t, func(t *testing.T, k *desk) {
		one := k.window(xfixture.Spec{X: 100, Y: 100, W: 300, H: 200, Class: "One"})
		k.window(xfixture.Spec{X: 200, Y: 150, W: 300, H: 200, Class: "Two"})
		k.window(xfixture.Spec{X: 300, Y: 200, W: 300, H: 200, Class: "Three", Override: true})
		if diff := cmp.Diff([]string{"Three", "Two", "One"}, classes(k.windows())); diff != "" {
			t.Error(diff)
		}
		k.try(one.Raise())
		eventually(t, "the raised window is before the other", func() bool {
			got := classes(k.windows())
			return slices.Index(got, "One") < slices.Index(got, "Two")
		})
	})
}

func TestVisibleParts(t *testing.T) {
	k := newDesk(t, xserver.Options{})
	a := newArtist(k)
	k.d = k.open(Options{Own: func(driver.Window) bool { return false }})
	k.window(xfixture.Spec{X: 0, Y: 0, W: 400, H: 400, Class: "Under"})
	k.window(xfixture.Spec{X: 100, Y: 100, W: 200, H: 200, Class: "Over"})
	k.window(xfixture.Spec{X: 1200, Y: 700, W: 400, H: 400, Class: "Half"})
	area := func(class string) (n float64) {
		for _, r := range k.find(class).Visible {
			n += r.W * r.H
		}
		return n
	}
	for class, want := range map[string]float64{"Under": 400*400 - 200*200, "Over": 200 * 200, "Half": 80 * 100} {
		if got := area(class); got != want {
			t.Errorf("of %s %v pixels can be seen, not %v", class, want, got)
		}
	}
	// A round one: what it leaves free belongs to the window below, also for clicks.
	round := a.strip(rect(0, 0, 100, 100), 0xffffff, false)
	a.outline(round, rect(40, 0, 60, 100), rect(0, 40, 40, 60), rect(60, 40, 100, 60))
	ghost := a.strip(rect(0, 0, 1280, 800), 0x808080, false)
	a.through(ghost)
	at := func(x, y float64) string {
		w, _ := driver.At(k.windows(), driver.ScreenPoint{X: x, Y: y})
		return w.Class
	}
	if got := at(5, 5); got != "Under" {
		t.Errorf("a click in the round window's corner lands in %q", got)
	}
	if got := at(50, 5); got != "" {
		t.Errorf("a click on the round window lands in %q", got)
	}
	if got, want := area("Under"), float64(400*400-200*200-20*100-2*40*20); got != want {
		t.Errorf("beside the round window %v pixels can be seen, not %v", got, want)
	}
}

func TestTextOfProperties(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "h\xe9llo": "héllo", "h\xc3\xa9llo": "héllo", "cut\x00off": "cut", "": "",
	} {
		if got := text([]byte(in)); got != want {
			t.Errorf("text(%q) is %q", in, got)
		}
	}
	for in, want := range map[string][2]string{
		"a\x00B\x00": {"a", "B"}, "a\x00B": {"a", "B"}, "a": {"a", ""}, "": {"", ""}, "\x00B\x00": {"", "B"},
	} {
		if i, c := class([]byte(in)); i != want[0] || c != want[1] {
			t.Errorf("class(%q) is %q, %q", in, i, c)
		}
	}
}
