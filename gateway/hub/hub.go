// Package hub hands out what happens to whoever is looking: pages, the terminal, the menu.
//
// There are two kinds of events. One that is in the log must arrive: when a subscriber is too slow, its queue
// is dropped and it is told to catch up from the log, so it never blocks a turn and never misses one. One that
// is only live (a picture's number, words as they come) may be lost: a newer one takes the place of an older
// one with the same key. The hub keeps nothing once it is handed out, and starts no goroutine.
package hub

import (
	"context"
	"sync"
)

// queueMax is how many events wait for one subscriber before it has to catch up.
const queueMax = 256

// All is the topic of everything.
const All = ""

// Event is one thing that happened.
type Event struct {
	Topic string // a chat's id; All for what belongs to none
	// Seq is the event's place in the log. 0 is live only.
	Seq uint64
	// Key names what a live event is about, so that a newer one replaces it while it waits.
	Key  string
	Data any
	// Behind says that events were dropped: read the log after the last Seq you saw. It comes alone.
	Behind bool
}

// Hub is the one place where events meet subscribers. The zero value is ready.
type Hub struct {
	// Watch is told when the first subscriber of a topic comes and when the last one has gone, under the
	// hub's lock, so it must be quick and must not call the hub. Set it before the first Subscribe.
	Watch func(topic string, watched bool)

	mu   sync.Mutex
	subs map[string]map[*Sub]struct{}
}

// Sub is one subscriber. One goroutine calls Next.
type Sub struct {
	hub    *Hub
	topics []string

	mu     sync.Mutex
	queue  []Event
	behind bool
	closed bool
	wake   chan struct{} // holds one token when there is something to look at
}

// Subscribe follows topics until Close. Following All brings every event.
func (h *Hub) Subscribe(topics ...string) *Sub {
	s := &Sub{hub: h, topics: topics, wake: make(chan struct{}, 1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.subs == nil {
		h.subs = map[string]map[*Sub]struct{}{}
	}
	for _, t := range topics {
		if h.subs[t] == nil {
			h.subs[t] = map[*Sub]struct{}{}
		}
		h.subs[t][s] = struct{}{}
		if len(h.subs[t]) == 1 && h.Watch != nil {
			h.Watch(t, true)
		}
	}
	return s
}

// Publish hands an event to the subscribers of its topic and of All. It never blocks.
func (h *Hub) Publish(e Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs[e.Topic] {
		s.put(e)
	}
	if e.Topic == All {
		return
	}
	for s := range h.subs[All] {
		if _, had := h.subs[e.Topic][s]; !had {
			s.put(e)
		}
	}
}

// Watching says how many subscribers a topic has; those of All count only for All.
func (h *Hub) Watching(topic string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.subs[topic])
}

// Next waits for the next event. It returns false when ctx ends or after Close.
func (s *Sub) Next(ctx context.Context) (Event, bool) {
	for {
		if e, ok, closed := s.take(); ok || closed {
			return e, ok
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return Event{}, false
		}
	}
}

// Close ends the subscription. Calling it again is free.
func (s *Sub) Close() {
	h := s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range s.topics {
		if _, had := h.subs[t][s]; !had {
			continue
		}
		delete(h.subs[t], s)
		if len(h.subs[t]) == 0 {
			delete(h.subs, t)
			if h.Watch != nil {
				h.Watch(t, false)
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.queue = true, nil
	s.signal()
}

func (s *Sub) put(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if e.Seq == 0 && e.Key != "" {
		for i := range s.queue {
			if q := &s.queue[i]; q.Seq == 0 && q.Key == e.Key && q.Topic == e.Topic {
				// The newer one goes to the end, so it never overtakes what was logged before it.
				s.queue = append(append(s.queue[:i:i], s.queue[i+1:]...), e)
				return
			}
		}
	}
	if len(s.queue) >= queueMax {
		if e.Seq == 0 {
			return // lossy
		}
		s.queue, s.behind = s.queue[:0], true
	}
	s.queue = append(s.queue, e)
	s.signal()
}

func (s *Sub) take() (e Event, ok, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return Event{}, false, true
	case s.behind:
		s.behind = false
		return Event{Behind: true}, true, false
	case len(s.queue) == 0:
		return Event{}, false, false
	}
	e = s.queue[0]
	s.queue[0] = Event{} // a handed-out picture must not stay in memory here
	s.queue = s.queue[1:]
	if len(s.queue) == 0 {
		s.queue = nil
	}
	return e, true, false
}

func (s *Sub) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
