package memory

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"conch/gateway/plain"
)

const sourceMax = 80 // characters of a source's name

// Suggest has a fact wait for the person, whoever suggests it. It says nothing of whether the fact is known,
// waits or was refused already: then nothing changes.
func (s *Store) Suggest(ctx context.Context, text string, from Source) error {
	text, err := clean(text)
	if err != nil {
		return err
	}
	if err := s.mayAsk(from); err != nil {
		return err
	}
	added := false
	err = s.tx(ctx, func(tx *sql.Tx) error {
		waiting, err := count(ctx, tx, Waiting)
		if err != nil {
			return err
		}
		if waiting >= WaitingMax {
			return &Refusal{Full, "Too many suggestions wait already.", "The person has to look at them first."}
		}
		if _, err := bySame(ctx, tx, sameness(text), ""); !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		added = true
		return s.insert(ctx, tx, text, Waiting, from)
	})
	return s.done(err, added)
}

// mayAsk counts a source's suggestions and refuses too many in an hour.
func (s *Store) mayAsk(from Source) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.opt.Now()
	for key, times := range s.asked {
		for len(times) > 0 && now.Sub(times[0]) >= time.Hour {
			times = times[1:]
		}
		if s.asked[key] = times; len(times) == 0 {
			delete(s.asked, key)
		}
	}
	key := string(from.Kind) + " " + from.ID
	if len(s.asked[key]) >= SuggestMax {
		return &Refusal{Full, fmt.Sprintf("That is more than %d suggestions in an hour.", SuggestMax), "Suggest only what will matter later, and try again in an hour."}
	}
	s.asked[key] = append(s.asked[key], now)
	return nil
}

// Add keeps a fact that the person wrote.
func (s *Store) Add(ctx context.Context, text string) error {
	text, err := clean(text)
	if err != nil {
		return err
	}
	return s.done(s.tx(ctx, func(tx *sql.Tx) error {
		if err := room(ctx, tx); err != nil {
			return err
		}
		if err := makeWay(ctx, tx, sameness(text), ""); err != nil {
			return err
		}
		return s.insert(ctx, tx, text, Kept, Source{Kind: FromPerson})
	}), true)
}

// Edit changes the words of a kept fact.
func (s *Store) Edit(ctx context.Context, id, text string) error {
	text, err := clean(text)
	if err != nil {
		return err
	}
	return s.done(s.tx(ctx, func(tx *sql.Tx) error {
		f, n, err := byID(ctx, tx, id, Kept)
		if err != nil || f.Text == text {
			return err
		}
		return s.keep(ctx, tx, n, f, text)
	}), true)
}

// Keep keeps a suggestion, in other words when text isn't empty.
func (s *Store) Keep(ctx context.Context, id, text string) error {
	return s.done(s.tx(ctx, func(tx *sql.Tx) error {
		f, n, err := byID(ctx, tx, id, Waiting)
		if err != nil {
			return err
		}
		if text == "" {
			text = f.Text
		}
		if text, err = clean(text); err != nil {
			return err
		}
		if err := room(ctx, tx); err != nil {
			return err
		}
		return s.keep(ctx, tx, n, f, text)
	}), true)
}

// keep makes row n a kept fact with these words.
func (s *Store) keep(ctx context.Context, tx *sql.Tx, n int64, f Fact, text string) error {
	same := sameness(text)
	if err := makeWay(ctx, tx, same, f.ID); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "UPDATE memory_facts SET text = ?, same = ?, state = ?, was = '', changed = ? WHERE n = ?",
		text, same, string(Kept), s.opt.Now().UnixMilli(), n)
	if err != nil {
		return err
	}
	return index(ctx, tx, n, text)
}

// Forget takes a kept fact out of every search. Undo brings it back within UndoFor.
func (s *Store) Forget(ctx context.Context, id string) error { return s.away(ctx, id, Kept) }

// Refuse says no to a suggestion. Undo has it wait again within UndoFor; until then it can't be suggested anew.
func (s *Store) Refuse(ctx context.Context, id string) error { return s.away(ctx, id, Waiting) }

