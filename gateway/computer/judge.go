package computer

import (
	"context"
	"slices"

	"conch/driver"
	"conch/driver/gesture"
	"conch/gateway/ask"
	"conch/gateway/computer/policy"
	"conch/gateway/guard"
)

// place is where a step goes on the screen, worked out anew for each judgement.
type place struct {
	points  []driver.ScreenPoint // what the step's points are; one, or from and to
	targets []target             // all that it would touch, nearest first
	press   pressed              // what it would press or type into
	into    driver.Into          // where its next event may land: nowhere, when none was asked about
}

// judge reads the screen and judges the step on what is there now. Right before each event it is asked again,
// so nothing is remembered from one time to the next but what the person answered and, once the step has
// begun, the points that it goes to.
func (s *step) judge(ctx context.Context, app *driver.App, fixed []driver.ScreenPoint, next *driver.ScreenPoint) (place, guard.Verdict, error) {
	f := s.gateFacts()
	if v, refused := s.gate(f); refused {
		return place{}, v, nil
	}
	pics, any := aims(s.act)
	f.Aims, f.Seen = any, s.seen
	if any && s.seen {
		now, err := s.c.drv.Displays(ctx)
		if err != nil {
			return place{}, guard.Verdict{}, err
		}
		f.Fresh = s.frame.Check(now) == nil
	}
	if f.Aims && !(f.Seen && f.Fresh) {
		v := guard.Decide(f)
		s.rule = v.Rule
		return place{}, v, nil
	}
	p, err := s.locate(ctx, pics, app, fixed, next)
	if err != nil {
		return place{}, guard.Verdict{}, err
	}
	for _, t := range p.targets {
		f.Touches = append(f.Touches, t.touch)
	}
	if p.press, err = s.pressing(ctx, p, next); err != nil {
		return place{}, guard.Verdict{}, err
	}
	f.Protected = f.Protected || p.press.own
	f.Secure, f.Stakes, f.YesStakes = p.press.secure, p.press.stakes, s.allowed(p.press)
	v := guard.Decide(f)
	for _, t := range p.targets { // each app has its own yes; the first that hasn't decides
		if v = guard.Decide(s.c.appFacts(f, s.t.chat, t)); v.Do != guard.Allow {
			break
		}
	}
	s.rule = v.Rule
	if v.Do == guard.Refuse && len(p.targets) > 0 {
		s.app = p.targets[0].name
	}
	return p, v, nil
}

// locate says where a step goes and what it would touch there. next is where its next event goes, of those that go to
// a point.
func (s *step) locate(ctx context.Context, pics []driver.PicPoint, app *driver.App, fixed []driver.ScreenPoint, next *driver.ScreenPoint) (p place, err error) {
	for _, pic := range pics {
		at, err := s.frame.Place(pic)
		if err != nil {
			return p, err
		}
		p.points = append(p.points, at)
	}
	switch policy.ReachOf(s.act.Word()) {
	case policy.Opens:
		if app != nil {
			p.targets = []target{targetOfApp(*app)}
		}
		return p, nil
	case policy.Looks, policy.ReachUnknown:
		return p, nil
	}
	sc, err := s.c.scene(ctx)
	if err != nil {
		return p, err
	}
	if fixed == nil {
		s.windows = sc.windows
	}
	if policy.ReachOf(s.act.Word()) == policy.Keys {
		if p.targets = sc.keys(); len(p.targets) > 0 {
			p.into = driver.IntoWindow(p.targets[0].window)
		}
		return p, nil
	}
	if fixed != nil {
		p.points = fixed
	} else if from, travels, err := s.from(ctx, len(p.points)); err != nil {
		return p, err
	} else if travels {
		p.points = append([]driver.ScreenPoint{from}, p.points...)
	}
	p.targets = []target{sc.at(p.points[0])}
	if len(p.points) == 2 {
		p.targets = sc.along(p.points[0], p.points[1])
	}
	if next != nil {
		s.lands(sc, &p, *next)
	}
	return p, nil
}

// lands says into what an event at a point may go. Where the pointer isn't what the step was judged for, since the
// person has moved it, that counts as touched too; the way of a drag was judged as a whole.
func (s *step) lands(sc scene, p *place, at driver.ScreenPoint) {
	under := sc.at(at)
	p.into = driver.IntoWindow(under.window)
	if _, way := s.act.(Drag); !way && !slices.Contains(p.points, at) {
		p.targets = append(p.targets, under)
	}
}

// from says whether a step begins where the pointer is: one without a point does, and so does one that moves
// with the button down.
func (s *step) from(ctx context.Context, points int) (at driver.ScreenPoint, travels bool, err error) {
	switch s.act.(type) {
	case Drag:
		travels = points == 1
	case Move, Button:
		travels = points == 0 || s.t.down
	default:
		travels = points == 0
	}
	if !travels {
		return at, false, nil
	}
	at, err = s.c.drv.Pointer(ctx)
	return at, true, err
}

