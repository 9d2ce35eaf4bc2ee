package chat

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// What names a part of what happened.
type What string

// The parts. The zero value is all of it.
const (
	WhatDone    What = "done"    // what was done, or went wrong, or was stopped
	WhatAsked   What = "asked"   // questions and their answers
	WhatRefused What = "refused" // what a rule or the person didn't allow
)

// ParseWhat reads a part as a page sends it; empty is all.
func ParseWhat(s string) (What, bool) {
	switch w := What(s); w {
	case "", WhatDone, WhatAsked, WhatRefused:
		return w, true
	}
	return "", false
}

// Filter says which of the events that tell what was done and decided are meant. The zero value is all of them.
type Filter struct {
	What   What
	Chat   string
	App    string // by its name
	From   time.Time
	To     time.Time // the first moment after; zero is no bound
	Before uint64    // a place in the log: only what is before it
	After  uint64    // only what is after it
}

// Match says whether an event is meant. It is the same rule as Done's, for one event.
func (f Filter) Match(e Event) bool {
	switch e.Kind {
	case KindStepDone:
		if f.What == WhatAsked || (f.What == WhatRefused) != (e.State == StateRefused) && f.What != "" {
			return false
		}
	case KindAsked, KindAnswered:
		if f.What != "" && f.What != WhatAsked {
			return false
		}
	case KindEnded:
		if e.State == StateDone || f.What != "" && f.What != WhatDone {
			return false
		}
	default:
		return false
	}
	return (f.Chat == "" || e.Chat == f.Chat) && (f.App == "" || e.App == f.App) &&
		(f.From.IsZero() || !e.At.Before(f.From)) && (f.To.IsZero() || e.At.Before(f.To)) &&
		(f.Before == 0 || e.Seq < f.Before) && e.Seq > f.After
}

const eventState = "coalesce(json_extract(data, '$.state'), '')"

var whatRows = map[What]string{
	"":          "(kind IN ('stepdone', 'asked', 'answered') OR kind = 'ended' AND " + eventState + " <> 'done')",
	WhatDone:    "(kind = 'stepdone' AND " + eventState + " <> 'refused' OR kind = 'ended' AND " + eventState + " <> 'done')",
	WhatAsked:   "kind IN ('asked', 'answered')",
	WhatRefused: "kind = 'stepdone' AND " + eventState + " = 'refused'",
}

// Done returns the events that say what was done and decided, newest first, at most n.
func (s *Store) Done(ctx context.Context, f Filter, n int) ([]Event, error) {
	rows, ok := whatRows[f.What]
	if !ok {
		return nil, fmt.Errorf("read the activity: no part of it is called %q", f.What)
	}
	where, args := []string{rows}, []any{}
	and := func(holds bool, condition string, arg any) {
		if holds {
			where, args = append(where, condition), append(args, arg)
		}
	}
	and(f.Chat != "", "chat = ?", f.Chat)
	and(f.App != "", "json_extract(data, '$.app') = ?", f.App)
	and(!f.From.IsZero(), "at >= ?", f.From.UnixMilli())
	and(!f.To.IsZero(), "at < ?", f.To.UnixMilli())
	and(f.Before > 0, "seq < ?", int64(f.Before))
	and(f.After > 0, "seq > ?", int64(f.After))
	return s.events(ctx, eventColumns+"WHERE "+strings.Join(where, " AND ")+" ORDER BY seq DESC LIMIT ?", append(args, n)...)
}

// appsWithin is how many events are looked back for the apps that were used lately.
const appsWithin = 5000

// Apps lists the names of the apps that were used or asked about lately.
func (s *Store) Apps(ctx context.Context) ([]string, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT DISTINCT app FROM (SELECT json_extract(data, '$.app') AS app FROM events "+
		"WHERE kind IN ('stepdone', 'asked') ORDER BY seq DESC LIMIT ?) WHERE app <> '' ORDER BY app COLLATE NOCASE", appsWithin)
	if err != nil {
		return nil, fmt.Errorf("list the apps that were used: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []string
	for rows.Next() {
		var app string
		if err := rows.Scan(&app); err != nil {
			return nil, fmt.Errorf("list the apps that were used: %w", err)
		}
		out = append(out, app)
	}
	return out, rows.Err()
}

// End is the place of the newest event of all; 0 without any.
func (s *Store) End(ctx context.Context) (uint64, error) {
	var seq uint64
	err := s.db.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM events").Scan(&seq)
	return seq, err
}
