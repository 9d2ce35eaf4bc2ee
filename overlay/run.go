package overlay

import "context"

// asked is one thing that a method wants of the runner.
type asked struct {
	event Event
	reply chan error // nil when nobody waits; has room for one
}

// showing is one call of the Painter. It runs beside the runner, so that a press of Stop is acted on at once
// however long a painting takes.
type showing struct {
	turn   string // "" when it clears
	scene  Scene
	cancel context.CancelFunc
	tell   []chan error // who waits for the screen to be clear
}

func (o *Overlay) run() {
	defer close(o.done)
	var painter, keys <-chan Event
	if o.c.Painter != nil {
		painter = o.c.Painter.Events()
	}
	if o.c.Keys != nil {
		keys = o.c.Keys.Events()
	}
	closed := false
	for !closed || o.busy != nil {
		select {
		case e := <-painter:
			o.apply(e)
		case e := <-keys:
			o.apply(e)
		case err := <-o.finished:
			o.shown(err)
		case <-o.wake:
			queue, closing := o.take()
			for _, a := range queue {
				o.serve(a)
			}
			if closing && !closed {
				closed = true
				o.apply(Closed{})
			}
		}
		o.settle()
	}
}

func (o *Overlay) take() (queue []asked, closing bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	queue, o.queue = o.queue, nil
	return queue, o.closing
}

func (o *Overlay) serve(a asked) {
	lit := o.m.Turn
	if e, ok := a.event.(Began); ok {
		o.waiting = append(o.waiting, a)
		if e.Turn != lit && !o.lookAround() {
			return
		}
	}
	o.apply(a.event)
	if e, ok := a.event.(Ended); ok {
		switch last := o.last(); {
		case e.Turn == lit && last != nil:
			last.tell = append(last.tell, a.reply)
		default:
			a.reply <- nil
		}
	}
}

// lookAround asks what screens there are: a desktop that changed while nothing was lit is seen afresh.
func (o *Overlay) lookAround() bool {
	ctx, cancel := o.limit()
	defer cancel()
	s, err := o.c.Painter.Screens(ctx)
	if err != nil {
		o.m.Fault = err
		return false
	}
	o.apply(ScreensChanged{s})
	return true
}

// settle answers those who wait for the edge to be shown, and publishes the status.
func (o *Overlay) settle() {
	var still []asked
	for _, w := range o.waiting {
		if err, known := o.m.Verdict(w.event.(Began).Turn); known {
			w.reply <- err
		} else {
			still = append(still, w)
		}
	}
	o.waiting = still
	s := Status{Lit: o.m.Lit(), Turn: o.m.Turn, Label: o.m.Label, Stopping: o.m.Stopping, Held: o.m.Held}
	if o.m.Fault != nil {
		s.Fault = o.m.Fault.Error()
	}
	o.mu.Lock()
	o.status = s
	o.mu.Unlock()
}

// apply runs one event and all that follows from its effects.
func (o *Overlay) apply(e Event) {
	if s, ok := e.(ScreensChanged); ok {
		s.Screens.Still = s.Screens.Still || o.c.ReducedMotion
		e = s
	}
	for events := []Event{e}; len(events) > 0; events = events[1:] {
		var effects []Effect
		o.m, effects = Next(o.m, events[0])
		for _, f := range effects {
			if next := o.effect(f); next != nil {
				events = append(events, next)
			}
		}
	}
}

// effect does one thing to the world and returns what came of it, as far as that is known at once.
func (o *Overlay) effect(f Effect) Event {
	switch f := f.(type) {
	case Grab:
		return KeyChanged{o.grab()}
	case Ungrab:
		if o.c.Keys != nil {
			ctx, cancel := o.limit()
			defer cancel()
			_ = o.c.Keys.Ungrab(ctx) // fails only with the connection, which frees the key itself
		}
	case Paint:
		if f.Scene.Dark() {
			return PaintFailed{f.Turn, ErrNoScreen}
		}
		o.show(&showing{turn: f.Turn, scene: f.Scene})
	case Clear:
		o.show(&showing{})
	case Interrupt:
		o.bg.Go(func() { o.c.Stop(f.Turn) }) // it may call Dark, which waits for this very goroutine
	}
	return nil
}

func (o *Overlay) grab() Held {
	if o.c.Keys == nil {
		return Held{Why: "There is no Stop key on this computer. Press Stop on the card."}
	}
	ctx, cancel := o.limit()
	defer cancel()
	held, err := o.c.Keys.Grab(ctx)
	if err != nil {
		return Held{Why: err.Error()}
	}
	return held
}

// last is the painting that decides what is on the screen in the end; nil when nothing is under way.
func (o *Overlay) last() *showing {
	if o.next != nil {
		return o.next
	}
	return o.busy
}

// show starts a painting, or has it follow the one under way.
func (o *Overlay) show(s *showing) {
	if o.busy == nil {
		o.start(s)
		return
	}
	if o.busy.turn != s.turn {
		o.busy.cancel() // nobody wants to see it any more
	}
	if o.next != nil {
		s.tell = append(s.tell, o.next.tell...)
	}
	o.next = s
}

func (o *Overlay) start(s *showing) {
	ctx, cancel := o.limit()
	s.cancel = cancel
	o.busy = s
	o.bg.Go(func() {
		defer cancel()
		o.finished <- o.c.Painter.Paint(ctx, s.scene)
	})
}

// shown takes in how a painting came out and goes on with the next.
func (o *Overlay) shown(err error) {
	was, next := o.busy, o.next
	o.busy, o.next = nil, nil
	switch {
	case was.turn == "": // clearing fails only with the connection, and windows go with that
	case err != nil:
		o.apply(PaintFailed{was.turn, err})
	default:
		o.apply(Painted{was.turn})
	}
	switch {
	case next == nil:
	case o.busy == nil:
		o.start(next)
	default: // what came of this one decides; what was to follow it is out of date
		o.last().tell = append(o.last().tell, next.tell...)
	}
	for _, w := range was.tell {
		w <- nil
	}
}

func (o *Overlay) limit() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), o.c.Limit)
}