// maxQuestions bounds the questions of one step: a way has two ends, and each may be asked about again when
// the screen or the chat changed while the person was thinking.
const maxQuestions = 8

// permit judges a step and asks the person where it must, until it may go ahead or is refused. What was true
// when the question was put is read again after the answer.
func (s *step) permit(ctx context.Context, app *driver.App) (place, error) {
	var asked *place // what the person was asked about pressing: nothing else is pressed by that answer
	for range maxQuestions {
		p, v, err := s.judge(ctx, app, nil, nil)
		switch {
		case err != nil:
			return p, err
		case v.Do == guard.Refuse:
			return p, refusal(v)
		case asked != nil && !sameTargets(s.act, asked.targets, p.targets):
			return p, errBetween
		case asked != nil && !asked.press.same(p.press):
			return p, mustBe(asked.press, p.press)
		case v.Do == guard.Allow:
			return p, nil
		}
		t, ok := s.unanswered(p.targets)
		switch {
		case ok:
			err = s.ask(ctx, t, v)
		case p.press.stakes != (guard.Stakes{}):
			err, asked = s.askStakes(ctx, p, v), &p
		default:
			err = refusal(v)
		}
		if err != nil {
			return p, err
		}
	}
	return place{}, &sayError{
		say:  "Too many questions for one step, so I stopped. Take a screenshot and look again.",
		told: "Too many questions for one step, so I stopped.",
	}
}

// unanswered finds the first app that a question is to be asked about.
func (s *step) unanswered(ts []target) (target, bool) {
	for _, t := range ts {
		f := s.c.appFacts(s.gateFacts(), s.t.chat, t)
		f.Seen, f.Fresh, f.Touches = true, true, []guard.Touch{t.touch}
		if guard.Decide(f).Do == guard.Ask {
			return t, true
		}
	}
	return target{}, false
}

// ask asks the person about one app, and keeps a yes with the chat.
func (s *step) ask(ctx context.Context, t target, v guard.Verdict) error {
	c := s.c
	since := c.cfg.Chats.Turn(s.t.chat).ReadOutside // what it read while the person was thinking is not covered
	s.app = t.name
	spoke := s.spoke
	s.doing("Asking whether I may use "+t.name, true)
	s.spoke = spoke // asking isn't the step itself
	answered := s.t.person.asking()
	choice := c.cfg.Asker.Put(ctx, ask.Question{
		Chat: s.t.chat, Turn: s.t.id, Title: "Use " + t.name + " on your computer?", Why: v.Say, App: t.name, Same: "use " + string(t.app),
		Always: t.sure && !c.cfg.Settings.Allowed(t.app),
		Keep:   func() error { return c.cfg.Settings.Allow(t.app, t.name) },
	})
	answered()
	if err := ctx.Err(); err != nil {
		return err
	}
	if choice != ask.Once && choice != ask.Always {
		return &sayError{
			say:  "The person didn't allow using " + t.name + ". Don't try again unless they ask for it.",
			told: "You didn't allow using " + t.name + ".",
		}
	}
	c.changeSession(s.t.chat, func(k *session) { k.yes[t.app] = yes{since: since} })
	return nil
}

// guard is asked right before each event: the step is judged again, and what it touches must be what it was
// to touch. A window that came in between is never clicked or typed into.
func (s *step) guard(was place, app *driver.App) gesture.Guard {
	return func(ctx context.Context, next *driver.ScreenPoint) (driver.Into, error) {
		now, v, err := s.judge(ctx, app, was.points, next)
		if _, presses := s.pressesAt(was.points, next); !presses && policy.ReachOf(s.act.Word()) == policy.Points {
			now.press = was.press // it wasn't asked
		}
		switch {
		case err != nil:
			return driver.Into{}, err
		case v.Do == guard.Refuse:
			return driver.Into{}, refusal(v)
		case !was.press.same(now.press) && sameTargets(s.act, was.targets, now.targets):
			return driver.Into{}, mustBe(was.press, now.press)
		case v.Do != guard.Allow, !sameTargets(s.act, was.targets, now.targets):
			return driver.Into{}, errBetween
		}
		return now.into, nil
	}
}

// errBetween is why a step stops when what it touches isn't what it was to touch.
var errBetween = &sayError{
	say:  "Another window came in between, so I stopped. Take a screenshot and look again.",
	told: "Another window came in between, so I stopped.",
}

// sameTargets says whether a step still touches what it was judged for: text the very window it began in, as
// the rest of a sentence must not land elsewhere; other keys and the mouse the same apps.
func sameTargets(act Action, was, now []target) bool {
	_, text := act.(Type)
	if len(was) == 0 || len(now) == 0 {
		return len(was) == len(now)
	}
	if text {
		return was[0].app == now[0].app && was[0].window == now[0].window
	}
	for _, n := range now {
		known := false
		for _, w := range was {
			known = known || w.app == n.app
		}
		if !known {
			return false
		}
	}
	return true
}
