package fake

import (
	"image/color"
	"strconv"
	"strings"
	"time"

	"conch/driver"
)

// statement reads the rest of a line and returns what it does to the desk.
func (p *line) statement(verb string) func(*desk) {
	switch verb {
	case "display":
		return p.display()
	case "undisplay":
		id := p.need("a display")
		return func(d *desk) { d.unplug(id) }
	case "window":
		return p.window()
	case "close", "front", "back", "focus", "repaint":
		id := p.id()
		return func(d *desk) { d.arrange(verb, id) }
	case "move":
		return p.move()
	case "title":
		id, title := p.id(), p.quoted("a title")
		return func(d *desk) { d.edit(id, func(w *window) { w.Title = title }) }
	case "label":
		name, label := p.need("a control"), p.quoted("a label")
		return func(d *desk) {
			if w, c := d.find(name); c != nil {
				c.label = label
				d.touched(w)
			}
		}
	case "keys":
		name := p.need("a control")
		return func(d *desk) { d.giveKeys(name) }
	case "color":
		id, c := p.id(), p.color()
		return func(d *desk) { d.edit(id, func(w *window) { w.fill = c }) }
	case "draws":
		id, t := p.id(), p.duration()
		return func(d *desk) { d.edit(id, func(w *window) { w.draws = t }) }
	case "app":
		return p.app()
	case "pointer":
		at := p.point()
		return func(d *desk) { d.pointer = at }
	case "unready":
		return p.unready()
	case "ready":
		return func(d *desk) { d.unready = nil; d.changed = true }
	case "slow", "hang", "fail", "fine":
		return p.fault(verb)
	case "person":
		return p.person()
	}
	p.fail("“%s” isn't something a screen can do", verb)
	return nil
}

func (p *line) display() func(*desk) {
	v := driver.Display{ID: p.need("a display's id"), Scale: 1}
	v.Bounds.W, v.Bounds.H = p.size()
	v.Name = v.ID
	placed := false
	for !p.done() {
		switch w := p.word(); {
		case strings.HasPrefix(w, "@"):
			s, err := strconv.ParseFloat(w[1:], 64)
			if err != nil || !(s >= 0.25 && s <= 8) {
				p.fail("a scale is written as @2, between 0.25 and 8, not as “%s”", w)
			}
			v.Scale = s
		case w == "at":
			at := p.point()
			v.Bounds.X, v.Bounds.Y, placed = at.X, at.Y, true
		case w == "main":
			v.Main = true
		case w == "name":
			v.Name = p.quoted("a name")
		default:
			p.fail("“%s” says nothing about a display", w)
		}
	}
	return func(d *desk) { d.plug(v, placed) }
}

func (p *line) window() func(*desk) {
	var set window
	set.ID, set.Title = p.id(), p.quoted("a title")
	set.App = driver.AppID(p.need("an app"))
	set.AppName, set.Class, set.Role = lastPart(string(set.App)), lastPart(string(set.App)), "normal"
	set.Instance = strings.ToLower(set.Class)
	set.PID = 1000 + int(set.ID)
	set.Exe = "/usr/bin/" + set.Instance
	set.Bounds = p.rect()
	place := ""
	for !p.done() {
		switch w := p.word(); w {
		case "front", "back":
			place = w
		case "name":
			set.AppName = p.quoted("a name")
		case "pid":
			set.PID = p.int()
		case "exe":
			set.Exe = p.need("a path")
		case "class":
			set.Class = p.need("a class")
		case "instance":
			set.Instance = p.need("an instance")
		case "role":
			set.Role = p.need("a role")
		case "for":
			set.Transient = p.id()
		case "ours":
			set.ours = true
		case "through":
			set.through = true
		case "color":
			set.fill = p.color()
		case "draws":
			set.draws = p.duration()
		case "{":
			set.controls = p.controls()
		default:
			p.fail("“%s” says nothing about a window", w)
		}
	}
	return func(d *desk) { d.show(set, place) }
}

func lastPart(id string) string { return id[strings.LastIndexByte(id, '.')+1:] }

func (p *line) color() *color.RGBA {
	w := p.need("a color")
	n, err := strconv.ParseUint(w, 16, 32)
	if err != nil || len(w) != 6 {
		p.fail("a color is written as ff8800, not as “%s”", w)
	}
	return &color.RGBA{R: byte(n >> 16), G: byte(n >> 8), B: byte(n), A: 255}
}

