package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"conch/gateway/chat"

	"github.com/go-json-experiment/json"
)

// say starts a new chat with what the person says, and shows the turn as it happens.
func (c *call) say(ctx context.Context, args []string) error {
	text := strings.Join(args, " ")
	if strings.TrimSpace(text) == "" {
		return &said{Say: "There's nothing to say.", Next: "Put it in quotes: conch say 'open Mousepad then type hello'", Code: exitUsage}
	}
	p, err := c.findPeer(ctx)
	if err != nil {
		return err
	}
	var started struct {
		Chat string `json:"chat"`
		Turn string `json:"turn"`
	}
	if err := p.ask(ctx, http.MethodPost, "/api/chats", map[string]string{"text": text}, &started); err != nil {
		return err
	}
	s := &saying{
		call: c, peer: p, chat: started.Chat, turn: started.Turn,
		t: newTranscript(c.out, isTerminal(c.out)),
	}
	if isTerminal(c.in) {
		s.answers = lines(c.in)
	}
	if err := s.run(ctx); err != nil {
		return err
	}
	if code := s.t.code(); code != exitOK {
		return &said{Code: code} // the transcript has said why
	}
	return nil
}

// saying follows one turn.
type saying struct {
	*call
	peer       *peer
	chat, turn string
	t          *transcript
	answers    <-chan string // what the person types; nil where nobody can
	after      uint64        // the last event that was seen
}

// How long a broken stream is taken up again for, and a stopped turn is waited for.
const (
	resumeFor = 10 * time.Second
	endWithin = 10 * time.Second
)

// run shows events until the turn has ended. When ctx ends it stops the turn and shows how that went.
func (s *saying) run(ctx context.Context) error {
	follow, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	events, failed := make(chan chat.Event), make(chan error, 1)
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		failed <- s.follow(follow, events)
	}()
	defer func() { cancel(); <-followed }()
	stop := ctx.Done()
	var late <-chan time.Time
	for s.t.ended == nil {
		select {
		case e := <-events:
			s.show(ctx, e)
		case line, ok := <-s.answers:
			if !ok {
				s.answers = nil // the terminal went away; the page can still answer
				continue
			}
			s.answer(ctx, line)
		case <-stop:
			stop = nil
			timer := time.NewTimer(endWithin)
			defer timer.Stop()
			late = timer.C
			if err := s.halt(follow); err != nil {
				return err
			}
		case <-late:
			return &said{Say: "It was told to stop and hasn't ended yet.", Next: "Look at the screen before you go on.", Code: exitFailed}
		case err := <-failed:
			return err
		}
	}
	return nil
}

func (s *saying) halt(ctx context.Context) error {
	s.t.line("Stopping…")
	return s.peer.ask(ctx, http.MethodPost, "/api/chats/"+url.PathEscape(s.chat)+"/stop", struct{}{}, nil)
}

func (s *saying) show(ctx context.Context, e chat.Event) {
	s.t.event(e)
	if e.Kind != chat.KindAsked || ctx.Err() != nil {
		return
	}
	if s.answers == nil {
		s.t.line("  Answer it on Conch's page. “conch open /chats/%s” opens it.", s.chat)
		return
	}
	s.prompt(e.Always)
}

// prompt says what can be answered here. Always adds power for later, so only the page offers it.
func (s *saying) prompt(always bool) {
	more := ""
	if always {
		more = " (always: on Conch's page)"
	}
	_, _ = fmt.Fprintf(s.out, "  [o]nce / [N]o%s: ", more)
}

// answer reads one typed line as the answer to the question that waits. Only a clear yes is one.
func (s *saying) answer(ctx context.Context, line string) {
	if s.t.open == "" {
		return // nothing was asked, or it was answered elsewhere meanwhile
	}
	choice := "no"
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "o", "once":
		choice = "once"
	case "", "n", "no":
	default:
		s.t.line("  Type o for once, or n for no.")
		s.prompt(false)
		return
	}
	err := s.peer.ask(ctx, http.MethodPost, "/api/questions/"+url.PathEscape(s.t.open), map[string]string{"choice": choice}, nil)
	if err != nil {
		s.t.line("  %s", err)
	}
}

// follow reads the chat's log and what comes after, and takes a broken stream up again where it was.
func (s *saying) follow(ctx context.Context, events chan<- chat.Event) error {
	give := time.Now().Add(resumeFor)
	for {
		seen := s.after
		err := s.followOnce(ctx, events)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if s.after > seen {
			give = time.Now().Add(resumeFor)
		}
		var refused *said
		if errors.As(err, &refused) && refused.Err == nil {
			return err // an answer, not a broken line
		}
		if time.Now().After(give) {
			return &said{Say: "Conch went away in the middle of this.", Next: "What it was doing has stopped. Start Conch and look at the chat.", Code: exitFailed, Err: err}
		}
		pause := time.NewTimer(200 * time.Millisecond)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return ctx.Err()
		}
	}
}

func (s *saying) followOnce(ctx context.Context, events chan<- chat.Event) error {
	body, err := s.peer.stream(ctx, "/api/chats/"+url.PathEscape(s.chat)+"/events?after="+strconv.FormatUint(s.after, 10))
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	in := bufio.NewReaderSize(body, 1<<16)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("follow the chat: %w", eof(err))
		}
		if len(line) <= 1 {
			continue // a sign of life
		}
		var e chat.Event
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("follow the chat: %w", err)
		}
		if e.Seq == 0 || e.Turn != s.turn {
			continue // words as they are written, or another turn
		}
		select {
		case events <- e:
			s.after = e.Seq
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func eof(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
