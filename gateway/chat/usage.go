package chat

import (
	"context"
	"time"
)

// Usage is what one request to a model took.
type Usage struct {
	Chat, Turn, Model    string
	In, Out              int // tokens; In counts the cache's too
	CacheRead, CacheMade int
	Dollars              float64
	Known                bool // that Dollars is what it cost
}

// Spent is a sum of usages.
type Spent struct {
	In, Out  int
	Dollars  float64
	Requests int
	Unknown  int // of them that nobody knows the price of
}

// Use writes down what a request took.
func (s *Store) Use(ctx context.Context, u Usage) error {
	var dollars any
	if u.Known {
		dollars = u.Dollars
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		s.now().UnixMilli(), u.Chat, u.Turn, u.Model, u.In, u.Out, u.CacheRead, u.CacheMade, dollars)
	return err
}

const spentColumns = "SELECT coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0), coalesce(sum(dollars), 0.0), " +
	"count(*), count(*) - count(dollars) FROM usage "

// SpentSince sums up what all chats have taken since a time.
func (s *Store) SpentSince(ctx context.Context, t time.Time) (Spent, error) {
	return s.spent(ctx, spentColumns+"WHERE at >= ?", t.UnixMilli())
}

// SpentIn sums up what a chat has taken, or one turn of it where turn isn't empty.
func (s *Store) SpentIn(ctx context.Context, chat, turn string) (Spent, error) {
	if turn == "" {
		return s.spent(ctx, spentColumns+"WHERE chat = ?", chat)
	}
	return s.spent(ctx, spentColumns+"WHERE chat = ? AND turn = ?", chat, turn)
}

// SpentLast sums up what the last turn of a chat has taken that took anything.
func (s *Store) SpentLast(ctx context.Context, chat string) (Spent, error) {
	return s.spent(ctx, spentColumns+"WHERE chat = ?1 AND turn = (SELECT turn FROM usage WHERE chat = ?1 ORDER BY rowid DESC LIMIT 1)", chat)
}

func (s *Store) spent(ctx context.Context, query string, args ...any) (Spent, error) {
	var sum Spent
	err := s.db.QueryRowContext(ctx, query, args...).Scan(&sum.In, &sum.Out, &sum.Dollars, &sum.Requests, &sum.Unknown)
	return sum, err
}
