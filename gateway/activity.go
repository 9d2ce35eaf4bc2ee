package gateway

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"conch/gateway/chat"
	"conch/gateway/guard"
	"conch/gateway/web"
)

const (
	activityPage = 50  // entries of a page
	activityMost = 200 // entries of one answer to a program
	activityTips = 50  // chats that can be picked
)

// activityQuery is what a page, its socket or a program asks of Activity.
type activityQuery struct {
	filter chat.Filter
	day    string // as it was asked for
	n      int
}

// parseActivity is the one reader of Activity's addresses: ?what=, ?chat=, ?app=, ?day=, ?before=, ?limit=.
func parseActivity(v url.Values) (q activityQuery, err error) {
	bad := func(say string) (activityQuery, error) {
		return activityQuery{}, problem(CodeInvalid, say, "Open Activity again.")
	}
	what, ok := chat.ParseWhat(v.Get("what"))
	if !ok {
		return bad("Activity has no part of that name.")
	}
	q = activityQuery{filter: chat.Filter{What: what, Chat: v.Get("chat"), App: v.Get("app")}, n: activityPage}
	if len(q.filter.Chat) > 100 || len(q.filter.App) > 300 {
		return bad("That name is too long.")
	}
	if q.day = v.Get("day"); q.day != "" {
		from, err := time.ParseInLocation(time.DateOnly, q.day, time.Local)
		if err != nil {
			return bad("That isn’t a day.")
		}
		q.filter.From, q.filter.To = from, from.AddDate(0, 0, 1)
	}
	if s := v.Get("before"); s != "" {
		if q.filter.Before, err = strconv.ParseUint(s, 10, 63); err != nil {
			return bad("That place in the log can’t be read.")
		}
	}
	if s := v.Get("limit"); s != "" {
		if q.n, err = strconv.Atoi(s); err != nil || q.n < 1 || q.n > activityMost {
			return bad("That isn’t a number from 1 to " + strconv.Itoa(activityMost) + ".")
		}
	}
	return q, nil
}

// values is the query as an address has it, without its place in the log.
func (q activityQuery) values() url.Values {
	v := url.Values{}
	for name, is := range map[string]string{"what": string(q.filter.What), "chat": q.filter.Chat, "app": q.filter.App, "day": q.day} {
		if is != "" {
			v.Set(name, is)
		}
	}
	return v
}

// activity is what was done and decided, newest first, and the place to go on from; 0 is the end.
func (g *Gateway) activity(ctx context.Context, q activityQuery) (entries []web.ActivityEntry, older uint64, err error) {
	events, err := g.store.Done(ctx, q.filter, q.n+1)
	if err != nil {
		return nil, 0, err
	}
	if len(events) > q.n {
		events = events[:q.n]
		older = events[q.n-1].Seq
	}
	titles := map[string]string{}
	for _, e := range events {
		title, known := titles[e.Chat]
		if !known {
			title = g.chatTitle(ctx, e.Chat)
			titles[e.Chat] = title
		}
		entries = append(entries, activityEntry(e, title))
	}
	return entries, older, nil
}

func (g *Gateway) chatTitle(ctx context.Context, id string) string {
	c, err := g.store.Chat(ctx, id)
	if err != nil {
		return ""
	}
	return c.Title
}

