package web_test

import (
	"io/fs"
	"math"
	"regexp"
	"strconv"
	"testing"

	"conch/gateway/web"
)

// TestContrast works out WCAG's contrast of each pair of tokens that meet on a page, light and dark: 4.5 for
// text, 3 for icons, lines of controls and the focus ring.
func TestContrast(t *testing.T) {
	tokens := readTokens(t)
	surfaces := []string{"canvas", "surface", "sunken", "hover"}
	type pair struct {
		fore, back string
		least      float64
	}
	var pairs []pair
	for _, s := range surfaces {
		pairs = append(pairs, pair{"text", s, 7}, pair{"muted", s, 4.5})
	}
	for _, s := range surfaces[:3] {
		pairs = append(pairs, pair{"ask", s, 4.5}, pair{"stop", s, 4.5}, pair{"fine", s, 4.5}, pair{"accent", s, 3})
	}
	for _, s := range surfaces[:2] {
		pairs = append(pairs, pair{"field", s, 3})
	}
	pairs = append(
		pairs,
		pair{"on-accent", "accent", 4.5}, pair{"on-accent", "accent-hover", 4.5},
		pair{"on-stop", "stop-fill", 4.5}, pair{"on-stop", "stop-fill-hover", 4.5},
		pair{"text", "ask-soft", 7}, pair{"muted", "ask-soft", 4.5}, pair{"ask", "ask-soft", 4.5},
		pair{"stop-fill", "surface", 3}, pair{"accent", "ask-soft", 3},
	)
	for _, p := range pairs {
		fore, back := tokens[p.fore], tokens[p.back]
		for i, scheme := range []string{"light", "dark"} {
			if got := contrast(fore[i], back[i]); got < p.least {
				t.Errorf("%s on %s, %s: %.2f, want at least %.1f", p.fore, p.back, scheme, got, p.least)
			}
		}
	}
}

// Known answers, so that the arithmetic is right.
func TestContrastArithmetic(t *testing.T) {
	white, black := oklch{1, 0, 0}, oklch{0, 0, 0}
	if got := contrast(white, black); math.Abs(got-21) > .01 {
		t.Errorf("white on black is %.3f, want 21", got)
	}
	red := oklch{.62796, .25768, 29.234} // #f00, which has 3.998 against white
	if got := contrast(white, red); math.Abs(got-3.998) > .01 {
		t.Errorf("red on white is %.3f, want 3.998", got)
	}
}

type oklch [3]float64

var token = regexp.MustCompile(`--([a-z0-9-]+): light-dark\(oklch\(([\d.]+) ([\d.]+) ([\d.]+)\), oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)\);`)

func readTokens(t *testing.T) map[string][2]oklch {
	t.Helper()
	css, err := fs.ReadFile(web.Assets(), "static/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][2]oklch{}
	for _, m := range token.FindAllStringSubmatch(string(css), -1) {
		var n [6]float64
		for i := range n {
			if n[i], err = strconv.ParseFloat(m[i+2], 64); err != nil {
				t.Fatal(err)
			}
		}
		all[m[1]] = [2]oklch{{n[0], n[1], n[2]}, {n[3], n[4], n[5]}}
	}
	for _, name := range []string{"canvas", "surface", "text", "muted", "accent", "on-accent", "stop-fill", "ask-soft", "field"} {
		if _, ok := all[name]; !ok {
			t.Fatalf("no token --%s", name)
		}
	}
	return all
}

func contrast(a, b oklch) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

// luminance is WCAG's relative luminance of the sRGB colour that a browser shows: Ottosson's Oklab matrices,
// then each channel clipped.
func luminance(c oklch) float64 {
	a, b := c[1]*math.Cos(c[2]*math.Pi/180), c[1]*math.Sin(c[2]*math.Pi/180)
	cube := func(x float64) float64 { return x * x * x }
	l := cube(c[0] + 0.3963377774*a + 0.2158037573*b)
	m := cube(c[0] - 0.1055613458*a - 0.0638541728*b)
	s := cube(c[0] - 0.0894841775*a - 1.2914855480*b)
	clip := func(x float64) float64 { return min(1, max(0, x)) }
	red := clip(4.0767416621*l - 3.3077115913*m + 0.2309699292*s)
	green := clip(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s)
	blue := clip(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s)
	return .2126*red + .7152*green + .0722*blue
}
