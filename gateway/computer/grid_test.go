package computer

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"conch/driver"
	"conch/gateway/tool"
)

// A model that names points by cells of a grid is told so, and of no pixels.
func TestToolOnGrid(t *testing.T) {
	as := New(Config{}).Tool()
	grid := as.For(true)
	for what, text := range map[string]string{"about": grid.About, "schema": string(grid.Schema)} {
		if strings.Contains(text, "pixel") || strings.Count(text, "grid of 1000 by 1000") == 0 {
			t.Errorf("%s: %s", what, text)
		}
	}
	if plain := as.For(false); plain.About != as.About || string(plain.Schema) != string(as.Schema) || strings.Contains(plain.About, "grid of") {
		t.Error("one that counts pixels is told of a grid")
	}
	back := strings.NewReplacer("cells [x, y] of a grid of 1000 by 1000 over the last picture you were given, whatever its size: [0, 0] is its top left, [999, 999] its bottom right",
		"pixels [x, y] of the last picture you were given", "cells of a grid of 1000 by 1000 over the last picture, 0 to 999", "pixels of the last picture")
	if back.Replace(grid.About) != as.About || back.Replace(string(grid.Schema)) != string(as.Schema) {
		t.Error("more than the points is told in other words")
	}
}

// On displays of any shape, a cell is clicked inside what it covers, whatever size of picture the model was given.
func TestPointsOnGrid(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 3))
	for range 12 {
		w, h := 60+rnd.IntN(900), 60+rnd.IntN(700)
		r := newRig(t, fmt.Sprintf("-- screen --\ndisplay one %dx%d at 0,0 main\n", w, h), func(c *Config) { c.Quiet, c.First = time.Millisecond, time.Millisecond })
		call := tool.Call{OnGrid: true, Picture: tool.Limits{Edge: 40 + rnd.IntN(1000)}}
		pic := r.call(call, `{"action":"screenshot"}`).Picture
		for range 10 {
			x, y := rnd.IntN(tool.Grid+1), rnd.IntN(tool.Grid+1)
			r.d.Forget()
			r.call(call, click(x, y))
			at := r.d.Events()[0].At
			// Half a cell, and half a pixel of the picture.
			offX, offY := float64(w)/(2*tool.Grid)+float64(w)/float64(2*pic.W), float64(h)/(2*tool.Grid)+float64(h)/float64(2*pic.H)
			wantX, wantY := (float64(min(x, tool.Grid-1))+0.5)*float64(w)/tool.Grid, (float64(min(y, tool.Grid-1))+0.5)*float64(h)/tool.Grid
			if at.X < wantX-offX-1e-6 || at.X > wantX+offX+1e-6 || at.Y < wantY-offY-1e-6 || at.Y > wantY+offY+1e-6 {
				t.Fatalf("%dx%d as %dx%d: %d,%d was clicked at %v", w, h, pic.W, pic.H, x, y, at)
			}
			told := regexp.MustCompile(`at (\d+),(\d+)\.`).FindStringSubmatch(r.call(call, `{"action":"cursor_position"}`).Text)
			if f := r.session("a").frame; len(told) == 3 {
				if p, _ := f.Pixel(at); told[1] != fmt.Sprint(tool.PixelCell(p.X, f.W)) || told[2] != fmt.Sprint(tool.PixelCell(p.Y, f.H)) {
					t.Errorf("the pointer at %v is told as %v", at, told)
				}
			} else {
				t.Error("the pointer isn't told")
			}
		}
	}
}

// What is found can be clicked where it is said to be, and a point outside the grid is refused without any input.
func TestFoundOnGrid(t *testing.T) {
	r := newRig(t, desk)
	call := tool.Call{OnGrid: true}
	r.call(call, `{"action":"screenshot"}`)
	found := r.call(call, `{"action":"find","text":"Save"}`)
	m := regexp.MustCompile(`at (\d+),(\d+)`).FindStringSubmatch(found.Text)
	if m == nil || !strings.Contains(string(found.Data), `"x":`+m[1]) {
		t.Fatalf("found: %s %s", found.Text, found.Data)
	}
	pixels := regexp.MustCompile(`at (\d+),(\d+)`).FindStringSubmatch(r.must(`{"action":"find","text":"Save"}`).Text)
	if f := r.session("a").frame; m[1] == pixels[1] && m[2] == pixels[2] && f.W != tool.Grid {
		t.Errorf("the same point in cells and in pixels: %v", m)
	}
	r.d.Forget()
	for _, args := range []string{
		`{"action":"left_click","coordinate":[1316,20]}`, `{"action":"left_click_drag","start_coordinate":[10,10],"coordinate":[10,1001]}`,
		`{"action":"zoom","region":[0,0,1002,500]}`,
	} {
		in := call
		in.Chat, in.Turn, in.Args = "a", "a1", []byte(args)
		if res := r.Run(t.Context(), in); !res.Failed || !strings.Contains(res.Text, "0 to 999") || len(r.d.Events()) > 0 {
			t.Errorf("%s: %q, %v", args, res.Text, r.events())
		}
	}
	r.call(call, `{"action":"zoom","region":[0,0,1000,1000]}`)
	before := driver.PicPoint{X: 7, Y: 9}
	if act, err := fromCells(Move{before}, driver.Frame{}); err != nil || act != Action(Move{before}) {
		t.Errorf("without a picture: %v, %v", act, err)
	}
}
