package chat

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
)

// Verify looks through the whole database at path, on a connection of its own that changes nothing, and says what
// is wrong with it as a *DamagedError. One that isn't there is fine.
func Verify(ctx context.Context, path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	q := url.Values{"_pragma": {"busy_timeout(1000)", "query_only(1)"}, "mode": {"rw"}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+q.Encode())
	if err != nil {
		return fmt.Errorf("open the chats to look through them: %w", err)
	}
	defer func() { _ = db.Close() }()
	var first string
	err = db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&first)
	switch {
	case err == nil && first == "ok":
		return nil
	case err == nil:
		return &DamagedError{Path: path, Err: errors.New(first)}
	case damaged(err):
		return &DamagedError{Path: path, Err: err}
	}
	return fmt.Errorf("look through the chats: %w", err)
}

// Rebuild makes the database's indexes anew from what it holds.
func (s *Store) Rebuild(ctx context.Context) error {
	_, err := s.db.ExecContext(ctx, "REINDEX")
	return err
}
