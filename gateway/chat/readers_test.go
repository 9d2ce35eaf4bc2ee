package chat

import (
	"path/filepath"
	"sync"
	"testing"
)

// Readers see what was written before, many at once, and can't write.
func TestReaders(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), File), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	for want := 1; want <= 5; want++ {
		if _, err := s.NewChat(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 2 * readers {
			all.Go(func() {
				var n int
				if err := s.Readers().QueryRowContext(t.Context(), "SELECT count(*) FROM chats").Scan(&n); err != nil || n != want {
					t.Errorf("%d of %d chats: %v", n, want, err)
				}
			})
		}
		all.Wait()
	}
	for _, write := range []string{"DELETE FROM chats", "INSERT INTO chats (id) VALUES ('y')", "CREATE TABLE y (z)", "PRAGMA user_version = 9"} {
		if _, err := s.Readers().ExecContext(t.Context(), write); err == nil {
			t.Errorf("a reader can do %s", write)
		}
	}
}
