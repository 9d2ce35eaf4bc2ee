package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"conch/app/internal/fixture"
	"conch/app/internal/trial"
	"conch/driver"
	"conch/driver/x11"
	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"
	"conch/gateway/chat"

	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
)

// Line 5 of what issue 2 must show, with the whole program: pictures with and without the edge lit are the same
// pixel for pixel, and presses go through it. What overlay/x11 and driver/x11 test by themselves isn't here.
func TestEdge(t *testing.T) {
	for _, o := range []xserver.Options{
		{}, {WindowManager: "openbox"}, {Compositor: true}, {WindowManager: "openbox", Compositor: true},
	} {
		o.Background = 0x507090
		t.Run(fmt.Sprintf("manager %q, compositor %v", o.WindowManager, o.Compositor), func(t *testing.T) {
			t.Parallel()
			edge(t, o)
		})
	}
}

// under are places under the edge, one at each side, in a window of the fixture.
var under = []image.Point{{300, 2}, {2, 200}, {1277, 500}, {900, 797}}

func edge(t *testing.T, o xserver.Options) {
	d := newDesk(t, o)
	if err := fixture.Desktop(d.x); err != nil {
		t.Fatal(err)
	}
	p, err := xfixture.Start(d.x.Env())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	open := func(x, y, width, height int, override bool) *xfixture.Window {
		w, err := p.Open(xfixture.Spec{
			X: x, Y: y, W: width, H: height, Title: "Plain", Class: "Conchraw", Color: 0x3b6ea5, Other: 0xf2e8d0, Checks: true, Override: override,
		})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	// Two reach beyond the screen, which a window manager wouldn't let them; the third has its frame.
	near, far := open(-40, -80, 760, 600, true), open(600, 330, 760, 600, true)
	open(420, 250, 300, 200, false)
	d.start(true, fixture.ID(fixture.Raw))
	d.fake(xproto.MotionNotify, 0, image.Pt(640, 400))

	// A window that is followed is told to paint itself anew, so its picture is awaited. Of the third, what a window
	// manager leaves to be seen is one column, right of the first: it keeps windows that it doesn't manage above.
	third := image.Pt(719, 280)
	if o.WindowManager != "" {
		third.X++
	}
	checks := []image.Point{{100, 100}, {1200, 600}, third}
	var before, bare, lit *image.RGBA
	d.until("a picture of painted windows", func() bool { before = d.look(); return painted(before, checks) })
	d.until("a screen of painted windows", func() bool { bare = d.grab(); return painted(bare, checks) })
	const pause = "then wait 1 then wait 1 then wait 1 then wait 1 then wait 60 "
	say := "look " + pause
	for _, at := range under {
		say += fmt.Sprintf("then click %d,%d ", at.X, at.Y)
	}
	id := d.say(say)
	d.until("a picture of painted windows", func() bool { lit = d.shot(id); return painted(lit, checks) })
	if n := d.edge(); n != 5 {
		t.Fatalf("%d windows of the edge, want four strips and the card", n)
	}
	now := d.grab()
	for _, at := range under {
		if now.RGBAAt(at.X, at.Y) == bare.RGBAAt(at.X, at.Y) {
			t.Errorf("the edge isn't on the screen at %v", at)
		}
	}
	same(t, "the picture before", before, lit)
	if !o.Compositor { // which shows what is behind all windows in its own way
		pointer := image.Rect(620, 380, 680, 440)
		for _, m := range []*image.RGBA{bare, lit} {
			draw.Draw(m, pointer, image.Black, image.Point{}, draw.Src)
		}
		same(t, "the screen itself", bare, lit)
	}

	// The person's own presses, while it is lit.
	for _, at := range under {
		d.fake(xproto.MotionNotify, 0, at)
		d.fake(xproto.ButtonPress, 1, at)
		d.fake(xproto.ButtonRelease, 1, at)
	}
	d.pressed("the person's presses", near, far)
	if _, err := d.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.ended(id)
	d.until("the edge is gone", func() bool { return len(d.windows(d.PID)) == 0 })

	// Conch's own, with no wait before them.
	again := d.say(strings.Replace(say, pause, "", 1))
	if e := d.ended(again); e.State != chat.StateDone {
		t.Errorf("the clicks ended as %+v", e)
	}
	d.pressed("Conch's clicks", near, far)
	d.fake(xproto.MotionNotify, 0, image.Pt(640, 400))
}

// painted says whether windows show their checks at all these places: 8 pixels below, they have the other colour.
func painted(m *image.RGBA, at []image.Point) bool {
	return !slices.ContainsFunc(at, func(p image.Point) bool { return m.RGBAAt(p.X, p.Y) == m.RGBAAt(p.X, p.Y+8) })
}

// pressed waits until the windows got one press at each place under the edge, then forgets them.
func (d *desk) pressed(what string, ws ...*xfixture.Window) {
	d.t.Helper()
	var got []image.Point
	d.untilSaid(func() string { return fmt.Sprintf("%s at %v; there were %v", what, under, got) }, func() bool {
		got = nil
		for _, w := range ws {
			events, err := w.Events()
			if err != nil {
				d.t.Fatal(err)
			}
			for _, e := range events {
				if e.Kind == "press" {
					got = append(got, image.Pt(e.RootX, e.RootY))
				}
			}
		}
		return fmt.Sprint(got) == fmt.Sprint(under)
	})
	for _, w := range ws {
		if err := w.Forget(); err != nil {
			d.t.Fatal(err)
		}
	}
}

// fake moves the mouse or presses its buttons as a person would.
func (d *desk) fake(kind, button byte, at image.Point) {
	d.t.Helper()
	err := xtest.FakeInputChecked(d.conn.Conn, kind, button, 0, d.root, int16(at.X), int16(at.Y), 0).Check()
	if err != nil {
		d.t.Fatal(err)
	}
}

// look is a picture taken without any Conch and so without its edge.
func (d *desk) look() *image.RGBA {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), patience)
	defer cancel()
	eyes, err := x11.Open(ctx, x11.Options{Env: d.x.Env()})
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = eyes.Close() }()
	if err := eyes.Begin(ctx); err != nil {
		d.t.Fatal(err)
	}
	pic, err := eyes.Look(ctx, driver.Shot{})
	if err != nil {
		d.t.Fatal(err)
	}
	return pic.Pix
}

