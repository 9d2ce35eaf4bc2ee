package chat

import "context"

// Skills returns the events of the skills that a chat loaded, oldest first. They hold for as long as there is
// the chat.
func (s *Store) Skills(ctx context.Context, chat string) ([]Event, error) {
	return s.events(ctx, eventColumns+"WHERE chat = ? AND kind = 'skill' ORDER BY seq", chat)
}
