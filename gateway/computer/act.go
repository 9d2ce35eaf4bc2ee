package computer

import (
	"context"
	"errors"
	"time"

	"github.com/rivo/uniseg"

	"conch/driver"
	"conch/driver/gesture"
	"conch/gateway/computer/policy"
	"conch/gateway/guard"
)

// carryOut does a step: a look needs no yes; all else is permitted first, and guarded up to its last event.
func (s *step) carryOut(ctx context.Context) (outcome, error) {
	k := s.c.session(s.t.chat)
	s.frame, s.seen = k.frame, k.seen
	switch a := s.act.(type) {
	case Open:
		return s.open(ctx, a)
	case Zoom:
		return s.zoom(ctx, a)
	default: // looks, or is one gesture
	}
	if policy.ReachOf(s.act.Word()) == policy.Looks {
		return s.look(ctx)
	}
	p, err := s.permit(ctx, nil)
	if err != nil {
		return outcome{}, err
	}
	name := p.targets[len(p.targets)-1].name
	if len(p.points) < 2 {
		name = p.targets[0].name
	}
	if err := s.light(ctx, doingSay(s.act, name), name); err != nil {
		return outcome{}, err
	}
	o := outcome{acted: true, change: s.changes(ctx), target: p.targets[0]}
	o.say, err = s.gesture(ctx, p, name)
	o.say = s.noteUnread(o.say, p)
	if at, ok := ripple(s.act, p.points); ok && err == nil {
		if px, in := s.frame.Pixel(at); in && s.seen {
			o.ripple = &px
		}
	}
	return o, err
}

// gesture sends the input of a step and says what was done.
func (s *step) gesture(ctx context.Context, p place, name string) (string, error) {
	d, g := s.c.drv, s.guard(p, nil)
	s.noteTyped()
	var err error
	switch a := s.act.(type) {
	case Click:
		err = gesture.Click(ctx, d, p.points[0], a.Button, a.Times, a.Mods, g)
	case Move:
		err = gesture.Move(ctx, d, p.points[len(p.points)-1], g)
	case Drag:
		err = gesture.Drag(ctx, d, p.points[0], p.points[1], driver.Left, a.Mods, g)
	case Button:
		err = s.button(ctx, a, p, g)
	case Scroll:
		err = gesture.Scroll(ctx, d, p.points[0], a.DX, a.DY, a.Mods, g)
	case Hold:
		err = gesture.Hold(ctx, d, a.Chord, a.For, g)
	case Keys:
		err = s.press(ctx, a, p)
	case Type:
		n, err := s.write(ctx, a, p)
		return typedSay(n, name), err
	case Screenshot, Wait, Zoom, Cursor, Open, List, Find: // make no event, and were carried out before
	}
	return didSay(s.act, name), err
}

func (s *step) button(ctx context.Context, a Button, p place, g gesture.Guard) error {
	var at *driver.ScreenPoint
	if a.At != nil {
		at = &p.points[len(p.points)-1]
	}
	if a.Down {
		err := gesture.MouseDown(ctx, s.c.drv, at, driver.Left, g)
		s.t.down, s.t.lifts = err == nil, s.yes
		return err
	}
	err := gesture.MouseUp(ctx, s.c.drv, at, driver.Left, g)
	s.t.down, s.t.lifts = false, pressed{} // an error has let go of it too
	return err
}

// press presses the chords one after another, all of them as often as asked. Each that may press a button is
// permitted by itself: the ones before it may have moved the keys.
func (s *step) press(ctx context.Context, a Keys, p place) error {
	if len(a.Chords) == 1 && a.Repeat > 1 {
		if enter, space := activates(a, nil); !enter && !space {
			return gesture.Press(ctx, s.c.drv, a.Chords[0], a.Repeat, s.guard(p, nil))
		}
	}
	first := true
	for range a.Repeat {
		for _, ch := range a.Chords {
			s.part = &part{chord: ch}
			if err := s.partly(ctx, &p, first); err != nil {
				return err
			}
			if err := gesture.Press(ctx, s.c.drv, ch, 1, s.guard(p, nil)); err != nil {
				return err
			}
			s.yes, first = pressed{}, false
		}
	}
	return nil
}

