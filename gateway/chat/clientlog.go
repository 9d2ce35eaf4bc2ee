package chat

import "context"

// ClientLog returns the log of a paired app, or an error where it did nothing yet.
func (s *Store) ClientLog(ctx context.Context, client string) (Chat, error) {
	if client == "" {
		return Chat{}, ErrNoChat
	}
	return scanChat(s.db.QueryRowContext(ctx, chatColumns+"WHERE client = ?", client))
}
