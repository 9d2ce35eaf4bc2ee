package e2e

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"conch/app/internal/fixture"
	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"
	"conch/gateway"
	"conch/gateway/chat"

	"github.com/jezek/xgb/xproto"
)

// plain is what the plain X fixture is called among the apps.
const plain = `"Fixture plain X"`

// moment is a state of the desktop in which Conch is killed.
type moment struct {
	name string
	say  string
	now  func(*desk) bool
	// over says that the turn may have ended by itself before the kill.
	over bool
}

func moments(keymap string) []moment {
	capitals := strings.Repeat("ÀÉÎ Shouting AND whispering: “ß” ", 300)
	foreign := strings.Repeat("привет 👋 你好 ", 400)
	held := func(d *desk) bool { return d.held() }
	button := func(d *desk) bool { return d.button() }
	// What is up again before anyone could see it down; text goes out in pieces that nobody sees the inside of.
	doing := func(what string) func(*desk) bool {
		return func(d *desk) bool { return strings.Contains(strings.ToLower(d.status().Say), what) }
	}
	return []moment{
		{"while it types shifted characters", `open ` + plain + ` then type "` + capitals + `"`, doing("typing"), false},
		{"while key codes are lent", `open ` + plain + ` then type "` + foreign + `"`, func(d *desk) bool { return d.keymap() != keymap }, false},
		{"in the middle of a drag", `look then drag 120,120 to 600,460 then wait 9`, button, false},
		{"while a key is held", `open ` + plain + ` then hold shift 9`, held, false},
		{"while a chord is pressed", `open ` + plain + ` then press ctrl+shift+F5 100 times then wait 9`, held, true},
		{"while it clicks", `look then triple click 300,300 then wait 9`, doing("click"), true},
		{"while it scrolls", `look then scroll down 50 at 300,300 then wait 9`, doing("scroll"), true},
		{"with the edge lit", `look then wait 9`, func(d *desk) bool { return d.edge() > 0 }, false},
		{"while it looks", `look then look then look then look then wait 9`, func(d *desk) bool { return len(d.windows(d.PID)) > 0 }, false},
		{"while a question waits", `look then open Mousepad`, func(d *desk) bool { return d.status().State == gateway.Asking }, false},
		{"as the turn begins", `look then wait 9`, func(d *desk) bool { return d.status().State != gateway.Idle }, false},
		{"in the middle of everything", `look then drag 200,200 to 500,300 then type "` + capitals[:600] + `" then press Down 20 times then scroll up 9 then hold ctrl 1 then wait 9`, held, true},
	}
}

// Line 7 of what issue 2 must show. Conch is killed at each moment once and at some again, in random order and
// a random while later. Each time nothing is held, shown or lent after it, and the next start is clean.
func TestKilled(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 7))

	d := newDesk(t, xserver.Options{WindowManager: "openbox"})
	if err := fixture.Desktop(d.x); err != nil {
		t.Fatal(err)
	}
	p, err := xfixture.Start(d.x.Env())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	w, err := p.Open(xfixture.Spec{X: 60, Y: 60, W: 640, H: 480, Title: "Plain", Class: "Conchraw", Color: 0x3b6ea5, ClickFocus: true})
	if err != nil {
		t.Fatal(err)
	}
	keymap, properties := d.keymap(), d.properties()
	list := moments(keymap)
	at := r.Perm(len(list))
	for range 3 {
		at = append(at, r.IntN(len(list)))
	}
	d.start(true, fixture.ID(fixture.Raw))
	for _, i := range at {
		m, later := list[i], r.IntN(40)
		ok := t.Run(fmt.Sprintf("%s and %d looks later", m.name, later), func(t *testing.T) {
			d := d.as(t)
			d.killedAt(m, later)
			d.gone(keymap)
			d.untilSaid(func() string { return "the root window has " + properties + "; it has " + d.properties() },
				func() bool { return d.properties() == properties })
			if err := w.Forget(); err != nil {
				t.Fatal(err)
			}
		})
		if !ok {
			return
		}
		d.start(true, fixture.ID(fixture.Raw))
		// A key that were still down would repeat into the window.
		if got, err := w.Events(); err != nil || len(got) > 0 {
			t.Errorf("%s: after the kill the window got %v, %v", m.name, got, err)
		}
	}
	id := d.say(`open ` + plain + ` then type "Still works"`)
	if e := d.ended(id); e.State != chat.StateDone {
		t.Errorf("after all kills a turn ends as %+v", e)
	}
	d.until("the text arrives", func() bool {
		got, err := w.Text()
		return err == nil && strings.HasSuffix(got, "Still works")
	})
}

// as is the same desk for a part of the test.
func (d *desk) as(t *testing.T) *desk {
	c := *d
	c.t = t
	return &c
}

// killedAt kills Conch in a moment, starts it again, and reads what the chat says of it.
func (d *desk) killedAt(m moment, later int) {
	d.t.Helper()
	id := d.say(m.say)
	d.until(m.name, func() bool { return m.now(d) })
	for range later {
		d.held()
	}
	d.kill()
	// The edge goes with its process; nobody else may be needed for that.
	d.until("no window of Conch is left", func() bool { return len(d.windows(d.PID)) == 0 })
	d.start(true, fixture.ID(fixture.Raw))
	e := d.ended(id)
	if e.State != chat.StateCut && (!m.over || e.State != chat.StateDone) {
		d.t.Errorf("the chat says that the turn ended as %+v", e)
	}
	if page := d.page("/chats/" + id); e.State == chat.StateCut && !strings.Contains(page, "Conch was closed in the middle of this.") {
		d.t.Error("the chat's page doesn't show that the turn was cut off")
	}
	if s := d.status(); s.State != gateway.Idle {
		d.t.Errorf("after the start it is %+v", s)
	}
	d.kill() // and once more while it does nothing
}

// page is a page's HTML.
func (d *desk) page(path string) string {
	d.t.Helper()
	body, err := d.Stream(d.t.Context(), path)
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = body.Close() }()
	text, err := io.ReadAll(body)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}

// properties are the names of what is written on the root window. A record of what is held that says that
// nothing is doesn't count: the next Conch takes its place.
func (d *desk) properties() string {
	d.t.Helper()
	r, err := xproto.ListProperties(d.conn.Conn, d.root).Reply()
	if err != nil {
		d.t.Fatal(err)
	}
	var names []string
	for _, a := range r.Atoms {
		n, err := xproto.GetAtomName(d.conn.Conn, a).Reply()
		if err != nil {
			d.t.Fatal(err)
		}
		if strings.HasPrefix(n.Name, "_NET_") || strings.HasPrefix(n.Name, "_CONCH_HANDS_") && d.empty(a) {
			continue // the window manager's own come and go
		}
		names = append(names, n.Name)
	}
	return strings.Join(names, " ")
}

// empty says whether a record holds nothing beyond whose it is: version, window and a number.
func (d *desk) empty(record xproto.Atom) bool {
	d.t.Helper()
	r, err := xproto.GetProperty(d.conn.Conn, false, d.root, record, xproto.GetPropertyTypeAny, 0, 1024).Reply()
	if err != nil {
		d.t.Fatal(err)
	}
	for i, b := range r.Value {
		if i >= 12 && b != 0 {
			return false
		}
	}
	return true
}