func (p *line) controls() []*control {
	var out []*control
	for {
		switch w := p.need("“}”"); w {
		case "":
			return nil // failed
		case "}":
			return out
		case ";":
		case "field":
			out = append(out, p.field())
		case "button":
			c := &control{role: "button"}
			c.name, c.label, c.bounds = p.need("a name"), p.quoted("a label"), p.rect()
			c.standard, c.focused = p.is("default"), p.is("focused")
			out = append(out, c)
		case "control":
			c := &control{role: p.need("a role")}
			c.name, c.label, c.bounds = p.need("a name"), p.quoted("a label"), p.rect()
			c.focused = p.is("focused")
			out = append(out, c)
		default:
			p.fail("“%s” isn't a control", w)
		}
	}
}

func (p *line) field() *control {
	c := &control{role: "textbox", name: p.need("a name"), bounds: p.rect()}
	for !p.done() {
		switch p.words[0] {
		case "label":
			p.word()
			c.label = p.quoted("a label")
		case "text":
			p.word()
			c.text = p.quoted("a text")
		case "secure":
			p.word()
			c.secure = true
		case "lines":
			p.word()
			c.lines = true
		case "focused":
			p.word()
			c.focused = true
		default:
			return c
		}
	}
	return c
}

func (p *line) move() func(*desk) {
	id, at := p.id(), p.point()
	var w, h float64
	if !p.done() {
		w, h = p.size()
	}
	return func(d *desk) {
		d.edit(id, func(win *window) {
			if w == 0 {
				win.moveTo(at.X, at.Y, win.Bounds.W, win.Bounds.H)
			} else {
				win.moveTo(at.X, at.Y, w, h)
			}
		})
	}
}

func (p *line) app() func(*desk) {
	a := driver.App{ID: driver.AppID(p.need("an app's id")), Name: p.quoted("a name")}
	for !p.done() {
		switch w := p.word(); w {
		case "exe":
			a.Exe = p.need("a path")
		case "also":
			a.Also = append(a.Also, p.quoted("another name"))
		default:
			p.fail("“%s” says nothing about an app", w)
		}
	}
	return func(d *desk) { d.install(a) }
}

var reasons = map[string]driver.Unready{
	"unknown":    {Why: driver.WhyUnknown, Say: "The screen can't be used.", Next: "Try again in a moment."},
	"nodisplay":  {Why: driver.WhyNoDisplay, Say: "There is no screen here.", Next: "Start Conch from a desktop."},
	"wayland":    {Why: driver.WhyWayland, Say: "This is a Wayland session.", Next: "Log in to an X11 session."},
	"locked":     {Why: driver.WhyLocked, Say: "The screen is locked.", Next: "Unlock it, then ask again."},
	"asleep":     {Why: driver.WhyAsleep, Say: "The screen is asleep.", Next: "Wake it, then ask again."},
	"lost":       {Why: driver.WhyLost, Say: "The screen is gone.", Next: "Start Conch again."},
	"permission": {Why: driver.WhyPermission, Say: "A permission is missing.", Next: "Turn it on in Settings."},
}

func (p *line) unready() func(*desk) {
	why := p.need("a reason")
	u, ok := reasons[why]
	if !ok {
		p.fail("“%s” isn't a reason", why)
	}
	if s := p.quotedIf(); s != "" {
		u.Say, u.Next = s, p.quotedIf()
	}
	return func(d *desk) { d.unready = &u; d.changed = true }
}

var methods = map[string]bool{
	"ready": true, "begin": true, "end": true, "displays": true, "look": true, "windows": true, "pointer": true,
	"control": true, "focus": true, "secrets": true, "find": true, "move": true, "button": true, "scroll": true, "key": true, "text": true, "answers": true, "apps": true, "open": true, "release": true,
}

// fault is how a method misbehaves.
type fault struct {
	slow time.Duration
	hang bool
	fail string
}

func (p *line) fault(verb string) func(*desk) {
	method := p.need("a method")
	if !methods[method] {
		p.fail("“%s” isn't a method of a driver", method)
	}
	var f fault
	switch verb {
	case "slow":
		f.slow = p.duration()
	case "hang":
		f.hang = true
	case "fail":
		f.fail = p.quoted("the words")
	}
	return func(d *desk) { d.faults[method] = f }
}

func (p *line) person() func(*desk) {
	switch p.need("what the person does") {
	case "holds":
		return func(d *desk) { d.personHolds = true }
	case "lets":
		if p.is("go") {
			return func(d *desk) { d.personHolds = false }
		}
	}
	p.fail("a person holds or lets go")
	return nil
}
