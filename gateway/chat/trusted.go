package chat

import "context"

// In lists the chats that have a mode, those used last first, at most n.
func (s *Store) In(ctx context.Context, m Mode, n int) ([]Chat, error) {
	rows, err := s.db.QueryContext(ctx, chatColumns+"WHERE mode = ? ORDER BY updated DESC, id LIMIT ?", string(m), n)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []Chat
	for rows.Next() {
		c, err := scanChat(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, rows.Err()
}
