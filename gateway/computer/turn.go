package computer

import (
	"context"
	"errors"
	"time"

	"conch/driver"
)

// turn is what one turn of a chat has used so far. Its fields are guarded by Computer.mu, but for those that
// only the step that has the token touches.
type turn struct {
	chat, id string
	used     int
	ctx      context.Context // ends with the turn, whoever ends it
	cancel   context.CancelCauseFunc
	gone     chan struct{} // closed once all is let go of
	ending   bool
	lit      bool
	label    string
	app      string // used last, by its name
	picture  *shown
	ripple   *driver.PicPoint
	person   takeover // has its own lock

	// Of the step that has the token:
	given  *shown                // the whole screen as the last answer with a picture showed it; nil: that showed a part
	unseen []driver.Window       // as they were before the steps since the last picture that nobody looked at
	down   bool                  // the left button was left down on purpose
	typed  string                // the end of what was typed
	lifts  pressed               // what the person allowed to press with the button that is down
	unread map[driver.AppID]bool // apps that were said not to tell what their controls are called
}

// session is what is kept of a chat between turns: how its last picture relates to the screen, and what the
// person said yes to. No pixels.
type session struct {
	frame   driver.Frame
	seen    bool
	painted string // what was said to be painted over
	yes     map[driver.AppID]yes
}

// yes is an answer of the person's about an app.
type yes struct{ since bool } // since: the chat had read something besides the screen when it was given

var (
	errTurnOver = errors.New("the turn is over")
	errStopped  = errors.New("stopped")
)

// pastTurns is how many ended turns are remembered, so that a late call of one can't take hold again.
const pastTurns = 512

// held is who has the computer; the Computer's mu guards it.
type held struct {
	turns map[string]*turn
	past  []string
	owner *turn // nil: nobody
}

// enter counts a step and returns its turn.
func (c *Computer) enter(chat, id string) (t *turn, before int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.held.past {
		if p == id {
			return nil, 0, errTurnOver
		}
	}
	t = c.held.turns[id]
	if t == nil {
		t = &turn{chat: chat, id: id, gone: make(chan struct{})}
		t.ctx, t.cancel = context.WithCancelCause(context.Background())
		c.held.turns[id] = t
	}
	if t.ending || t.chat != chat {
		return nil, 0, errTurnOver
	}
	t.used++
	return t, t.used - 1, nil
}

// mayHold says whether t has the computer or may take it, and who has it otherwise.
func (c *Computer) mayHold(t *turn) (ok bool, by string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held.owner == nil || c.held.owner == t, c.otherLocked(t)
}

// take gives the computer to t, if it is free or t's already.
func (c *Computer) take(t *turn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.ending || c.held.owner != nil && c.held.owner != t {
		return false
	}
	c.held.owner = t
	return true
}

// otherLocked names the chat that has the computer, for a person.
func (c *Computer) otherLocked(t *turn) string {
	o := c.held.owner
	switch {
	case o == nil || o == t:
		return ""
	case o.chat == t.chat:
		return "The turn before, which is still letting go,"
	}
	if named, ok := c.cfg.Chats.(interface{ Title(chat string) string }); ok {
		if title := named.Title(o.chat); title != "" {
			return "The chat “" + title + "”"
		}
	}
	return ""
}

// Holder returns the chat and turn that have the computer.
func (c *Computer) Holder() (chat, turn string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held.owner == nil {
		return "", "", false
	}
	return c.held.owner.chat, c.held.owner.id, true
}

// StopAll ends whatever turn has the computer: its step stops between two events, all that is held goes up,
// and it gets no further step. It returns the chat and turn, so that the turn itself can be interrupted.
func (c *Computer) StopAll() (chat, turn string, ok bool) {
	if chat, turn, ok = c.Holder(); ok {
		c.EndTurn(turn)
	}
	return chat, turn, ok
}

// EndTurn ends a turn: a running step stops, keys and buttons go up, the picture is dropped, the edge goes
// dark, and the computer is free. It returns once that is done; calling it again waits for the same end.
func (c *Computer) EndTurn(id string) {
	c.mu.Lock()
	t := c.held.turns[id]
	if t == nil {
		c.pastLocked(id)
		c.mu.Unlock()
		return
	}
	first, owner := !t.ending, c.held.owner == t
	t.ending = true // from here on take refuses it, so only an owner can have a step that acts
	c.mu.Unlock()
	if !first {
		<-t.gone
		return
	}
	t.cancel(errStopped)
	if !owner {
		c.letGo(t)
		return
	}
	select { // the step that runs has heard of it and comes back within its grace
	case c.token <- struct{}{}:
		c.letGo(t)
		<-c.token
	case <-time.After(4 * grace):
		c.letGo(t)
	}
}

// letGo leaves nothing of a turn behind.
func (c *Computer) letGo(t *turn) {
	c.mu.Lock()
	owner := c.held.owner == t
	lit := t.lit
	t.picture, t.ripple, t.label, t.app, t.lit = nil, nil, "", "", false
	c.mu.Unlock()
	if owner {
		ctx := context.Background()
		_ = c.drv.Release(ctx)
		_ = c.drv.End(ctx)
		c.pixels.drop()
	}
	if lit && c.cfg.Edge != nil {
		c.cfg.Edge.Dark(t.id)
	}
	t.person.listened()
	c.mu.Lock()
	delete(c.held.turns, t.id)
	c.pastLocked(t.id)
	// A call that was left behind may still act. Until it has returned the computer stays taken; freed gives
	// it back.
	if owner && c.drv.stuckCalls() == 0 {
		c.held.owner = nil
	}
	c.mu.Unlock()
	close(t.gone)
	c.cfg.OnLive(t.chat)
}

// acts notes with the turn that has the computer that input is sent now.
func (c *Computer) acts() {
	c.mu.Lock()
	o := c.held.owner
	c.mu.Unlock()
	if o != nil {
		o.person.act(time.Now())
	}
}

// freed is told that no call is left behind any more.
func (c *Computer) freed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o := c.held.owner; o != nil && c.held.turns[o.id] != o {
		c.held.owner = nil
	}
}

func (c *Computer) pastLocked(id string) {
	c.held.past = append(c.held.past, id)
	if n := len(c.held.past) - pastTurns; n > 0 {
		c.held.past = append([]string(nil), c.held.past[n:]...)
	}
}

// session returns what is kept of a chat.
func (c *Computer) session(chat string) session {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.chats[chat]; s != nil {
		return session{s.frame, s.seen, s.painted, nil}
	}
	return session{}
}

func (c *Computer) changeSession(chat string, f func(*session)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.chats[chat]
	if s == nil {
		s = &session{yes: map[driver.AppID]yes{}}
		c.chats[chat] = s
	}
	f(s)
}

// Forget drops what is kept of a chat, for when it is deleted.
func (c *Computer) Forget(chat string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.chats, chat)
}

// both returns a context that ends with either, and what frees it.
func both(step, turn context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(step)
	stop := context.AfterFunc(turn, func() { cancel(context.Cause(turn)) })
	return ctx, func() { stop(); cancel(nil) }
}
