package gateway

import (
	"context"
	"fmt"

	"conch/gateway/hub"
	"conch/gateway/web"
)

// State says in one word what Conch is doing.
type State string

// The states, in the order of what a person would want to know first.
const (
	Idle    State = "idle"
	Working State = "working" // a turn runs
	Using   State = "using"   // and uses the computer
	Asking  State = "asking"  // a question waits for the person
)

// Status is what the menu and `conch status` show.
type Status struct {
	State State  `json:"state"`
	Say   string `json:"say"`  // "Typing in Mousepad for “Plan the trip”"
	Page  string `json:"page"` // the path of the page to open for it
	Chat  string `json:"chat,omitempty"`
	Title string `json:"title,omitempty"` // of the chat
	App   string `json:"app,omitempty"`   // the app that is used, by its name; empty until one is
	Turn  string `json:"turn,omitempty"`
	// Client is the paired app whose question waits, by its name.
	Client string `json:"client,omitempty"`
	// Screen says why the screen can't be used; empty when it can.
	Screen  string `json:"screen,omitempty"`
	On      bool   `json:"on"` // using apps is turned on
	Version string `json:"version,omitempty"`
}

// Status says what Conch is doing now.
func (g *Gateway) Status() Status {
	s := Status{State: Idle, Say: "Idle", Page: web.PathHome, On: g.use.On(), Version: g.cfg.Version}
	if view := g.screenView(g.closing); !view.Ready {
		s.Screen = view.Say
	}
	for turn, chatID := range g.runner.All() {
		s.State, s.Chat, s.Turn = Working, chatID, turn
		s.Say = "Working on " + g.titleOf(chatID)
	}
	if chatID, turn, ok := g.computer.Holder(); ok {
		s.State, s.Chat, s.Turn = Using, chatID, turn
		step := "Using your computer"
		if l, ok := g.computer.Live(chatID); ok {
			s.App = l.App
			if l.Step != "" {
				step = l.Step
			}
		}
		s.Say = fmt.Sprintf("%s for %s", step, g.titleOf(chatID))
	}
	if waiting := g.desk.Waiting(); len(waiting) > 0 {
		q := waiting[0]
		s.State, s.Chat, s.Turn, s.Say = Asking, q.Chat, q.Turn, q.Title
		s.Client = g.clientName(context.WithoutCancel(g.closing), q.Chat)
	}
	if s.Chat != "" {
		s.Page = web.PathChat + s.Chat
		if c, err := g.store.Chat(context.WithoutCancel(g.closing), s.Chat); err == nil {
			s.Title = c.Title
		}
	}
	return s
}

func (g *Gateway) titleOf(chatID string) string {
	c, err := g.store.Chat(context.WithoutCancel(g.closing), chatID)
	if err != nil || c.Title == "" {
		return "a chat"
	}
	return "“" + c.Title + "”"
}

// Subscribe calls f with the status now and each time that it changes, never twice at once, until the
// function it returns is called; that one waits until f has returned for the last time. Whoever subscribes
// shows questions to the person, so a question that waits counts as seen.
func (g *Gateway) Subscribe(f func(Status)) (stop func()) {
	ctx, cancel := context.WithCancel(g.closing)
	sub := g.hub.Subscribe(hub.All)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer sub.Close()
		last := g.Status()
		f(last)
		for {
			e, ok := sub.Next(ctx)
			if !ok {
				return
			}
			if _, isState := e.Data.(stateChange); !isState && !e.Behind {
				continue
			}
			if now := g.Status(); now != last {
				last = now
				f(now)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
