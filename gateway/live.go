package gateway

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"conch/gateway/access"
	"conch/gateway/chat"
	"conch/gateway/hub"
	"conch/gateway/web"

	"github.com/go-json-experiment/json"
	"github.com/gorilla/websocket"
)

const (
	pongWithin = 60 * time.Second
	readMost   = 512 // bytes of a message from a page; pages send nothing but control frames
	socketsMax = 64
)

var upgrader = websocket.Upgrader{
	ReadBufferSize: 512, WriteBufferSize: 4096, HandshakeTimeout: 5 * time.Second,
	// The guard has compared the origin with our own before this handler is called.
	CheckOrigin: func(*http.Request) bool { return true },
}

// live is the one socket of a page: web.Update values, server to page. ?chat= follows a chat after ?after=;
// without one only what every page shows is followed.
func (g *Gateway) live(w http.ResponseWriter, r *http.Request) error {
	after, err := afterOf(r)
	if err != nil {
		return err
	}
	id := r.URL.Query().Get("chat")
	if id != "" {
		if _, err := g.store.Chat(r.Context(), id); err != nil {
			return err
		}
	}
	activity, err := followActivity(r.URL.Query())
	if err != nil {
		return err
	}
	if !websocket.IsWebSocketUpgrade(r) {
		return &Problem{Code: CodeInvalid, Say: "This address is a socket.", Next: "Connect to it as a WebSocket.", Status: http.StatusUpgradeRequired}
	}
	if n := g.sockets.Add(1); n > socketsMax {
		g.sockets.Add(-1)
		return problem(CodeTooMany, "Too many windows are open.", "Close some, then load this page again.")
	}
	defer g.sockets.Add(-1)
	// A hijacked connection is not the server's any more, so closing waits for it here.
	g.open.Add(1)
	defer g.open.Done()
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return nil //nolint:nilerr // Upgrade has answered
	}
	defer func() { _ = conn.Close() }()
	ctx, stop := g.until(context.WithoutCancel(r.Context()))
	defer stop()
	defer context.AfterFunc(r.Context(), stop)() // a device that is removed is gone at once
	s := &socket{g: g, conn: conn, chat: id, activity: activity, after: after, who: who(r)}
	s.page = r.URL.Query().Get("page")
	if err := s.serve(ctx, stop); err != nil {
		g.log.Debug("a page's socket ended", "err", err)
	}
	return nil
}

// socket is one page that follows.
type socket struct {
	g    *Gateway
	conn *websocket.Conn
	chat string
	// activity is what the page shows of Activity; nil when it is another page.
	activity *chat.Filter
	after    uint64
	who      access.Who
	fold     *fold
	doing    bool   // the page shows what an answer waits for
	page     string // what its page shows beside a chat: "memory", "skills", "skill:notes"
}

func (s *socket) serve(ctx context.Context, stop func()) error {
	topics := []string{topicRail, topicSettings, topicMemory, topicSkills, topicModels}
	if s.chat != "" {
		topics = append(topics, s.chat)
	}
	if s.activity != nil {
		topics = append(topics, topicActivity)
	}
	sub := s.g.hub.Subscribe(topics...)
	defer sub.Close()
	defer s.read(stop)()
	defer func() {
		// Either Conch is closing or this page has to load its state anew; the page comes back by itself.
		_ = s.conn.WriteControl(websocket.CloseMessage,
			websocket.FormatCloseMessage(websocket.CloseGoingAway, ""), time.Now().Add(time.Second))
	}()

	if err := s.catchUp(ctx, s.after); err != nil {
		return err
	}
	if err := s.state(ctx); err != nil {
		return err
	}
	beat := time.Now().Add(beatEvery)
	for {
		e, ok, err := nextOrBeat(ctx, sub, beat)
		switch {
		case err != nil:
			return err
		case !ok:
			beat = time.Now().Add(beatEvery)
			if err := s.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(sendWithin)); err != nil {
				return err
			}
		default:
			if err := s.one(ctx, e); err != nil {
				return err
			}
		}
	}
}

// read takes what the page sends, which is pongs and its end. The function it returns ends the reading and
// waits for it.
func (s *socket) read(stop func()) (end func()) {
	s.conn.SetReadLimit(readMost)
	alive := func() { _ = s.conn.SetReadDeadline(time.Now().Add(pongWithin)) }
	alive()
	s.conn.SetPongHandler(func(string) error { alive(); return nil })
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer stop()
		for {
			if _, _, err := s.conn.NextReader(); err != nil {
				return
			}
		}
	}()
	return func() {
		_ = s.conn.Close()
		<-done
	}
}

