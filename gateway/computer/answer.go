package computer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"conch/driver"
	"conch/driver/raster"
	"conch/gateway/computer/policy"
	"conch/gateway/tool"
)

// answer waits until the screen is still, looks, and puts what was done and what is seen into words.
func (s *step) answer(ctx context.Context, o outcome) tool.Result {
	c := s.c
	still := true
	if o.acted {
		var err error
		if still, err = s.settle(ctx, o.change); err != nil {
			return s.unseen(ctx, o, err)
		}
	}
	if s.blind && (s.seen || o.find == nil && !o.cursor) { // what these two answer is in a picture
		return s.unlooked(ctx, o, still)
	}
	if o.acted || s.t.unseen != nil {
		if err := s.dry(ctx); err != nil {
			return s.unseen(ctx, o, err)
		}
	}
	if o.zoom != nil {
		return s.zoomed(ctx, o)
	}
	shot, err := s.shot(ctx, "", driver.ScreenRect{})
	if err != nil {
		return s.unseen(ctx, o, err)
	}
	pic, kept, err := c.picture(ctx, shot)
	if err != nil {
		return s.unseen(ctx, o, err)
	}
	sh, err := c.pixels.encode(pic)
	if err != nil {
		return s.unseen(ctx, o, err)
	}
	if !s.show(pic.Frame, sh, o.ripple) {
		return failed(stoppedSay(o.acted))
	}
	text := []string{o.say}
	data := o.data
	switch {
	case o.find != nil:
		var say string
		if say, data, err = s.controls(ctx, *o.find, pic, kept); err != nil {
			return s.fail(ctx, err)
		}
		text[0] = say
	case o.cursor:
		text[0] = s.cursor(ctx, pic.Frame)
	}
	text = append(text, s.keptSay(pic, kept)...)
	if !still {
		text = append(text, stillChanging)
	}
	if _, first := s.act.(Screenshot); first || s.frame != pic.Frame {
		text = append(text, fmt.Sprintf("The picture is %d by %d pixels.", pic.W, pic.H))
	}
	p := sh.picture
	p.Same, s.t.given = s.t.given == sh, sh
	return tool.Result{Text: strings.Join(text, " "), Data: data, Picture: &p}
}

const stillChanging = "The screen is still changing."

// unlooked answers a step whose picture nobody looks at: in words alone. Points stay those of the last picture.
func (s *step) unlooked(ctx context.Context, o outcome, still bool) tool.Result {
	c := s.c
	if o.acted && s.t.unseen == nil {
		s.t.unseen = s.windows
	}
	say, data := o.say, o.data
	switch {
	case o.zoom != nil, s.act == Action(Screenshot{}):
		say = "No picture was asked for."
	case o.find != nil:
		sc, err := c.scene(ctx)
		if err == nil {
			say, data, err = s.controls(ctx, *o.find, &driver.Picture{Frame: s.frame, Windows: sc.windows}, sc.kept)
		}
		if err != nil {
			return s.fail(ctx, err)
		}
	case o.cursor:
		say = s.cursor(ctx, s.frame)
	}
	c.mu.Lock()
	over := s.t.ending
	if !over && s.t.picture != nil {
		s.t.ripple = o.ripple
	}
	c.mu.Unlock()
	if over {
		return failed(stoppedSay(o.acted))
	}
	c.cfg.OnLive(s.t.chat)
	if !still {
		say += " " + stillChanging
	}
	return tool.Result{Text: say, Data: data}
}

