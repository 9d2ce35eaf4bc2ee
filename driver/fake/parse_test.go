package fake

import (
	"errors"
	"strings"
	"testing"
)

func TestSyntaxErrors(t *testing.T) {
	const start = "-- screen --\ndisplay main 800x600\n"
	for in, want := range map[string]string{
		"":                                   "screen:1: there is no file called “screen”",
		"-- screen --\n":                     "screen:1: a screen needs a display",
		start + "\nwindo 3":                  "screen:3: “windo” isn't something a screen can do",
		start + "window x \"A\" a 0,0 1x1":   "screen:2: “x” isn't a number",
		start + "window 3 A a 0,0 1x1":       "screen:2: a title is written in quotes, not as A",
		start + "window 3 \"A":               `screen:2: a title is written in quotes, not as "A`,
		start + "window 3 \"A\" a 0,0":       "screen:2: a size is missing",
		start + "window 3 \"A\" a 0 1x1":     "screen:2: a place is written as 10,20, not as “0”",
		start + "window 3 \"A\" a 0,0 0x1":   "screen:2: a size of 0x1 is nothing",
		start + "window 3 \"A\" a 0,0 1x1 {": "screen:2: “}” is missing",
		start + "window 3 \"A\" a 0,0 1x1 {\n field f 0,0 1x1\n oops\n}": "screen:2: “oops” isn't a control",
		start + "close 3 4":                  "screen:2: “4” isn't expected here",
		start + "slow jump 1s":               "screen:2: “jump” isn't a method of a driver",
		start + "wait soon":                  "screen:2: “soon” isn't a duration such as 200ms",
		start + "unready tired":              "screen:2: “tired” isn't a reason",
		start + "display b 1x1 @x":           "screen:2: a scale is written as @2, between 0.25 and 8, not as “@x”",
		start + "-- later --\n":              "later:1: a file is called “screen” or “after …”, not “later”",
		start + "-- after dusk x --\n":       "after dusk x:1: “after dusk” never happens",
		start + "-- after key foo --\n":      "after key foo:1: There is no key called “foo”.",
		start + "-- after click --\n":        "after click:1: what it is about is missing",
		start + "-- after click a --\n\n\nx": "after click a:3: “x” isn't something a screen can do",
		start + start:                        "screen:1: the screen is written down twice",
	} {
		_, err := Parse([]byte(in))
		var e *SyntaxError
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
	d, _ := begin(t, start)
	if err := d.Apply("front x"); err == nil || err.Error() != "fragment:1: “x” isn't a number" {
		t.Errorf("Apply: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(notes)
	f.Add("-- screen --\ndisplay a 10x10 @2 at -5,-5 name \"x\"\nwindow 1 \"\" a -1,-1 5x5 role dock color ffeedd\nslow look 1s\nperson holds\nunready lost \"a\" \"b\"\n")
	f.Fuzz(func(t *testing.T, in string) {
		s, err := Parse([]byte(in))
		if err != nil {
			var e *SyntaxError
			if !errors.As(err, &e) || e.Line < 1 {
				t.Fatalf("%v", err)
			}
			return
		}
		d := s.Start()
		defer func() { _ = d.Close() }()
		ws, _ := d.Windows(t.Context())
		for i, w := range ws {
			for j, a := range w.Visible {
				for _, b := range w.Visible[j+1:] {
					if !a.Intersect(b).Empty() {
						t.Fatalf("window %d: %v and %v overlap", i, a, b)
					}
				}
			}
		}
	})
}
