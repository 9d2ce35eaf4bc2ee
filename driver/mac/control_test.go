package mac

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"conch/driver"
)

var ariaWords = []string{
	"alert", "alertdialog", "application", "article", "banner", "button", "checkbox", "combobox", "complementary", "contentinfo",
	"dialog", "document", "form", "generic", "grid", "gridcell", "group", "heading", "img", "link", "list", "log", "main", "marquee",
	"math", "menu", "menubar", "menuitem", "meter", "navigation", "note", "progressbar", "radio", "radiogroup", "region", "row",
	"scrollbar", "search", "searchbox", "separator", "slider", "spinbutton", "status", "switch", "tab", "table", "tablist", "text",
	"textbox", "timer", "toolbar", "tooltip", "tree", "treeitem", "window",
}

func TestRoles(t *testing.T) {
	for _, m := range []map[string]string{roles, subroles} {
		for ax, word := range m {
			if !slices.Contains(ariaWords, word) || len(ax) < 4 || ax[:2] != "AX" {
				t.Errorf("%s is %q, which is no word of ARIA's", ax, word)
			}
		}
	}
	for _, c := range [][3]string{
		{"AXButton", "", "button"},
		{"AXButton", "AXCloseButton", "button"},
		{"AXTextField", "AXSecureTextField", "textbox"},
		{"AXTextField", "AXSearchField", "searchbox"},
		{"AXCheckBox", "AXSwitch", "switch"},
		{"AXRadioButton", "AXTabButton", "tab"},
		{"AXGroup", "AXLandmarkMain", "main"},
		{"AXSomethingNew", "", "generic"},
		{"", "", "generic"},
		{"AXRow", "AXOutlineRow", "treeitem"},
	} {
		if got := ariaRole(c[0], c[1]); got != c[2] {
			t.Errorf("%v is %q", c, got)
		}
	}
}

// TestNameIsNeverAValue: of a secure field nothing but what stands on or beside it.
func TestNameIsNeverAValue(t *testing.T) {
	for want, raw := range map[string]rawControl{
		"Save":        {title: " Save ", description: "d", text: "t"},
		"close":       {description: "close"},
		"Name:":       {label: "Name:"},
		"some words":  {text: "some words"},
		"":            {secure: true, text: "hunter2"},
		"Your secret": {secure: true, label: "Your secret", text: "hunter2"},
	} {
		c := control(raw, 3)
		if c.Name != want || c.Secure != raw.secure || c.Window != 3 {
			t.Errorf("%+v is %+v", raw, c)
		}
	}
}

// tree gives s a window with controls.
func (s *sim) grow(kids map[element][]element, controls map[element]rawControl) {
	s.tree, s.controls = kids, controls
}

func (s *sim) leaked() int {
	n := 0
	for _, c := range s.open {
		n += c
	}
	return n
}

func TestFind(t *testing.T) {
	s := small()
	s.Open(t, win("A", 0, 0, blue))
	box := func(x float64) driver.ScreenRect { return driver.ScreenRect{X: x, Y: 10, W: 20, H: 10} }
	s.grow(map[element][]element{1: {2, 3, 4, 5, 6, 7, 8}, 3: {9}, 5: {10}}, map[element]rawControl{
		1:  {role: "AXWindow", title: "save the window", bounds: driver.ScreenRect{W: 100, H: 100}},
		2:  {role: "AXButton", title: "Don’t Save", bounds: box(0)},
		3:  {role: "AXButton", title: "Save…", bounds: box(20)},
		4:  {role: "AXButton", title: "Save", hidden: true, bounds: box(40)},
		5:  {role: "AXGroup"}, // without a place of its own, but what is in it has one
		6:  {role: "AXButton", title: "Save", bounds: box(4000)},
		7:  {role: "AXTextField", subrole: "AXSecureTextField", secure: true, text: "save me", bounds: box(60)},
		8:  {role: "AXStaticText", text: "Save changes?", bounds: box(70)},
		9:  {role: "AXStaticText", text: "Save", bounds: box(22)},
		10: {role: "AXMenuItem", title: "Save as", bounds: box(80)},
	})
	d := begun(t, s)
	got, err := d.Find(t.Context(), " SAVE ")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range got {
		names = append(names, c.Role+" "+c.Name)
		if c.Window == 0 {
			t.Errorf("%+v is in no window", c)
		}
	}
	want := []string{"button Save…", "text Save", "menuitem Save as", "text Save changes?", "button Don’t Save"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if n := s.leaked(); n != 0 {
		t.Errorf("%d references are not given back", n)
	}
	if _, err := d.Find(t.Context(), "nothing of that name"); !errors.Is(err, driver.ErrNoControl) {
		t.Error(err)
	}
	if _, err := d.Find(t.Context(), " … "); !errors.Is(err, driver.ErrNoControl) {
		t.Error(err)
	}
}

// busy is a Mac whose app leaves questions without an answer.
type busy struct {
	*sim
	err   error
	asked int
}

func (b *busy) describe(e element) (rawControl, error) {
	if b.asked++; b.asked > 1 {
		return rawControl{}, b.err
	}
	return b.sim.describe(e)
}

func TestFindIsBounded(t *testing.T) {
	t.Run("an app that doesn't answer", func(t *testing.T) {
		s := &busy{sim: small(), err: errBusy}
		s.Open(t, win("A", 0, 0, blue))
		var kids []element
		for i := range 100 {
			kids = append(kids, element(i+2))
		}
		s.grow(map[element][]element{1: kids}, map[element]rawControl{1: {role: "AXWindow"}})
		d := newDriver(s, appFiles{}, Options{}, time.Now)
		if _, err := d.Find(t.Context(), "x"); !errors.Is(err, driver.ErrNoControl) || s.asked > 1+mostBusy || s.leaked() != 0 {
			t.Errorf("%v after %d questions, %d references left", err, s.asked, s.leaked())
		}
	})
	t.Run("a page without end", func(t *testing.T) {
		s := small()
		s.Open(t, win("A", 0, 0, blue))
		kids, controls := map[element][]element{}, map[element]rawControl{1: {role: "AXWindow"}}
		for i := element(1); i < 3*mostNodes; i++ {
			kids[i] = []element{2 * i, 2*i + 1}
			controls[i] = rawControl{role: "AXGroup"}
		}
		s.grow(kids, controls)
		d := s.driver()
		if _, err := d.Find(t.Context(), "x"); !errors.Is(err, driver.ErrNoControl) || s.leaked() != 0 {
			t.Errorf("%v, %d references left", err, s.leaked())
		}
	})
	t.Run("time passes", func(t *testing.T) {
		s := small()
		s.Open(t, win("A", 0, 0, blue))
		s.grow(map[element][]element{1: {1}}, map[element]rawControl{1: {role: "AXWindow"}})
		now := time.Unix(0, 0)
		d := newDriver(s, appFiles{}, Options{}, func() time.Time { now = now.Add(time.Second); return now })
		if _, err := d.Find(t.Context(), "x"); !errors.Is(err, driver.ErrNoControl) || s.leaked() != 0 {
			t.Errorf("%v, %d references left", err, s.leaked())
		}
	})
}
