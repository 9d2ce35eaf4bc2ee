package e2e

import (
	"encoding/json"
	"image"
	"image/color"
	"strings"
	"testing"

	"conch/driver/x11/xserver"
	"conch/gateway/chat"
	"conch/gateway/web/webtest"

	"github.com/chromedp/chromedp"
)

// open opens a page in a browser that has shown nothing yet, as Conch's menu does.
func (d *desk) open(b *webtest.Browser, path string) {
	d.t.Helper()
	url, err := d.Page(d.t.Context(), path)
	if err != nil {
		d.t.Fatal(err)
	}
	b.Do(chromedp.Navigate(url))
	b.Until(`location.pathname === "` + path + `" && !location.hash && !document.getElementById("here")`)
	b.Ready()
}

// at is a page's address for a browser that has been let in.
func (d *desk) at(path string) string {
	return strings.Replace(d.URL, "127.0.0.1", "localhost", 1) + path
}

func press(b *webtest.Browser, css string) { b.Do(chromedp.Click(chromedp.CSS(css))) }

// write puts a message into the composer and sends it. In a new chat that leads to the chat's page.
func write(b *webtest.Browser, text string) (id string) {
	quoted, _ := json.Marshal(text)
	b.Do(chromedp.Evaluate[chromedp.Void](`{
		const box = document.getElementById("box");
		box.value = ` + string(quoted) + `;
		box.dispatchEvent(new Event("input", {bubbles: true}));
	}`))
	press(b, ".composer-send")
	b.Until(`location.pathname.startsWith("/chats/")`)
	b.Ready()
	return strings.TrimPrefix(b.Eval("location.pathname"), "/chats/")
}

// text is a part of the page as a person reads it.
func text(css string) string {
	return `document.querySelector("` + css + `")?.innerText.replace(/\s+/g, " ")`
}

// Line 3 of what issue 2 must show, in a browser: the switch, the question, the picture, and Stop.
func TestPage(t *testing.T) {
	t.Parallel()
	d := newDesk(t, xserver.Options{WindowManager: "openbox", Bus: true}, "mousepad", "xterm")
	if err := d.x.Start(d.x.Command("xterm", "-geometry", "60x12+700+420", "-bg", "#ff00c8", "-fg", "#ff00c8", "-cr", "#ff00c8")); err != nil {
		t.Fatal(err)
	}
	d.until("the terminal is there", func() bool { return count(d.grab(), terminalColor) > 1000 })
	e := newEditor(d)
	d.start(false)
	b := webtest.Open(t)
	b.Set(webtest.Looks[0])
	keymap := d.keymap()

	turnOn(d, b)
	b.Go(d.at("/"))
	id := write(b, sentence)
	b.Until(text("#stream .question.waiting h2") + ` === "Use Mousepad on your computer?"`)
	b.Until(text("#asking strong") + ` === "Use Mousepad on your computer?"`)
	if e.read() != "" {
		t.Error("it typed before it was allowed to")
	}
	press(b, "#asking [data-choice=once]")
	b.Until(text("#stream .question.answered") + `?.includes("Allowed once")`)
	b.Until(`document.getElementById("asking").hidden`)
	e.holds(greeting)
	d.ended(id)
	b.Until(`document.getElementById("live").hidden && !document.querySelector(".composer-stop")`)
	if got := e.selected(); got != greeting {
		t.Errorf("after ctrl+a %q is selected", got)
	}

	t.Run("pictures and Stop", func(t *testing.T) { pictures(d.as(t), b.For(t), e) })
	t.Run("answered no", func(t *testing.T) { answeredNo(d.as(t), b.For(t), e) })
	t.Run("a terminal", func(t *testing.T) { terminal(d.as(t), b.For(t)) })
	if faults := b.Faults(); faults != "" {
		t.Errorf("the page: %s", faults)
	}
	d.gone(keymap)
}

// turnOn turns using apps on, through the sheet that asks whether it is meant.
func turnOn(d *desk, b *webtest.Browser) {
	d.t.Helper()
	d.open(b, "/settings/computer")
	press(b, "[data-computer-switch]")
	b.Until(`document.getElementById("computer-confirm").open`)
	press(b, "#computer-confirm [value=no]")
	b.Until(`!document.getElementById("computer-confirm").open`)
	if d.status().On {
		d.t.Error("Cancel turned it on")
	}
	press(b, "[data-computer-switch]")
	b.Until(`document.getElementById("computer-confirm").open`)
	press(b, "#computer-confirm [value=yes]")
	b.Until(`document.querySelector("[data-computer-switch]").ariaChecked === "true"`)
	if !d.status().On {
		d.t.Error("the page says on, and it is off")
	}
}

