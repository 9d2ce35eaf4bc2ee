package chat

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
)

// PageSize is how many events one reading of the log returns at most.
const PageSize = 500

const eventColumns = "SELECT seq, chat, turn, at, kind, data FROM events "

// Events returns the events of a chat after a place in the log, oldest first, at most PageSize.
func (s *Store) Events(ctx context.Context, chat string, after uint64) ([]Event, error) {
	return s.events(ctx, eventColumns+"WHERE chat = ? AND seq > ? ORDER BY seq LIMIT ?", chat, int64(after), PageSize)
}

// All returns every event of a chat after a place, oldest first.
func (s *Store) All(ctx context.Context, chat string, after uint64) ([]Event, error) {
	var all []Event
	for {
		page, err := s.Events(ctx, chat, after)
		all = append(all, page...)
		if err != nil || len(page) < PageSize {
			return all, err
		}
		after = page[len(page)-1].Seq
	}
}

// Last is the place of the newest event of a chat; 0 without any.
func (s *Store) Last(ctx context.Context, chat string) (uint64, error) {
	var seq uint64
	err := s.db.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM events WHERE chat = ?", chat).Scan(&seq)
	return seq, err
}

func (s *Store) events(ctx context.Context, query string, args ...any) ([]Event, error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read the chat's log: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []Event
	for rows.Next() {
		e, err := scanEvent(rows)
		if err != nil {
			return nil, fmt.Errorf("read the chat's log: %w", err)
		}
		out = append(out, e)
	}
	return out, rows.Err()
}

func scanEvent(rows *sql.Rows) (Event, error) {
	var e Event
	var seq, at int64
	var chat, turn, kind, data string
	if err := rows.Scan(&seq, &chat, &turn, &at, &kind, &data); err != nil {
		return e, err
	}
	err := json.Unmarshal([]byte(data), &e)
	e.Seq, e.Chat, e.Turn, e.Kind, e.At = uint64(seq), chat, turn, Kind(kind), time.UnixMilli(at)
	return e, err
}

// Taint records that a chat read something from outside, once for each source.
func (s *Store) Taint(ctx context.Context, chat, turn, source string) error {
	sources, err := s.Sources(ctx, chat)
	if err != nil {
		return err
	}
	for _, known := range sources {
		if known == source {
			return nil
		}
	}
	_, err = s.Append(ctx, Event{Chat: chat, Turn: turn, Kind: KindTaint, Text: source})
	return err
}

// Sources lists what a chat has read from outside, in order.
func (s *Store) Sources(ctx context.Context, chat string) ([]string, error) {
	events, err := s.events(ctx, eventColumns+"WHERE chat = ? AND kind = 'taint' ORDER BY seq", chat)
	var out []string
	for _, e := range events {
		out = append(out, e.Text)
	}
	return out, err
}

// beginTurn writes the person's message and the turn that it starts, both or neither.
func (s *Store) beginTurn(ctx context.Context, chat, turn, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := Event{Chat: chat, Turn: turn, At: s.now().Truncate(time.Millisecond), Kind: KindSaid, ID: turn + "-said", Text: text}
	err := s.tx(ctx, func(tx *sql.Tx) (err error) {
		_, err = tx.ExecContext(ctx, "INSERT INTO turns VALUES (?, ?, ?, NULL, 'running')", turn, chat, e.At.UnixMilli())
		if err != nil {
			return err
		}
		e, err = insert(ctx, tx, e)
		return err
	})
	if err != nil {
		return fmt.Errorf("write your message down: %w", err)
	}
	s.on(e)
	return nil
}

// endTurn writes how a turn ended, once.
func (s *Store) endTurn(ctx context.Context, e Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.At, e.Kind = s.now().Truncate(time.Millisecond), KindEnded
	err := s.tx(ctx, func(tx *sql.Tx) (err error) {
		_, err = tx.ExecContext(ctx, "UPDATE turns SET ended = ?, state = ? WHERE id = ? AND ended IS NULL", e.At.UnixMilli(), e.State, e.Turn)
		if err != nil {
			return err
		}
		e, err = insert(ctx, tx, e)
		return err
	})
	if err != nil {
		return fmt.Errorf("write down how the turn ended: %w", err)
	}
	s.on(e)
	return nil
}

// CutOff ends the turns that were running when Conch ended without being able to say so, with their open steps and
// questions. Call it once, before any turn is started; it says how many there were.
func (s *Store) CutOff(ctx context.Context) (int, error) {
	type open struct{ id, chat string }
	rows, err := s.db.QueryContext(ctx, "SELECT id, chat FROM turns WHERE ended IS NULL")
	if err != nil {
		return 0, err
	}
	var turns []open
	for rows.Next() {
		var t open
		if err := rows.Scan(&t.id, &t.chat); err != nil {
			_ = rows.Close()
			return 0, err
		}
		turns = append(turns, t)
	}
	_ = rows.Close() // before the next query: there is one connection
	if err := rows.Err(); err != nil {
		return 0, err
	}
	for _, t := range turns {
		if err := s.cutOff(ctx, t.chat, t.id); err != nil {
			return 0, err
		}
	}
	return len(turns), nil
}

func (s *Store) cutOff(ctx context.Context, chat, turn string) error {
	events, err := s.events(ctx, eventColumns+"WHERE chat = ? AND turn = ? ORDER BY seq", chat, turn)
	if err != nil {
		return err
	}
	unfinished := map[string]Event{}
	for _, e := range events {
		switch e.Kind {
		case KindStep, KindAsked:
			unfinished[e.ID] = e
		case KindStepDone, KindAnswered:
			delete(unfinished, e.ID)
		}
	}
	for _, e := range events { // in the order of the log
		last, still := unfinished[e.ID]
		if !still || last.Seq != e.Seq {
			continue
		}
		end := Event{Chat: chat, Turn: turn, ID: e.ID, Kind: KindAnswered, Text: e.Text, App: e.App, State: AnswerExpired}
		if e.Kind == KindStep {
			end.Kind, end.Tool, end.Text, end.State = KindStepDone, e.Tool, e.Text, StateCut
			end.More = "It may have happened: look before trying again."
		}
		if _, err := s.Append(ctx, end); err != nil {
			return err
		}
	}
	return s.endTurn(ctx, Event{
		Chat: chat, Turn: turn, State: StateCut,
		Text: "Conch was closed in the middle of this.", More: "The last step may have happened. Look before you try again.",
	})
}