func (s *Store) away(ctx context.Context, id string, was State) error {
	return s.done(s.tx(ctx, func(tx *sql.Tx) error {
		_, n, err := byID(ctx, tx, id, was)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE memory_facts SET state = ?, was = ?, changed = ? WHERE n = ?",
			string(Forgotten), string(was), s.opt.Now().UnixMilli(), n)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM memory_index WHERE rowid = ?", n)
		return err
	}), true)
}

// Undo brings back what was forgotten or refused, as what it was.
func (s *Store) Undo(ctx context.Context, id string) error {
	if err := s.purge(ctx); err != nil {
		return err
	}
	return s.done(s.tx(ctx, func(tx *sql.Tx) error {
		f, n, err := byID(ctx, tx, id, Forgotten)
		if err != nil {
			return err
		}
		if f.Was == Kept {
			if err := room(ctx, tx); err != nil {
				return err
			}
			if err := index(ctx, tx, n, f.Text); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, "UPDATE memory_facts SET state = was, was = '', changed = ? WHERE n = ?", s.opt.Now().UnixMilli(), n)
		return err
	}), true)
}

// done tells of a change once it is on the disk.
func (s *Store) done(err error, changed bool) error {
	if err == nil && changed {
		s.opt.Changed()
	}
	return err
}

func (s *Store) insert(ctx context.Context, tx *sql.Tx, text string, state State, from Source) error {
	now := s.opt.Now().UnixMilli()
	res, err := tx.ExecContext(ctx, `INSERT INTO memory_facts (id, text, same, state, was, kind, source, name, read, made, changed)
		VALUES (?, ?, ?, ?, '', ?, ?, ?, ?, ?, ?)`, strings.ToLower(rand.Text()), text, sameness(text), string(state),
		string(from.Kind), from.ID, plain.Clip(plain.Line(from.Name), sourceMax), plain.Clip(plain.Line(from.Read), sourceMax), now, now)
	if err != nil || state != Kept {
		return err
	}
	n, err := res.LastInsertId()
	if err != nil {
		return err
	}
	return index(ctx, tx, n, text)
}

// index puts a kept fact where searches look.
func index(ctx context.Context, tx *sql.Tx, n int64, text string) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM memory_index WHERE rowid = ?", n); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO memory_index (rowid, words) VALUES (?, ?)", n, strings.Join(plain.Words(text), " "))
	return err
}

// makeWay removes another fact that says the same and isn't kept; one that is kept is in the way.
func makeWay(ctx context.Context, tx *sql.Tx, same, id string) error {
	other, err := bySame(ctx, tx, same, id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	case other.State == Kept:
		return &Refusal{Known, fmt.Sprintf("Conch knows this already: “%s”", other.Text), "Edit that one instead."}
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM memory_facts WHERE id = ?", other.ID)
	return err
}

func room(ctx context.Context, tx *sql.Tx) error {
	kept, err := count(ctx, tx, Kept)
	if err == nil && kept >= KeptMax {
		return &Refusal{Full, fmt.Sprintf("Conch keeps at most %d facts.", KeptMax), "Forget some first."}
	}
	return err
}

func count(ctx context.Context, tx *sql.Tx, state State) (n int, err error) {
	err = tx.QueryRowContext(ctx, "SELECT count(*) FROM memory_facts WHERE state = ?", string(state)).Scan(&n)
	return n, err
}

func bySame(ctx context.Context, tx *sql.Tx, same, notID string) (Fact, error) {
	return scan(tx.QueryRowContext(ctx, columns+"WHERE f.same = ? AND f.id <> ?", same, notID))
}

// byID is a fact in the state that it must be in, with its row.
func byID(ctx context.Context, tx *sql.Tx, id string, state State) (f Fact, n int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT n FROM memory_facts WHERE id = ? AND state = ?", id, string(state)).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return Fact{}, 0, gone
	}
	if err != nil {
		return Fact{}, 0, err
	}
	f, err = scan(tx.QueryRowContext(ctx, columns+"WHERE f.n = ?", n))
	return f, n, err
}
