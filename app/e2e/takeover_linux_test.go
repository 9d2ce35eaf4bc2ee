package e2e

import (
	"net/http"
	"testing"

	"conch/driver/x11/xserver"
	"conch/driver/x11/xserver/xperson"
	"conch/gateway/chat"
)

// A person presses a key of their own while Conch types: the typing stops at once, nothing stays held, and the
// person is asked. Told not to go on, it sends nothing more.
func TestTakingOver(t *testing.T) {
	t.Parallel()
	d := newDesk(t, xserver.Options{WindowManager: "openbox", Bus: true}, "mousepad")
	e := newEditor(d)
	d.start(true, mousepad)
	p := xperson.New(t, d.x)
	whole := long(3300)
	const lock = 78 // Scroll Lock, which types nothing

	id := d.say(`open Mousepad then type "` + whole + `" then press ctrl+a then press Delete`)
	d.until("it types", func() bool { return e.read() != "" })
	p.Key(lock)
	q := d.asked(id)
	if q.Text != "You took the keyboard. Go on?" || q.Always {
		t.Errorf("it asks %q (always %v)", q.Text, q.Always)
	}
	n := e.cutOff(whole)
	if d.held() {
		t.Error("something is still held while the person is asked")
	}
	if d.edge() != 5 {
		t.Error("the edge is dark, though the turn waits for the person")
	}
	p.Click(1) // as a person may who answers
	d.do(http.MethodPost, "/api/questions/"+q.ID, map[string]string{"choice": "no"}, nil)
	d.ended(id)
	if got := e.read(); len(got) != n {
		t.Errorf("%d characters, and %d when the person was asked", len(got), n)
	}
	d.until("the edge is gone", func() bool { return d.edge() == 0 })

	// Told to go on, the next turn does.
	id = d.say(`press ctrl+a then wait 1 then press Delete`)
	d.await(id, "a first step", func(ev chat.Event) bool { return ev.Kind == chat.KindStepDone })
	p.Key(lock)
	q = d.asked(id)
	d.do(http.MethodPost, "/api/questions/"+q.ID, map[string]string{"choice": "once"}, nil)
	d.ended(id)
}