// dry waits until what the step opened can be seen whole, where that takes longer than the screen to be still.
func (s *step) dry(ctx context.Context) error {
	was := s.windows
	if s.t.unseen != nil {
		was, s.t.unseen = s.t.unseen, nil
	}
	sc, err := s.c.scene(ctx)
	if err != nil || len(sc.kept) == 0 || sameLayout(was, sc.windows) {
		return err
	}
	t := time.NewTimer(s.c.cfg.Dry)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func sameLayout(a, b []driver.Window) bool {
	return slices.EqualFunc(a, b, func(v, w driver.Window) bool { return v.ID == w.ID && v.Bounds == w.Bounds })
}

// show makes a picture the latest one of its chat, unless the turn has ended since.
func (s *step) show(f driver.Frame, sh *shown, ripple *driver.PicPoint) bool {
	c := s.c
	c.mu.Lock()
	over := s.t.ending
	if !over {
		s.t.picture, s.t.ripple = sh, ripple
	}
	c.mu.Unlock()
	if over {
		c.pixels.drop()
		return false
	}
	c.changeSession(s.t.chat, func(k *session) { k.frame, k.seen = f, true })
	c.cfg.OnLive(s.t.chat)
	return true
}

// zoomed answers with a part of the screen in its own pixels. The chat's last picture stays what points are in.
func (s *step) zoomed(ctx context.Context, o outcome) tool.Result {
	shot, err := s.shot(ctx, s.frame.Display.ID, *o.zoom)
	if err != nil {
		return s.unseen(ctx, o, err)
	}
	pic, kept, err := s.c.picture(ctx, shot)
	if err != nil {
		return s.unseen(ctx, o, err)
	}
	p, err := s.c.pixels.to(pic)
	raster.Free(pic.Pix)
	if err != nil {
		return s.unseen(ctx, o, err)
	}
	front, others := keptIn(pic, kept)
	text := []string{o.say}
	if names := strings.Trim(front+", "+others, ", "); names != "" {
		text = append(text, "Painted over: "+names+".")
	}
	text = append(text, "Points stay those of the whole picture.")
	s.t.given = nil // what comes next is the whole screen again
	return tool.Result{Text: strings.Join(text, " "), Picture: &p}
}

// unseen is a step that was done and then not seen.
func (s *step) unseen(ctx context.Context, o outcome, err error) tool.Result {
	r := s.fail(ctx, err)
	if o.acted && o.say != "" && ctx.Err() == nil {
		const but = " But I couldn't look afterwards: "
		s.told = o.say + but + errorTold(err, false)
		r.Text = o.say + but + r.Text
	}
	return r
}

// cursor says where the pointer is in the picture just taken.
func (s *step) cursor(ctx context.Context, f driver.Frame) string {
	at, err := s.c.drv.Pointer(ctx)
	if err != nil {
		return "I can't tell where the pointer is."
	}
	p, in := f.Pixel(at)
	if !in {
		return "The pointer is outside the picture, on another display."
	}
	p = s.pointFor(p, f)
	return fmt.Sprintf("The pointer is at %d,%d.", p.X, p.Y)
}

// control is a found control as a program reads it; its point is in the picture of the same answer.
type control struct {
	Role string `json:"role"`
	Name string `json:"name"`
	X    int    `json:"x"`
	Y    int    `json:"y"`
}

// controls finds controls by name in what the picture shows. Nothing of a kept-away window is ever among them.
func (s *step) controls(ctx context.Context, a Find, pic *driver.Picture, kept map[driver.WindowID]policy.Kept) (string, []byte, error) {
	var out []control
	front, ok := driver.Focused(pic.Windows)
	if _, away := kept[front.ID]; !ok || !away {
		found, err := s.c.drv.Find(ctx, string(a.Name))
		if err != nil && !errors.Is(err, driver.ErrNoControl) {
			return "", nil, err
		}
		// Windows may have moved since the picture: what is kept away now counts as well.
		now, err := s.c.scene(ctx)
		if err != nil {
			return "", nil, err
		}
		for _, f := range found {
			if c, ok := place1(f, pic, kept, now); ok {
				at := s.pointFor(driver.PicPoint{X: c.X, Y: c.Y}, pic.Frame)
				c.X, c.Y = at.X, at.Y
				out = append(out, c)
			}
		}
	}
	data, err := json.Marshal(map[string][]control{"controls": append([]control{}, out...)})
	return foundSay(out), data, err
}

// place1 gives a control its point in the picture, when it can be seen there and its window may be.
func place1(f driver.Control, pic *driver.Picture, kept map[driver.WindowID]policy.Kept, now scene) (control, bool) {
	mid := driver.ScreenPoint{X: f.Bounds.X + f.Bounds.W/2, Y: f.Bounds.Y + f.Bounds.H/2}
	p, in := pic.Pixel(mid)
	if !in || f.Bounds.Empty() {
		return control{}, false
	}
	for _, sc := range []scene{{pic.Windows, kept}, now} {
		if _, away := sc.kept[f.Window]; away {
			return control{}, false
		}
		under := sc.at(mid)
		if under.touch.Kept.Kind != policy.NotKept || f.Window != 0 && under.window != f.Window && under.app != sc.app(f.Window) {
			return control{}, false // a menu is a window of its own, so the same app will do
		}
	}
	return control{plain(f.Role), plain(f.Name), p.X, p.Y}, true
}

// LogValue keeps a call's controls out of logs.
func (control) LogValue() slog.Value { return slog.StringValue(hidden) }

// keptSay says which kept-away windows the picture would have shown: the one in front each time, the others when
// they are others than last time.
func (s *step) keptSay(pic *driver.Picture, kept map[driver.WindowID]policy.Kept) []string {
	front, others := keptIn(pic, kept)
	var out []string
	if front != "" {
		out = append(out, front+" is in front; I can't see it.")
	}
	_, asked := s.act.(Screenshot)
	before := ""
	s.c.changeSession(s.t.chat, func(k *session) { before, k.painted = k.painted, others })
	if others != "" && (asked || others != before) {
		out = append(out, "Painted over: "+others+".")
	}
	return out
}

// keptIn names the kept-away window in front and the others that a picture would have shown.
func keptIn(pic *driver.Picture, kept map[driver.WindowID]policy.Kept) (front, others string) {
	var names []string
	top := true
	for _, w := range pic.Windows {
		if k, away := kept[w.ID]; away && slices.Contains(pic.Covered, w.ID) {
			name := keptName(k, w)
			if front == "" && (top || w.Focused) {
				front = name
			} else if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if w.Role != "dock" && w.Role != "notification" {
			top = false
		}
	}
	return front, strings.Join(names, ", ")
}

// keptName names a kept-away window for a person, never by its title.
func keptName(k policy.Kept, w driver.Window) string {
	if k.By == "title" {
		if app := plain(w.AppName); app != "" {
			return "A window of " + app
		}
		return "A window"
	}
	return k.Name
}
