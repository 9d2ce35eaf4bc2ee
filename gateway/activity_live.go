package gateway

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"conch/gateway/chat"
	"conch/gateway/hub"
	"conch/gateway/web"
)

// topicActivity is where every event goes that Activity shows, whatever chat it is of.
const topicActivity = "activity"

// activityEvent is such an event on its way to whoever follows Activity.
type activityEvent chat.Event

// tellActivity hands an event to the pages that show Activity.
func (g *Gateway) tellActivity(e chat.Event) {
	if (chat.Filter{}).Match(e) {
		g.hub.Publish(hub.Event{Topic: topicActivity, Seq: e.Seq, Data: activityEvent(e)})
	}
}

// followActivity reads what a socket's page shows of Activity; nil is none.
func followActivity(v url.Values) (*chat.Filter, error) {
	if !v.Has("activity") {
		return nil, nil //nolint:nilnil // no filter is no filter
	}
	query, err := url.ParseQuery(v.Get("activity"))
	if err != nil {
		return nil, &Problem{Code: CodeInvalid, Say: "That part of Activity can’t be read.", Next: "Load the page again.", Err: err}
	}
	q, err := parseActivity(query)
	return &q.filter, err
}

// catchUpActivity sends what Activity shows after a place in the log, oldest first, since each comes on top.
func (s *socket) catchUpActivity(ctx context.Context) error {
	if s.activity == nil {
		return nil
	}
	f := *s.activity
	f.After = s.after
	events, err := s.g.store.Done(ctx, f, activityMost)
	if err != nil {
		return err
	}
	for _, e := range slices.Backward(events) {
		if err := s.activityRow(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

func (s *socket) activityRow(ctx context.Context, e chat.Event) error {
	if s.activity == nil || e.Seq <= s.after || !s.activity.Match(e) {
		return nil
	}
	s.after = e.Seq
	entry := activityEntry(e, s.g.chatTitle(ctx, e.Chat))
	u, err := s.g.web.Prepend(web.ActivityDayID(entry.At.Format(time.DateOnly)), entry, e.Seq)
	return s.send(u, err)
}

// activityLine is one thing that was done, as a program reads it. It holds what the page shows and no more.
type activityLine struct {
	Seq   uint64    `json:"seq"`
	At    time.Time `json:"at"`
	What  string    `json:"what"` // step, asked, answered or ended
	State string    `json:"state"`
	Text  string    `json:"text"`
	More  string    `json:"more,omitempty"`
	Why   string    `json:"why,omitempty"`
	Rule  string    `json:"rule,omitempty"`
	App   string    `json:"app,omitempty"`
	Chat  string    `json:"chat"`
	Title string    `json:"title,omitempty"`
	Page  string    `json:"page"`
}

// getActivity answers what was done and decided, newest first, and where to go on: ?before= that place.
func (g *Gateway) getActivity(w http.ResponseWriter, r *http.Request) error {
	q, err := parseActivity(r.URL.Query())
	if err != nil {
		return err
	}
	entries, older, err := g.activity(r.Context(), q)
	if err != nil {
		return err
	}
	out := struct {
		Entries []activityLine `json:"entries"`
		Older   uint64         `json:"older,omitzero"`
	}{Entries: []activityLine{}, Older: older}
	for _, e := range entries {
		out.Entries = append(out.Entries, activityLine{
			Seq: e.Seq, At: e.At.UTC(), What: string(e.What), State: string(e.State), Text: e.Text, More: e.More, Why: e.Why, Rule: e.Rule,
			App: e.App, Chat: e.Chat, Title: e.Title, Page: e.Page(),
		})
	}
	writeJSON(w, http.StatusOK, out)
	return nil
}
