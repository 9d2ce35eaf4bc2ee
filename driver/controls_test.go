package driver

import "testing"

func TestBestControls(t *testing.T) {
	box := ScreenRect{10, 10, 80, 30}
	all := []Control{
		{Role: "text", Name: "Save all", Bounds: ScreenRect{200, 10, 50, 20}},
		{Role: "text", Name: "Save", Bounds: ScreenRect{20, 15, 40, 20}}, // the word on the button
		{Role: "menuitem", Name: "Save As…", Bounds: ScreenRect{0, 100, 80, 20}},
		{Role: "button", Name: "_Save", Bounds: box},
		{Role: "link", Name: "Autosave", Bounds: ScreenRect{0, 200, 80, 20}},
		{Role: "button", Name: "Cancel", Bounds: ScreenRect{100, 10, 80, 30}},
	}
	want := []string{"_Save", "Save As…", "Save all", "Autosave"}
	got := BestControls(all, "SAVE...")
	if len(got) != len(want) {
		t.Fatalf("%v", got)
	}
	for i, c := range got {
		if c.Name != want[i] {
			t.Errorf("%d: %q, want %q", i, c.Name, want[i])
		}
	}
	for _, nothing := range []string{"", " ", "…", "&", "print"} {
		if got := BestControls(all, nothing); len(got) != 0 {
			t.Errorf("%q found %v", nothing, got)
		}
	}
}

// A plain name is plain: making it so again changes nothing.
func FuzzPlainName(f *testing.F) {
	for _, s := range []string{"_Save As…", "a . .", "R&D:", " ÀÉ  x ", "İ", "..."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if once := PlainName(s); PlainName(once) != once {
			t.Errorf("%q is %q, then %q", s, once, PlainName(once))
		}
	})
}