// write types text piece by piece; what a Return or a space would press is permitted by itself.
func (s *step) write(ctx context.Context, a Type, p place) (typed int, err error) {
	all := pieces(string(a.Text))
	for i, text := range all {
		s.part = &part{text: text}
		err := s.partly(ctx, &p, i == 0)
		n := 0
		if err == nil {
			n, err = gesture.Type(ctx, s.c.drv, text, s.guard(p, nil))
			typed += n
			if short, ok := errors.AsType[*gesture.ShortError](err); ok {
				err = short.Err
			} else if err == nil {
				s.yes = pressed{}
				continue
			}
		}
		return typed, &gesture.ShortError{Typed: typed, Asked: uniseg.GraphemeClusterCount(string(a.Text)), Err: err}
	}
	return typed, nil
}

// partly permits one part of a step that has several, where it may press a button. It goes where the first part
// went.
func (s *step) partly(ctx context.Context, p *place, first bool) error {
	if enter, space := activates(s.act, s.part); first || !enter && !space {
		return nil
	}
	now, err := s.permit(ctx, nil)
	if err != nil {
		return err
	}
	if !sameTargets(s.act, p.targets, now.targets) {
		return errBetween
	}
	*p = now
	return nil
}

// ripple is where the last click of a step was.
func ripple(act Action, points []driver.ScreenPoint) (driver.ScreenPoint, bool) {
	switch act.(type) {
	case Click, Drag, Button:
		return points[len(points)-1], true
	default:
		return driver.ScreenPoint{}, false
	}
}

// look does a step that changes nothing.
func (s *step) look(ctx context.Context) (outcome, error) {
	_, v, err := s.judge(ctx, nil, nil, nil)
	if err != nil {
		return outcome{}, err
	}
	if v.Do != guard.Allow {
		return outcome{}, refusal(v)
	}
	if err := s.light(ctx, doingSay(s.act, ""), ""); err != nil {
		return outcome{}, err
	}
	switch a := s.act.(type) {
	case Wait:
		t := time.NewTimer(a.For)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return outcome{}, ctx.Err()
		}
		return outcome{say: didSay(a, "")}, nil
	case List:
		return s.list(ctx, a)
	case Find:
		return outcome{find: &a}, nil
	case Cursor:
		return outcome{cursor: true}, nil
	default:
		return outcome{say: didSay(s.act, "")}, nil
	}
}

// zoom looks at a part of the chat's last picture.
func (s *step) zoom(ctx context.Context, a Zoom) (outcome, error) {
	_, v, err := s.judge(ctx, nil, nil, nil)
	if err != nil {
		return outcome{}, err
	}
	if v.Do != guard.Allow {
		return outcome{}, refusal(v)
	}
	part, err := s.frame.Part(a.Region)
	if err != nil {
		return outcome{}, err
	}
	if err := s.light(ctx, doingSay(a, ""), ""); err != nil {
		return outcome{}, err
	}
	return outcome{say: didSay(a, ""), zoom: &part}, nil
}

// changes is how often the screen has changed so far.
func (s *step) changes(ctx context.Context) uint64 { return s.c.changesNow(ctx) }

func (c *Computer) changesNow(ctx context.Context) uint64 {
	now, cancel := context.WithCancel(ctx)
	cancel() // a driver answers an ended context with the count so far
	n, _ := c.drv.Changed(now, 0)
	return n
}

// settle waits until the screen is still after input was sent, and says whether it is.
func (s *step) settle(ctx context.Context, since uint64) (still bool, err error) {
	still, _, err = gesture.SettleAfter(ctx, s.c.drv, since, s.c.cfg.First, s.c.cfg.Quiet, s.c.cfg.Cap)
	return still, err
}
