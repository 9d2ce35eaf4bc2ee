package shellicon

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/gateway/web"
)

// Look at them: CONCH_SHOTS names a folder for the pictures.
func keep(t *testing.T, name string, data []byte) {
	t.Helper()
	if dir := os.Getenv("CONCH_SHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Error(err)
		}
	}
}

// The pages' shell and this one are one drawing.
func TestSameShell(t *testing.T) {
	svg, err := fs.ReadFile(web.Assets(), "static/shell.svg")
	if err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"outline": outline, "ridges": ridges, "spiral": spiral} {
		if !strings.Contains(string(svg), `d="`+path+`"`) {
			t.Errorf("the pages' shell has another %s", name)
		}
	}
}

// A template is drawn by its opacity alone, fills its square without touching the rim, and shows the spiral.
func TestMenuBar(t *testing.T) {
	for _, size := range []int{16, 18, 32, 36, 44} {
		data, err := MenuBar(size)
		if err != nil {
			t.Fatal(err)
		}
		keep(t, "menubar.png", data)
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil || img.Bounds() != image.Rect(0, 0, size, size) {
			t.Fatalf("%d: %v, %v", size, img.Bounds(), err)
		}
		solid, clear := 0, 0
		for y := range size {
			for x := range size {
				r, g, b, a := img.At(x, y).RGBA()
				if r|g|b != 0 {
					t.Fatalf("%d: a colour at %d,%d", size, x, y)
				}
				if a > 0xe000 {
					solid++
				} else if a < 0x1000 {
					clear++
				}
				if (x == 0 || y == 0 || x == size-1 || y == size-1) && a > 0x8000 {
					t.Errorf("%d: it touches the rim at %d,%d", size, x, y)
				}
			}
		}
		if all := size * size; solid < all/6 || solid > all*2/3 || clear < all/5 {
			t.Errorf("%d: %d solid and %d clear of %d pixels", size, solid, clear, all)
		}
		// The line of the spiral is cut out of the shell.
		x, y := int(8.5*float64(size)/square), int(17.4*float64(size)/square)
		if _, _, _, a := img.At(x, y).RGBA(); size >= 32 && a > 0x6000 {
			t.Errorf("%d: the spiral isn't seen", size)
		}
	}
}

func TestICNS(t *testing.T) {
	data, err := ICNS()
	if err != nil {
		t.Fatal(err)
	}
	if string(data[:4]) != "icns" || int(binary.BigEndian.Uint32(data[4:])) != len(data) {
		t.Fatalf("the head is %q, for %d bytes", data[:8], len(data))
	}
	found := map[string]int{}
	for rest := data[8:]; len(rest) > 8; {
		n := int(binary.BigEndian.Uint32(rest[4:]))
		img, err := png.Decode(bytes.NewReader(rest[8:n]))
		if err != nil {
			t.Fatalf("%q: %v", rest[:4], err)
		}
		found[string(rest[:4])] = img.Bounds().Dx()
		if found["ic13"] == 256 && len(found) == 4 {
			keep(t, "appicon.png", rest[8:n])
		}
		if _, _, _, a := img.At(1, 1).RGBA(); a != 0 {
			t.Errorf("%q: its corner isn't clear", rest[:4])
		}
		if _, _, _, a := img.At(img.Bounds().Dx()/2, img.Bounds().Dy()/2).RGBA(); a != 0xffff {
			t.Errorf("%q: its middle isn't solid", rest[:4])
		}
		rest = rest[n:]
	}
	for _, want := range icnsTypes {
		if found[want.name] != want.size {
			t.Errorf("%s is %d pixels, want %d", want.name, found[want.name], want.size)
		}
	}
}

func TestBadPaths(t *testing.T) {
	for _, bad := range []string{"C1 2 3 4 5 6", "M1 2L3 4", "M1", "M1 x", "M1 2C1 2"} {
		if _, err := lines(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
