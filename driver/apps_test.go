package driver

import (
	"errors"
	"testing"
)

func TestMatchApp(t *testing.T) {
	apps := []App{
		{ID: "org.xfce.mousepad", Name: "Mousepad", Also: []string{"Text Editor"}},
		{ID: "org.gnome.gedit", Name: "gedit", Also: []string{"Text Editor"}},
		{ID: "galculator", Name: "Rechner", Also: []string{"Calculator", "Galculator"}},
		{ID: "pcmanfm", Name: "Dateimanager PCManFM", Also: []string{"File Manager"}},
		{ID: "pcmanfm-desktop-pref", Name: "Desktop Preferences"},
		{ID: "mousepad-notes", Name: "Mouse Notes"},
	}
	for asked, want := range map[string]AppID{
		"Mousepad": "org.xfce.mousepad", "mousepad": "org.xfce.mousepad", "org.xfce.mousepad": "org.xfce.mousepad",
		"org.xfce.mousepad.desktop": "org.xfce.mousepad", " MOUSEPAD ": "org.xfce.mousepad", "calculator": "galculator",
		"rechner": "galculator", "pcmanfm": "pcmanfm", "File manager": "pcmanfm", "prefer": "pcmanfm-desktop-pref",
	} {
		if got, err := MatchApp(apps, asked); err != nil || got.ID != want {
			t.Errorf("%q is %q, %v; want %q", asked, got.ID, err, want)
		}
	}
	for _, asked := range []string{"Text Editor", "mouse"} {
		var many *AmbiguousAppError
		if got, err := MatchApp(apps, asked); !errors.As(err, &many) || len(many.Fits) != 2 {
			t.Errorf("%q is %q, %v; want two to choose from", asked, got.ID, err)
		}
	}
	for _, asked := range []string{"", " ", "1Password", ".desktop"} {
		if got, err := MatchApp(apps, asked); !errors.Is(err, ErrNoApp) {
			t.Errorf("%q is %q, %v; want none", asked, got.ID, err)
		}
	}
}