var shotAddress = regexp.MustCompile(`/api/computer-use/shot/[\w-]+`)

// shot waits until a chat's page has a picture and returns it.
func (d *desk) shot(id string) *image.RGBA {
	d.t.Helper()
	var body io.ReadCloser
	d.until("the chat shows a picture", func() bool {
		at := shotAddress.FindString(d.page("/chats/" + id))
		if at == "" {
			return false
		}
		var err error
		if body, err = d.Stream(d.t.Context(), at); err != nil && !errors.Is(err, trial.ErrNotFound) { // a newer one came
			d.t.Fatal(err)
		}
		return err == nil
	})
	defer func() { _ = body.Close() }()
	data, err := io.ReadAll(body)
	if err != nil {
		d.t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		d.t.Fatalf("a picture that keeps every pixel: %v", err)
	}
	out := image.NewRGBA(m.Bounds())
	draw.Draw(out, out.Rect, m, image.Point{}, draw.Src)
	return out
}

// same fails where two pictures differ.
func same(t *testing.T, what string, a, b *image.RGBA) {
	t.Helper()
	if a.Rect != b.Rect {
		t.Fatalf("%s is %v, and the lit one %v", what, a.Rect, b.Rect)
	}
	if bytes.Equal(a.Pix, b.Pix) {
		return
	}
	var differ image.Rectangle
	for y := range a.Rect.Dy() {
		for x := range a.Rect.Dx() {
			if a.RGBAAt(x, y) != b.RGBAAt(x, y) {
				differ = differ.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if !differ.Empty() {
		at := differ.Min
		keep(t, what, a)
		keep(t, what+" lit", b)
		t.Errorf("%s and the lit one differ in %v: at its corner %v and %v", what, differ, a.RGBAAt(at.X, at.Y), b.RGBAAt(at.X, at.Y))
	}
}

// keep writes a picture where CONCH_SHOTS says.
func keep(t *testing.T, name string, m image.Image) {
	dir := os.Getenv("CONCH_SHOTS")
	if dir == "" {
		return
	}
	f, err := os.Create(filepath.Join(dir, strings.ReplaceAll(t.Name()+"-"+name, "/", "-")+".png"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(png.Encode(f, m), f.Close()); err != nil {
		t.Fatal(err)
	}
}