func (s *socket) one(ctx context.Context, e hub.Event) error {
	if e.Behind {
		if err := s.catchUp(ctx, s.foldedTo()); err != nil {
			return err
		}
		return s.state(ctx)
	}
	switch v := e.Data.(type) {
	case chat.Event:
		return s.logged(v)
	case activityEvent:
		return s.activityRow(ctx, chat.Event(v))
	case chat.LiveText:
		return s.live(v)
	case stateChange:
		return s.part(ctx, v)
	}
	return nil
}

// catchUp sends what the chat's log says after a place. What is before it the page shows already.
func (s *socket) catchUp(ctx context.Context, after uint64) error {
	if s.chat == "" {
		return s.catchUpActivity(ctx)
	}
	from := uint64(0)
	if s.fold == nil {
		s.fold = newFold()
	} else {
		from = s.fold.after
	}
	events, err := s.g.store.All(ctx, s.chat, from)
	if err != nil {
		return err
	}
	for _, e := range events {
		if e.Seq <= after {
			s.fold.add(e)
			continue
		}
		if err := s.logged(e); err != nil {
			return err
		}
	}
	return nil
}

func (s *socket) foldedTo() uint64 {
	if s.fold == nil {
		return 0
	}
	return s.fold.after
}

func (s *socket) logged(e chat.Event) error {
	if e.Kind == chat.KindText || e.Kind == chat.KindEnded {
		if err := s.goesOn(); err != nil {
			return err
		}
	}
	for _, c := range s.fold.add(e) {
		var err error
		if c.to != "" {
			err = s.append(c.to, c.part, e.Seq)
		} else {
			err = s.replace(c.part, e.Seq)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// state sends the parts that show a state rather than an event, as they are now.
func (s *socket) state(ctx context.Context) error {
	if s.chat != "" {
		s.doing = true // a page that comes back may still show what it waited for
		if err := s.goesOn(); err != nil {
			return err
		}
	}
	for _, what := range []stateChange{stateRail, stateChat, stateLive, stateAsking, stateSettings, stateMemory, stateSkills, stateMounted, stateModels, stateCost} {
		if err := s.part(ctx, what); err != nil {
			return err
		}
	}
	return nil
}

func (s *socket) part(ctx context.Context, what stateChange) error {
	var parts []web.PartView
	switch what {
	case stateRail:
		rail, err := s.g.rail(ctx)
		if err != nil {
			return err
		}
		parts = append(parts, rail, s.g.needsOK(ctx, s.chat))
	case stateSettings:
		if s.chat == "" {
			parts = append(parts, s.g.switchView(), s.g.pauseView(), s.g.allowedView(), s.g.screenView(ctx), s.g.switchesView(ctx, s.who.Local), s.g.confirmView(s.who.Local), s.g.addressView(s.who.Local), s.g.devicesView(s.who))
		}
	case stateCare:
		if s.chat == "" {
			run, after := s.g.repairView(s.who.Local)
			parts = append(parts, run)
			if after != nil {
				parts = append(parts, *after)
			}
		}
	case stateMemory, stateSkills:
		own, err := s.g.pageParts(ctx, s.page, what)
		if err != nil {
			return err
		}
		parts = append(parts, own...)
	case stateMounted:
		own, err := s.g.mountedParts(ctx, s.page, s.who.Local)
		if err != nil {
			return err
		}
		parts = append(parts, own...)
	case stateModels, stateCost:
		own, err := s.modelParts(ctx, what)
		if err != nil {
			return err
		}
		parts = append(parts, own...)
	case stateLive:
		if s.chat != "" {
			parts = append(parts, s.g.liveView(s.chat))
		}
	case stateAsking:
		if s.chat != "" {
			parts = append(parts, s.g.asking(s.chat))
		}
	case stateChat:
		if s.chat != "" {
			c, err := s.g.store.Chat(ctx, s.chat)
			if err != nil {
				return err
			}
			parts = append(parts, s.g.composer(c))
		}
	}
	for _, p := range parts {
		if err := s.replace(p, 0); err != nil {
			return err
		}
	}
	return nil
}

func (s *socket) append(to string, p web.PartView, seq uint64) error {
	u, err := s.g.web.Append(to, p, seq)
	return s.send(u, err)
}

func (s *socket) replace(p web.PartView, seq uint64) error {
	u, err := s.g.web.Replace(p, seq)
	return s.send(u, err)
}

func (s *socket) send(u web.Update, err error) error {
	if err != nil {
		return fmt.Errorf("render an update: %w", err)
	}
	data, err := json.Marshal(u)
	if err != nil {
		return err
	}
	_ = s.conn.SetWriteDeadline(time.Now().Add(sendWithin))
	return s.conn.WriteMessage(websocket.TextMessage, data)
}
