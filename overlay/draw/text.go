package draw

import (
	"fmt"
	"image"
	"image/color"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Weight is how bold a text is.
type weight int

const (
	regular weight = iota
	medium
)

// Pen draws the card. It keeps fonts, so make one and use it from one goroutine.
type Pen struct {
	own   [2]*sfnt.Font
	more  []*sfnt.Font // for letters that ours lacks; opened when first needed
	files []io.Closer
	asked bool
	faces map[faceKey]font.Face
	bases map[baseKey]*image.RGBA // empty cards
	marks map[float64]*image.RGBA // the shell
	buf   sfnt.Buffer
}

type faceKey struct {
	font *sfnt.Font
	size float64
}

// NewPen returns a Pen with the Go fonts, which hold Latin, Greek and Cyrillic.
func NewPen() (*Pen, error) {
	p := &Pen{faces: map[faceKey]font.Face{}, bases: map[baseKey]*image.RGBA{}, marks: map[float64]*image.RGBA{}}
	for i, ttf := range [][]byte{goregular.TTF, gomedium.TTF} {
		f, err := opentype.Parse(ttf)
		if err != nil {
			return nil, fmt.Errorf("read the card's font: %w", err)
		}
		p.own[i] = f
	}
	return p, nil
}

// Close lets go of the font files.
func (p *Pen) Close() error {
	for _, f := range p.files {
		_ = f.Close()
	}
	p.files, p.more, p.faces = nil, nil, map[faceKey]font.Face{}
	return nil
}

// fallbacks are fonts with many letters, where Debian, Fedora and Arch put them. The names of apps and
// chats come in any script.
var fallbacks = []string{
	"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
	"/usr/share/fonts/TTF/DejaVuSans.ttf",
	"/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
	"/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
	"/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc",
	"/usr/share/fonts/google-noto-sans-cjk-vf-fonts/NotoSansCJK-VF.ttc",
	"/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf",
	"/usr/share/fonts/truetype/wqy/wqy-microhei.ttc",
}

func (p *Pen) openFallbacks() {
	if p.asked {
		return
	}
	p.asked = true
	for _, path := range fallbacks {
		file, err := os.Open(path) // #nosec G304 -- constants above
		if err != nil {
			continue
		}
		// Read where needed only: such a file is up to 20 MB.
		c, err := opentype.ParseCollectionReaderAt(file)
		if err == nil {
			var f *sfnt.Font
			if f, err = c.Font(0); err == nil {
				p.more, p.files = append(p.more, f), append(p.files, file)
				continue
			}
		}
		_ = file.Close()
	}
}

// fontFor returns the first font that has r, or nil.
func (p *Pen) fontFor(w weight, r rune) *sfnt.Font {
	if i, err := p.own[w].GlyphIndex(&p.buf, r); err == nil && i != 0 {
		return p.own[w]
	}
	p.openFallbacks()
	for _, f := range p.more {
		if i, err := f.GlyphIndex(&p.buf, r); err == nil && i != 0 {
			return f
		}
	}
	return nil
}

func (p *Pen) face(f *sfnt.Font, size float64) font.Face {
	key := faceKey{f, size}
	if face := p.faces[key]; face != nil {
		return face
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil { // only for options that make no sense
		return nil
	}
	p.faces[key] = face
	return face
}

// run is a stretch of text in one font.
type run struct {
	text string
	face font.Face
}

// runs splits a line by font. What no font has is left out: a box says nothing to a reader.
func (p *Pen) runs(s string, w weight, size float64) []run {
	var out []run
	for _, r := range s {
		f := p.fontFor(w, r)
		if f == nil {
			continue
		}
		face := p.face(f, size)
		if n := len(out); n > 0 && out[n-1].face == face {
			out[n-1].text += string(r)
		} else if face != nil {
			out = append(out, run{string(r), face})
		}
	}
	return out
}

func (p *Pen) width(s string, w weight, size float64) fixed.Int26_6 {
	var sum fixed.Int26_6
	for _, r := range p.runs(s, w, size) {
		sum += font.MeasureString(r.face, r.text)
	}
	return sum
}

// text draws s with its base line at y and its left end at x, and returns where it ended.
func (p *Pen) text(dst *image.RGBA, s string, x, y float64, w weight, size float64, c color.RGBA) {
	dot := fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(y * 64)}
	for _, r := range p.runs(s, w, size) {
		d := font.Drawer{Dst: dst, Src: image.NewUniform(c), Face: r.face, Dot: dot}
		d.DrawString(r.text)
		dot = d.Dot
	}
}

// fit returns s, cut at a whole character and ended with “…” where it is wider than limit.
func (p *Pen) fit(s string, limit float64, w weight, size float64) string {
	s = OneLine(s)
	most := fixed.Int26_6(limit * 64)
	if p.width(s, w, size) <= most {
		return s
	}
	ends := []int{0}
	for g := uniseg.NewGraphemes(s); g.Next(); {
		_, to := g.Positions()
		ends = append(ends, to)
		if len(ends) > 200 { // no card is that wide
			break
		}
	}
	lo, hi := 0, len(ends)-1
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if p.width(strings.TrimRight(s[:ends[mid]], " ")+"…", w, size) <= most {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return strings.TrimRight(s[:ends[lo]], " ") + "…"
}

// OneLine makes any text one line of printable characters in UTF-8, for what a step is called comes from outside.
func OneLine(s string) string {
	if len(s) > 2000 {
		s = s[:2000]
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == unicode.ReplacementChar || !unicode.IsPrint(r):
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}
