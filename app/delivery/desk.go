//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // pictures come as either
	_ "image/png"
	"math"
	"os"
	"path/filepath"
	"time"

	"conch/app/internal/fixture"
	"conch/driver"
	"conch/driver/x11"
	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"
	"conch/gateway/computer"
	"conch/gateway/guard"
	"conch/gateway/tool"
)

// patience is how long an application may take to report what it received.
const patience = 5 * time.Second

// desk is one desktop with one application in front and the computer tool that acts on it.
type desk struct {
	s    *xserver.Server
	app  *fixture.App
	c    *computer.Computer
	turn int
	t    tool.Tool
}

// person stands for one who said yes to everything beforehand and watches.
type person struct{}

func (person) On() bool                         { return true }
func (person) Allowed(driver.AppID) bool        { return true }
func (person) Allow(driver.AppID, string) error { return nil }
func (person) Turn(string) guard.Turn {
	return guard.Turn{Surface: guard.InChat, Origin: guard.Person, Mode: guard.AskFirst, Attended: true}
}
func (person) Taint(context.Context, string, string) error { return nil }

// column tries every action in one kind of application.
func column(ctx context.Context, k fixture.Kind) ([]cell, error) {
	s, err := xserver.Start(ctx, xserver.Options{WindowManager: "openbox", Bus: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }()
	if err := fixture.Desktop(s); err != nil {
		return nil, err
	}
	d, err := x11.Open(ctx, x11.Options{Env: s.Env()})
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	app, err := fixture.Start(ctx, s, k, "Fixture "+string(k))
	if err != nil {
		return nil, err
	}
	defer func() { _ = app.Close() }()
	k0 := &desk{s: s, app: app, c: computer.New(computer.Config{Driver: d, Settings: person{}, Chats: person{}})}
	k0.t = k0.c.Tool()
	var cells []cell
	for _, a := range actions {
		cells = append(cells, k0.try(ctx, a))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return cells, nil
}

// errNone says that the application has no such thing.
var errNone = errors.New("the application has no such thing")

func (k *desk) try(ctx context.Context, a action) cell {
	ctx, cancel := context.WithTimeout(ctx, 60*time.Second)
	defer cancel()
	k.turn++
	defer k.c.EndTurn(k.name())
	err := k.app.Clear(ctx)
	if err == nil {
		_, err = k.do(ctx, map[string]any{"action": "screenshot"})
	}
	if err == nil {
		k.app.Forget()
		err = a.try(ctx, k)
	}
	switch {
	case errors.Is(err, errNone):
		return cell{without: true}
	case err != nil:
		return cell{why: err.Error()}
	}
	return cell{delivered: true}
}

func (k *desk) name() string { return fmt.Sprint("turn-", k.turn) }

// do makes one call of the tool.
func (k *desk) do(ctx context.Context, args map[string]any) (tool.Result, error) {
	b, err := json.Marshal(args)
	if err != nil {
		return tool.Result{}, err
	}
	res := k.t.Run(ctx, tool.Call{Chat: "delivery", Turn: k.name(), Args: b})
	if res.Failed {
		return res, errors.New(res.Text)
	}
	return res, nil
}

// at is a place on the screen as a point of the picture. The desktop is smaller than a picture may be, so the
// picture shows it pixel for pixel.
func at(x, y float64) []int { return []int{int(x), int(y)} }

// part is a place in the middle of a part of the application. It is another one for each action: a toolkit
// would count a second click at the same place as half of a double click, and no movement is no event.
func (k *desk) part(name string) ([]int, error) {
	x, y, ok := k.app.Part(name)
	if !ok {
		return nil, errNone
	}
	n := float64(k.turn % 7)
	return at(x-18+6*n, y-9+3*n), nil
}

// sees waits until the application reports what is wanted.
func (k *desk) sees(ctx context.Context, what string, want func(fixture.Event) bool) (fixture.Event, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	e, err := k.app.Await(ctx, want)
	if err != nil {
		return e, fmt.Errorf("no %s; it got %s", what, brief(k.app.Events()))
	}
	return e, nil
}

// brief is what an application got, in a few words.
func brief(events []fixture.Event) string {
	if len(events) == 0 {
		return "nothing"
	}
	var b bytes.Buffer
	for _, e := range events[max(0, len(events)-6):] {
		fmt.Fprintf(&b, "%s %s%s ", e.Ev, e.On, e.Key)
	}
	return b.String()
}

func near(e fixture.Event, p []int) bool {
	return math.Abs(e.X-float64(p[0])) <= 1 && math.Abs(e.Y-float64(p[1])) <= 1
}

// shows says whether a picture has the pad's colour at a place.
func shows(res tool.Result, x, y int) error {
	if res.Picture == nil {
		return errors.New("no picture came")
	}
	img, _, err := image.Decode(bytes.NewReader(res.Picture.Data))
	if err != nil {
		return err
	}
	r, g, b, _ := img.At(x, y).RGBA()
	for _, d := range []int{int(r>>8) - 0x3b, int(g>>8) - 0x6e, int(b>>8) - 0xa5} {
		if d > 8 || d < -8 {
			return fmt.Errorf("the picture has #%02x%02x%02x at %d,%d and not the pad's colour", r>>8, g>>8, b>>8, x, y)
		}
	}
	return nil
}

// cover puts another program's window over the application, and returns once the keyboard has gone there.
func (k *desk) cover(ctx context.Context) (func(), error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	// The same program under another name is another app.
	front := filepath.Join(k.s.Getenv("HOME"), "front")
	program, err := os.ReadFile(self)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(front, program, 0o700); err != nil { //nolint:gosec // it is a program
		return nil, err
	}
	p, err := xfixture.StartAs(front, k.s.Env())
	if err != nil {
		return nil, err
	}
	_, err = p.Open(xfixture.Spec{X: 30, Y: 30, W: 900, H: 700, Title: "In front", Class: "Front", Color: 0x884422})
	if err == nil {
		_, err = k.sees(ctx, "loss of the keyboard", func(e fixture.Event) bool { return e.Ev == "blur" })
	}
	if err != nil {
		_ = p.Close()
		return nil, err
	}
	return func() { _ = p.Close() }, nil
}