// activityEntry says one event in a person's words. Only sentences that were written for a person are in the log,
// so nothing of the screen and nothing that was typed can come into it.
func activityEntry(e chat.Event, title string) web.ActivityEntry {
	entry := web.ActivityEntry{
		ID: seqID(e), Seq: e.Seq, At: e.At.Local(), Text: e.Text, More: e.More, State: web.StepDone, App: e.App, Chat: e.Chat, Title: title,
	}
	switch e.Kind {
	case chat.KindStepDone:
		entry.What, entry.Moment = web.ActivityStep, web.Step{ID: e.ID}.ElementID()
		entry.State, entry.Rule = stepState(e.State), e.Rule
		// What did not go ahead says why by itself. The rule's name is what a person quotes when they ask.
		if e.State != chat.StateRefused {
			entry.Why = guard.Why(e.Rule)
		}
	case chat.KindAsked:
		entry.What, entry.Moment = web.ActivityAsked, web.Question{ID: e.ID}.ElementID()
		entry.Text = "Asked: " + e.Text
	case chat.KindAnswered:
		entry.What, entry.Moment = web.ActivityAnswered, web.Question{ID: e.ID}.ElementID()
		entry.Text, entry.More = answerText(e.State), e.More
		if e.Text != "" {
			entry.More = join(e.Text, e.More)
		}
		if c := web.Choice(e.State); c != web.ChoiceOnce && c != web.ChoiceAlways {
			entry.State = web.StepRefused
		}
	default:
		entry.What, entry.State, entry.Moment = web.ActivityEnded, stepState(e.State), web.Note{ID: seqID(e)}.ElementID()
	}
	return entry
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

func answerText(state string) string {
	switch web.Choice(state) {
	case web.ChoiceOnce:
		return "You allowed it once."
	case web.ChoiceAlways:
		return "You always allow it."
	case web.ChoiceNo:
		return "You said no."
	case web.ChoiceStopped:
		return "You stopped before answering, so it was no."
	case web.ChoiceEnded:
		return "It ended before you answered, so it was no."
	default:
		return "Nobody answered, so it was no."
	}
}

// activityList puts entries under their days.
func (g *Gateway) activityList(entries []web.ActivityEntry) (list web.ActivityList) {
	now := g.cfg.Now()
	for _, e := range entries {
		date := e.At.Format(time.DateOnly)
		if n := len(list.Days); n == 0 || list.Days[n-1].Date != date {
			list.Days = append(list.Days, web.ActivityDay{Date: date, Name: dayName(e.At, now)})
		}
		last := &list.Days[len(list.Days)-1]
		last.Entries = append(last.Entries, e)
	}
	return list
}

func (g *Gateway) pageActivity(w http.ResponseWriter, r *http.Request) error {
	q, err := parseActivity(r.URL.Query())
	if err != nil {
		p := problemOf(err)
		return g.writePage(w, p.status(), web.Broken{Say: p.Say, Next: p.Next})
	}
	frame, err := g.frame(r.Context())
	if err != nil {
		return err
	}
	// The end of the log first: what comes while it is read is shown twice rather than never.
	if frame.After, err = g.store.End(r.Context()); err != nil {
		return err
	}
	entries, older, err := g.activity(r.Context(), q)
	if err != nil {
		return err
	}
	v := web.Activity{Frame: frame, List: g.activityList(entries)}
	if v.Filter, err = g.activityFilter(r.Context(), q); err != nil {
		return err
	}
	v.List.Narrowed = v.Filter.Narrowed()
	if older > 0 {
		at := q.values()
		at.Set("before", strconv.FormatUint(older, 10))
		v.Older = web.PathActivity + "?" + at.Encode()
	}
	v.Past = q.filter.Before > 0
	return g.writePage(w, http.StatusOK, v)
}

// activityFilter is what can be picked, with what is picked.
func (g *Gateway) activityFilter(ctx context.Context, q activityQuery) (web.ActivityFilter, error) {
	v := web.ActivityFilter{What: string(q.filter.What), Chat: q.filter.Chat, App: q.filter.App, Day: q.day}
	apps, err := g.store.Apps(ctx)
	if err != nil {
		return v, err
	}
	v.Apps = apps
	if v.App != "" && !slices.Contains(v.Apps, v.App) {
		v.Apps = append(v.Apps, v.App)
	}
	chats, err := g.store.Chats(ctx, activityTips)
	if err != nil {
		return v, err
	}
	known := v.Chat == ""
	for _, c := range chats {
		known = known || c.ID == v.Chat
		v.Chats = append(v.Chats, web.ActivityChat{ID: c.ID, Title: c.Title})
	}
	if !known {
		v.Chats = append(v.Chats, web.ActivityChat{ID: v.Chat, Title: g.chatTitle(ctx, v.Chat)})
	}
	return v, nil
}