// watchShots has the page keep what each picture of the live card was.
const watchShots = `{
	window.shots = {};
	const note = async () => {
		const at = document.querySelector("#live .shot")?.getAttribute("src");
		if (!at || at in shots) return;
		shots[at] = "";
		const got = await fetch(at);
		if (!got.ok) return;
		const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", await got.arrayBuffer()));
		shots[at] = [...sum].map((n) => n.toString(16)).join();
	};
	new MutationObserver(note).observe(document.body, {childList: true, subtree: true});
	note();
}`

// pictures goes on in the chat that may use Mousepad already: no second question, pictures that change, and
// Stop pressed on the page while it types.
func pictures(d *desk, b *webtest.Browser, e *editor) {
	b.Do(chromedp.Evaluate[chromedp.Void](watchShots))
	whole := long(3300)
	id := write(b, `open Mousepad then wait 1 then press Delete then wait 1 then type "`+whole+`"`)
	d.until("it types", func() bool { return e.read() != "" && e.read() != greeting })
	b.Until(text("#live .live-step strong") + `?.includes("Typing in Mousepad")`)
	if n := d.edge(); n != 5 {
		d.t.Errorf("while it types %d windows of the edge are shown, want 5", n)
	}
	b.Until(`new Set(Object.values(shots).filter(Boolean)).size >= 2`)
	if b.Eval(`document.querySelectorAll("#stream .question").length`) != "1" {
		d.t.Error("it asked about the same app again")
	}
	press(b, "[data-stop-computer]")
	b.Until(text("#stream .note:last-child") + `?.includes("You stopped this.")`)
	b.Until(`document.getElementById("live").hidden && !document.querySelector(".composer-stop")`)
	n := e.cutOff(whole)
	d.until("the edge is gone", func() bool { return d.edge() == 0 })
	if got := d.await(id, "a stop", func(e chat.Event) bool { return e.Kind == chat.KindEnded && e.State != chat.StateDone }); got.State != chat.StateStopped {
		d.t.Errorf("the turn ended as %+v", got)
	}
	look := write(b, "look")
	b.Until(`document.querySelectorAll("#stream .steps:not([data-running])").length >= 3 && document.getElementById("live").hidden`)
	if d.status().Chat == look {
		d.t.Error("the chat is still at work")
	}
	if got := len(e.read()); got != n {
		d.t.Errorf("%d characters more were typed after it had stopped", got-n)
	}
	if d.held() {
		d.t.Error("something is still held")
	}
}

func answeredNo(d *desk, b *webtest.Browser, e *editor) {
	was := e.read()
	b.Go(d.at("/"))
	id := write(b, sentence)
	b.Until(text("#stream .question.waiting h2") + ` === "Use Mousepad on your computer?"`)
	press(b, "#stream [data-choice=no]")
	b.Until(text("#stream .question.answered strong") + ` === "No"`)
	d.ended(id)
	b.Until(`document.querySelector("#stream [data-state=refused]") && document.getElementById("asking").hidden`)
	if e.read() != was {
		d.t.Error("it typed although the answer was no")
	}
}

// terminalColor is all that the terminal shows, so that no pixel of it can hide.
var terminalColor = color.RGBA{0xff, 0x00, 0xc8, 0xff}

func count(m *image.RGBA, c color.RGBA) (n int) {
	for i := 0; i < len(m.Pix); i += 4 {
		if m.Pix[i] == c.R && m.Pix[i+1] == c.G && m.Pix[i+2] == c.B {
			n++
		}
	}
	return n
}

// terminal wants a terminal kept away: said, not in the picture, and never clicked or typed into.
func terminal(d *desk, b *webtest.Browser) {
	if n := count(d.grab(), terminalColor); n < 1000 {
		d.t.Fatalf("only %d pixels of the terminal are on the screen", n)
	}
	b.Go(d.at("/"))
	id := write(b, "look then wait 2 then click 900,560 then type secret")
	if n := count(d.shot(id), terminalColor); n > 0 {
		d.t.Errorf("%d pixels of the terminal are in the picture", n)
	}
	d.ended(id)
	b.Until(`document.querySelector("#stream .steps:not([data-running]) [data-state=refused]")`)
	said := b.Eval(`document.getElementById("stream").textContent`)
	if !strings.Contains(said, "terminal") {
		d.t.Errorf("the chat doesn't say that it is a terminal: %s", said)
	}
	if strings.Contains(said, "Typed") {
		d.t.Error("it typed after it had been refused")
	}
	p := d.await(id, "a refused step", func(e chat.Event) bool { return e.Kind == chat.KindStepDone && e.State == chat.StateRefused })
	if p.Text != "Click" {
		d.t.Errorf("the refused step is called %q", p.Text)
	}
	if p.Rule != "kept-away" {
		d.t.Errorf("the step was refused by %q", p.Rule)
	}
}
