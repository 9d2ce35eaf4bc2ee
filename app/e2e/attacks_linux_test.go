package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"conch/driver"
	"conch/driver/x11"
	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xtest"
	"conch/gateway/ask"
	"conch/gateway/computer"
	"conch/gateway/computer/policy"
	"conch/gateway/guard"
	"conch/gateway/tool"

	"github.com/go-json-experiment/json"
)

// Colours that nothing else on the desk has; pictures are looked through for the first.
const (
	secretColor = 0xd11f8c
	plainColor  = 0x2f9e44
)

// arena is a private desktop with the computer tool on it, and programs that try to get something done elsewhere.
type arena struct {
	t   *testing.T
	x   *xserver.Server
	c   *computer.Computer
	own *xfixture.Program // an allowed app

	mu      sync.Mutex
	looks   int
	at      map[int]func() // what happens while the tool looks at the windows for the n-th time in a step
	asked   []string
	answers func(title string) ask.Choice

	turn   int
	last   tool.Result
	opened []*xfixture.Window
}

// between lets something happen while the tool looks.
type between struct {
	driver.Driver
	a *arena
}

func (b *between) Windows(ctx context.Context) ([]driver.Window, error) {
	b.a.mu.Lock()
	b.a.looks++
	do := b.a.at[b.a.looks]
	b.a.mu.Unlock()
	if do != nil {
		do()
	}
	return b.Driver.Windows(ctx)
}

// The person of the arena has said yes to every app, and watches.
func (a *arena) On() bool                                    { return true }
func (a *arena) Allowed(driver.AppID) bool                   { return true }
func (a *arena) Allow(driver.AppID, string) error            { return nil }
func (a *arena) Taint(context.Context, string, string) error { return nil }
func (a *arena) Turn(string) guard.Turn {
	return guard.Turn{Surface: guard.InChat, Origin: guard.Person, Mode: guard.Auto, Attended: true}
}

func (a *arena) Put(_ context.Context, q ask.Question) ask.Choice {
	a.mu.Lock()
	a.asked = append(a.asked, q.Title)
	answers := a.answers
	a.mu.Unlock()
	if answers != nil {
		return answers(q.Title)
	}
	return ask.Once
}

func newArena(t *testing.T) *arena {
	t.Helper()
	a := &arena{t: t, x: xtest.Start(t, xserver.Options{Width: 1000, Height: 700, Bus: true, Background: 0x3a5a6a})}
	d, err := x11.Open(t.Context(), x11.Options{Env: a.x.Env()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	a.c = computer.New(computer.Config{
		Driver: &between{d, a}, Settings: a, Chats: a, Asker: a, Desktop: policy.Linux,
		Own: func() policy.Own { return policy.NewOwn("/home/anna/.conch", []string{"access.json"}) },
	})
	a.own = a.program("editor")
	return a
}

// program starts a program under a file name, which is what it is known by.
func (a *arena) program(exe string) *xfixture.Program {
	a.t.Helper()
	self, err := os.Executable()
	a.ok(err)
	to := filepath.Join(a.t.TempDir(), exe)
	if err := os.Link(self, to); err != nil {
		b, err := os.ReadFile(self)
		a.ok(err)
		a.ok(os.WriteFile(to, b, 0o700))
	}
	p, err := xfixture.StartAs(to, a.x.Env())
	a.ok(err)
	a.t.Cleanup(func() { _ = p.Close() })
	return p
}

func (a *arena) ok(errs ...error) {
	a.t.Helper()
	if err := errors.Join(errs...); err != nil {
		a.t.Fatal(err)
	}
}

func (a *arena) open(p *xfixture.Program, s xfixture.Spec) *xfixture.Window {
	a.t.Helper()
	s.Ping, s.ClickFocus = true, !s.Override
	w, err := p.Open(s)
	a.ok(err)
	a.opened = append(a.opened, w)
	return w
}

// editor opens the allowed window, which has the keys.
func (a *arena) editor() *xfixture.Window {
	w := a.open(a.own, xfixture.Spec{X: 100, Y: 100, W: 300, H: 200, Title: "notes.txt", Class: "Editor", Color: plainColor})
	a.ok(w.Focus())
	return w
}

// step does one step; then happens while it looks at the windows for the n-th time.
func (a *arena) step(args map[string]any, then map[int]func()) {
	a.t.Helper()
	a.mu.Lock()
	a.looks, a.at = 0, then
	a.mu.Unlock()
	b, err := json.Marshal(args)
	a.ok(err)
	a.last = a.c.Run(a.t.Context(), tool.Call{Chat: "a", Turn: fmt.Sprint("t", a.turn), Args: b})
	a.mu.Lock()
	a.at = nil
	a.mu.Unlock()
	if a.last.Picture == nil {
		return
	}
	img, _, err := image.Decode(bytes.NewReader(a.last.Picture.Data))
	a.ok(err)
	n := 0
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			if r, g, b, _ := img.At(x, y).RGBA(); near(r>>8, secretColor>>16) && near(g>>8, secretColor>>8&0xff) && near(b>>8, secretColor&0xff) {
				n++
			}
		}
	}
	if n > 0 {
		a.t.Errorf("%d pixels of what is kept away are seen", n)
	}
}

