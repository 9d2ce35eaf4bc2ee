package computer

import (
	"context"
	"math"

	"conch/driver"
	"conch/driver/key"
	"conch/gateway/computer/policy"
	"conch/gateway/guard"
)

// seen is what the screen is like right before a step: read anew for each judgement.
type scene struct {
	windows []driver.Window
	kept    map[driver.WindowID]policy.Kept
}

func (c *Computer) scene(ctx context.Context) (scene, error) {
	ws, err := c.drv.Windows(ctx)
	if err != nil {
		return scene{}, err
	}
	return scene{ws, c.cfg.Own().KeptAmong(ws)}, nil
}

// at returns what is under a point.
func (s scene) at(p driver.ScreenPoint) target {
	if hit, ok := driver.At(s.windows, p); ok {
		for i, w := range s.windows {
			if w.ID == hit.ID {
				return targetOf(s.windows, i, s.kept)
			}
		}
	}
	return theDesktop
}

// app returns whose window id is; "" when it isn't there.
func (s scene) app(id driver.WindowID) driver.AppID {
	for i, w := range s.windows {
		if w.ID == id {
			return targetOf(s.windows, i, s.kept).app
		}
	}
	return ""
}

// along returns what a straight way touches: both ends, and every kept-away window on it.
func (s scene) along(from, to driver.ScreenPoint) []target {
	out := []target{s.at(from), s.at(to)}
	for i, w := range s.windows {
		if _, ok := s.kept[w.ID]; !ok {
			continue
		}
		for _, part := range w.Visible {
			if crosses(from, to, part) {
				out = append(out, targetOf(s.windows, i, s.kept))
				break
			}
		}
	}
	return out
}

// keys returns what keys would touch: the window that has them, and any kept-away one in front of it that may
// have taken them without being that window, as prompts and launchers do (a grab).
func (s scene) keys() []target {
	var out []target
	for i, w := range s.windows {
		if w.Focused {
			return append([]target{targetOf(s.windows, i, s.kept)}, out...)
		}
		switch k := s.kept[w.ID]; k.Kind {
		case policy.Prompt, policy.Launcher, policy.Lock, policy.Passwords:
			if len(w.Visible) > 0 {
				out = append(out, targetOf(s.windows, i, s.kept))
			}
		}
	}
	return out
}

// crosses says whether the way from a to b meets r, edges counted (Liang and Barsky's clipping).
func crosses(a, b driver.ScreenPoint, r driver.ScreenRect) bool {
	t0, t1 := 0.0, 1.0
	clip := func(d, low, high, at float64) bool {
		if d == 0 {
			return at >= low && at <= high
		}
		u, v := (low-at)/d, (high-at)/d
		if u > v {
			u, v = v, u
		}
		t0, t1 = math.Max(t0, u), math.Min(t1, v)
		return t0 <= t1
	}
	return clip(b.X-a.X, r.X, r.X+r.W, a.X) && clip(b.Y-a.Y, r.Y, r.Y+r.H, a.Y)
}

// gateFacts are the facts that need nothing of the screen.
func (c *Computer) gateFacts(t *turn, before int, a policy.Action) guard.Facts {
	holds, by := c.mayHold(t)
	return guard.Facts{
		Turn: c.cfg.Chats.Turn(t.chat), Kind: guard.Computer, On: c.cfg.Settings.On(), Name: "Use your apps",
		Step: guard.Step{Action: a, Holds: holds, HeldBy: by, Used: before, Limit: c.cfg.Steps},
	}
}

// appFacts adds what the person said about an app.
func (c *Computer) appFacts(f guard.Facts, chat string, tg target) guard.Facts {
	f.AppName = tg.name
	f.Always = tg.sure && c.cfg.Settings.Allowed(tg.app)
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.chats[chat]; s != nil {
		y, ok := s.yes[tg.app]
		f.YesHere, f.YesSince = ok, ok && y.since
	}
	return f
}

// refusedKey returns the first of a step's keys that is never pressed.
func refusedKey(act Action, on policy.Desktop) policy.Refusal {
	var chords []key.Chord
	switch a := act.(type) {
	case Keys:
		chords = a.Chords
	case Hold:
		chords = []key.Chord{a.Chord}
	case Screenshot, Click, Move, Drag, Button, Type, Scroll, Wait, Zoom, Cursor, Open, List, Find: // name no key
	}
	for _, ch := range chords {
		if r, never := policy.RefusedKey(ch, on); never {
			return r
		}
	}
	return policy.Refusal{}
}

// aims lists the points of a picture that a step names, and whether it names any.
func aims(act Action) (points []driver.PicPoint, any bool) {
	add := func(ps ...*driver.PicPoint) {
		for _, p := range ps {
			if p != nil {
				points = append(points, *p)
			}
		}
	}
	switch a := act.(type) {
	case Click:
		add(a.At)
	case Move:
		add(&a.At)
	case Drag:
		add(a.From, &a.To)
	case Button:
		add(a.At)
	case Scroll:
		add(a.At)
	case Zoom:
		return []driver.PicPoint{{X: a.Region.X0, Y: a.Region.Y0}, {X: a.Region.X1 - 1, Y: a.Region.Y1 - 1}}, true
	case Screenshot, Type, Keys, Hold, Wait, Cursor, Open, List, Find: // name no point
	}
	return points, len(points) > 0
}