// near allows for what a compressed picture does to a colour.
func near(a, b uint32) bool { return a+6 > b && b+6 > a }

func (a *arena) look() { a.t.Helper(); a.step(map[string]any{"action": "screenshot"}, nil) }

func (a *arena) click(x, y int, then map[int]func()) {
	a.t.Helper()
	a.step(map[string]any{"action": "left_click", "coordinate": []int{x, y}}, then)
}

func (a *arena) write(text string, then map[int]func()) {
	a.t.Helper()
	a.step(map[string]any{"action": "type", "text": text}, then)
}

// refused checks that the last step was, and that it says why.
func (a *arena) refused(why string) {
	a.t.Helper()
	if !a.last.Failed || !strings.Contains(a.last.Text, why) {
		a.t.Errorf("%v %s; want %q", a.last.Failed, a.last.Text, why)
	}
}

// untouched checks that windows got no button and no key.
func (a *arena) untouched(ws ...*xfixture.Window) {
	a.t.Helper()
	for _, w := range ws {
		events, err := w.Events()
		a.ok(err)
		for _, e := range events {
			switch e.Kind {
			case "press", "release", "keydown", "keyup":
				a.t.Errorf("window %#x got %+v", w.ID, e)
			}
		}
	}
}

func TestAttackersOnX11(t *testing.T) {
	a := newArena(t)
	away := map[string]*xfixture.Program{"keepassxc": a.program("keepassxc"), "xterm": a.program("xterm"), "chromium": a.program("chromium")}
	hidden := func(exe string, s xfixture.Spec) *xfixture.Window {
		s.Color = secretColor
		if s.W == 0 {
			s.X, s.Y, s.W, s.H = 600, 400, 300, 200
		}
		return a.open(away[exe], s)
	}
	over := func(w *xfixture.Window) func() {
		return func() { a.ok(w.Move(100, 100), w.Raise()) }
	}
	scenes := []struct {
		name string
		do   func()
	}{
		{"a password manager jumps in front of the press", func() {
			a.editor()
			w := hidden("keepassxc", xfixture.Spec{Class: "KeePassXC", Title: "Passwords"})
			a.look()
			a.click(200, 200, map[int]func(){3: over(w)})
			a.refused("password manager")
			a.untouched(w)
		}},
		{"a terminal jumps in front of the press", func() {
			a.editor()
			w := hidden("xterm", xfixture.Spec{Class: "XTerm", Title: "sh"})
			a.look()
			a.click(200, 200, map[int]func(){2: over(w)})
			a.refused("terminal")
			a.untouched(w)
		}},
		{"Conch's page jumps in front of the press", func() {
			a.editor()
			w := hidden("chromium", xfixture.Spec{Class: "Chromium", Title: "Chat · Conch - Chromium"})
			a.look()
			a.click(200, 200, map[int]func(){3: over(w)})
			a.refused("Conch itself")
			a.untouched(w)
		}},
		{"a terminal takes the keys while text is typed", func() {
			e := a.editor()
			w := hidden("xterm", xfixture.Spec{Class: "XTerm", Title: "sh"})
			a.look()
			a.write(strings.Repeat("rm -rf the old list ", 8), map[int]func(){5: func() { a.ok(w.Focus()) }})
			a.refused("terminal")
			a.untouched(w)
			if s, err := e.Text(); err != nil || len(s) > 120 {
				t.Errorf("%d characters were typed, %v", len(s), err)
			}
		}},
		{"another app takes the keys while text is typed", func() {
			a.editor()
			w := a.open(away["chromium"], xfixture.Spec{X: 600, Y: 100, W: 200, H: 200, Class: "Chromium", Title: "News - Chromium", Color: 0x808040})
			a.look()
			a.write(strings.Repeat("a word and another ", 8), map[int]func(){5: func() { a.ok(w.Focus()) }})
			a.refused("in between")
			a.untouched(w)
		}},
		{"a title imitates another app", func() {
			w := hidden("keepassxc", xfixture.Spec{X: 100, Y: 100, W: 300, H: 200, Class: "KeePassXC", Title: "notes.txt - Mousepad"})
			a.ok(w.Focus())
			a.look()
			a.click(200, 200, nil)
			a.refused("password manager")
			a.write("x", nil)
			a.refused("password manager")
			a.untouched(w)
		}},
		{"a class imitates another app", func() {
			w := hidden("xterm", xfixture.Spec{X: 100, Y: 100, W: 300, H: 200, Class: "Mousepad", Title: "notes.txt - Mousepad"})
			a.look()
			a.click(200, 200, nil)
			a.refused("terminal")
			a.untouched(w)
		}},
		{"a program imitates another by its class alone", func() {
			w := a.open(a.own, xfixture.Spec{X: 100, Y: 100, W: 300, H: 200, Class: "KeePassXC", Title: "Editor", Color: secretColor})
			a.look()
			a.click(200, 200, nil)
			a.refused("password manager")
			a.untouched(w)
		}},
		{"a window is renamed to Conch's before the press", func() {
			w := a.open(away["chromium"], xfixture.Spec{X: 100, Y: 100, W: 300, H: 200, Class: "Chromium", Title: "News - Chromium", Color: 0x404080})
			a.look()
			a.click(200, 150, map[int]func(){3: func() { a.ok(w.Title("Allow · Conch - Chromium")) }})
			a.refused("Conch itself")
			a.untouched(w)
		}},
		{"a window is renamed to a bank's while typing", func() {
			w := a.open(away["chromium"], xfixture.Spec{X: 100, Y: 100, W: 300, H: 200, Class: "Chromium", Title: "News - Chromium", Color: 0x404080})
			a.ok(w.Focus())
			a.look()
			a.write(strings.Repeat("send it all now ", 10), map[int]func(){4: func() { a.ok(w.Title("PayPal - Chromium")) }})
			a.refused("banking")
			if s, _ := w.Text(); len(s) > 100 {
				t.Errorf("%d characters arrived", len(s))
			}
		}},
		{"a popup that no window manager minds opens under the pointer", func() {
			a.editor()
			hidden("keepassxc", xfixture.Spec{Class: "KeePassXC", Title: "Passwords"})
			a.look()
			var w *xfixture.Window
			a.click(200, 200, map[int]func(){3: func() {
				w = hidden("keepassxc", xfixture.Spec{X: 150, Y: 150, W: 150, H: 100, Override: true})
			}})
			a.refused("password manager")
			a.untouched(w)
		}},
		{"a popup without a name stands there already", func() {
			a.editor()
			hidden("xterm", xfixture.Spec{Class: "XTerm", Title: "sh"})
			w := hidden("xterm", xfixture.Spec{X: 150, Y: 150, W: 150, H: 100, Override: true})
			a.look()
			a.click(200, 200, nil)
			a.refused("terminal")
			a.untouched(w)
		}},
		{"a window that can be seen through lies on top", func() {
			e := a.editor()
			w := a.open(away["keepassxc"], xfixture.Spec{X: 100, Y: 100, W: 300, H: 200, Class: "KeePassXC", Title: "x", Alpha: true, Color: 0x01000000})
			a.look()
			a.click(200, 200, nil)
			a.refused("password manager")
			a.untouched(w, e)
		}},
		{"a drag's way leads over it", func() {
			a.editor()
			w := hidden("xterm", xfixture.Spec{X: 450, Y: 50, W: 100, H: 300, Class: "XTerm", Title: "sh"})
			a.open(a.own, xfixture.Spec{X: 600, Y: 100, W: 200, H: 200, Title: "other", Class: "Editor", Color: plainColor})
			a.look()
			a.step(map[string]any{"action": "left_click_drag", "start_coordinate": []int{200, 200}, "coordinate": []int{700, 200}}, nil)
			a.refused("terminal")
			a.untouched(w)
		}},
		{"it comes into the way of a drag", func() {
			a.editor()
			w := hidden("keepassxc", xfixture.Spec{X: 700, Y: 450, W: 100, H: 200, Class: "KeePassXC", Title: "Passwords"})
			a.open(a.own, xfixture.Spec{X: 600, Y: 100, W: 200, H: 200, Title: "other", Class: "Editor", Color: plainColor})
			a.look()
			a.step(map[string]any{"action": "left_click_drag", "start_coordinate": []int{200, 200}, "coordinate": []int{700, 200}},
				map[int]func(){7: func() { a.ok(w.Move(450, 100), w.Raise()) }})
			a.refused("password manager")
			a.untouched(w)
		}},
		{"a dialog belongs to what is kept away", func() {
			k := hidden("keepassxc", xfixture.Spec{Class: "KeePassXC", Title: "Passwords"})
			w := a.open(away["keepassxc"], xfixture.Spec{X: 100, Y: 100, W: 300, H: 200, Title: "Really?", Kind: "dialog", Transient: k.ID, Color: secretColor})
			a.look()
			a.click(200, 200, nil)
			a.refused("password manager")
			a.untouched(w, k)
		}},
		{"a notification pops up under the pointer", func() {
			a.editor()
			a.look()
			var w *xfixture.Window
			a.click(200, 200, map[int]func(){3: func() {
				w = a.open(a.own, xfixture.Spec{X: 150, Y: 150, W: 150, H: 100, Class: "Chat", Title: "You won", Kind: "notification", Override: true, Color: secretColor})
			}})
			a.refused("notification")
			a.untouched(w)
		}},
		{"an editor shows one of Conch's own files", func() {
			w := a.open(a.own, xfixture.Spec{X: 100, Y: 100, W: 300, H: 200, Class: "Editor", Title: "access.json (~/.conch) - Editor", Color: secretColor})
			a.ok(w.Focus())
			a.look()
			a.click(200, 200, nil)
			a.refused("its own files")
			a.write("{}", nil)
			a.refused("its own files")
			a.untouched(w)
		}},
		{"the way to Conch's folder is typed in parts", func() {
			e := a.editor()
			a.look()
			a.write("/home/anna/.con", nil)
			a.write("ch/access.json", nil)
			a.refused("keeps for itself")
			if s, err := e.Text(); err != nil || s != "/home/anna/.con" {
				t.Errorf("%q, %v", s, err)
			}
		}},
		{"keys that are never pressed, spelled otherwise", func() {
			e := a.editor()
			a.look()
			for chord, why := range map[string]string{
				"super+space": "commands", "cmd+SPACE": "commands", "win+r": "commands", "alt+F2": "commands", "control+option+T": "terminal",
				"meta+esc": "stop", "ctrl+alt+F1": "desktop", "shift+Delete": "delete",
			} {
				a.step(map[string]any{"action": "key", "text": "a " + chord}, nil)
				a.refused(why)
			}
			a.untouched(e)
		}},
		{"everything moves at once", func() {
			a.editor()
			w := hidden("xterm", xfixture.Spec{Class: "XTerm", Title: "sh"})
			a.look()
			for n := 1; n <= 4; n++ {
				a.ok(w.Move(600, 400))
				a.look()
				a.step(map[string]any{"action": "double_click", "coordinate": []int{200, 200}}, map[int]func(){n: over(w)})
				a.refused("terminal")
			}
			a.untouched(w)
		}},
	}
	if len(scenes) < 20 {
		t.Fatalf("%d scenes", len(scenes))
	}
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			was := a.t
			a.t, a.opened = t, nil
			a.turn++
			s.do()
			a.c.EndTurn(fmt.Sprint("t", a.turn))
			for _, w := range a.opened {
				a.ok(w.Close())
			}
			a.t = was
		})
	}
}
