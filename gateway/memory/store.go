package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"
)

const schemaVersion = 1

// The index holds kept facts and no others, folded as searches are.
const schema = `
CREATE TABLE memory_version (version INTEGER NOT NULL) STRICT;
CREATE TABLE memory_facts (
	n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL, same TEXT NOT NULL UNIQUE,
	state TEXT NOT NULL, was TEXT NOT NULL,
	kind TEXT NOT NULL, source TEXT NOT NULL, name TEXT NOT NULL, read TEXT NOT NULL,
	made INTEGER NOT NULL, changed INTEGER NOT NULL
) STRICT;
CREATE INDEX memory_state ON memory_facts (state, changed DESC, n DESC);
CREATE VIRTUAL TABLE memory_index USING fts5 (words, tokenize = "unicode61 remove_diacritics 2 categories 'L* N* M* So Sc'", prefix = '2 3 4');
INSERT INTO memory_index (memory_index, rank) VALUES ('secure-delete', 1);
`

// Options are what a Store needs beside its database.
type Options struct {
	Now func() time.Time
	// Changed is told after each change; may be nil. It must not wait for the store.
	Changed func()
	// Readers are connections to the same database that searches and lists go through; nil: the database itself.
	Readers *sql.DB
}

// Store is what Conch knows. It is safe for several goroutines.
type Store struct {
	db  *sql.DB
	opt Options

	mu    sync.Mutex
	asked map[string][]time.Time // when each source suggested, within the last hour
	ready map[string]*sql.Stmt   // queries that were compiled; they end with the database
}

// Open makes the tables when needed and overwrites what was forgotten long enough ago. The database stays the
// caller's to close.
func Open(ctx context.Context, db *sql.DB, opt Options) (*Store, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Changed == nil {
		opt.Changed = func() {}
	}
	if opt.Readers == nil {
		opt.Readers = db
	}
	s := &Store{db: db, opt: opt, asked: map[string][]time.Time{}, ready: map[string]*sql.Stmt{}}
	if err := s.migrate(ctx); err != nil {
		return nil, fmt.Errorf("open what Conch knows: %w", err)
	}
	if err := s.purge(ctx); err != nil {
		return nil, fmt.Errorf("open what Conch knows: %w", err)
	}
	return s, nil
}

func (s *Store) migrate(ctx context.Context) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		var tables, have int
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = 'memory_version'").Scan(&tables); err != nil {
			return err
		}
		if tables == 0 {
			_, err := tx.ExecContext(ctx, schema+fmt.Sprintf("INSERT INTO memory_version VALUES (%d);", schemaVersion))
			return err
		}
		if err := tx.QueryRowContext(ctx, "SELECT max(version) FROM memory_version").Scan(&have); err != nil {
			return err
		}
		if have > schemaVersion {
			return fmt.Errorf("a newer Conch wrote it (%d; this one knows %d): update Conch to read it", have, schemaVersion)
		}
		return nil
	})
}

func (s *Store) tx(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// purge overwrites what was forgotten longer ago than it can be brought back.
func (s *Store) purge(ctx context.Context) error {
	res, err := s.db.ExecContext(ctx, "DELETE FROM memory_facts WHERE state = ? AND changed <= ?",
		string(Forgotten), s.opt.Now().Add(-UndoFor).UnixMilli())
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	// The log that SQLite keeps beside the database still has the words until it is written over.
	var busy, pages, moved int
	return s.db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved)
}

const columns = "SELECT f.id, f.text, f.state, f.was, f.kind, f.source, f.name, f.read, f.made, f.changed FROM memory_facts f "

func scan(row interface{ Scan(...any) error }) (Fact, error) {
	var f Fact
	var made, changed int64
	err := row.Scan(&f.ID, &f.Text, &f.State, &f.Was, &f.Source.Kind, &f.Source.ID, &f.Source.Name, &f.Source.Read, &made, &changed)
	f.Made, f.Changed = time.UnixMilli(made), time.UnixMilli(changed)
	return f, err
}

// compiled is a query that needn't be read again each time. There are few texts, and each has few words.
func (s *Store) compiled(ctx context.Context, query string) (*sql.Stmt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if have := s.ready[query]; have != nil {
		return have, nil
	}
	made, err := s.opt.Readers.PrepareContext(ctx, query)
	if err == nil {
		s.ready[query] = made
	}
	return made, err
}

// facts makes a query. It is over within milliseconds, so it isn't given up half way: watching for that would take
// two goroutines for each.
func (s *Store) facts(ctx context.Context, query string, args ...any) ([]Fact, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	q, err := s.compiled(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("read what Conch knows: %w", err)
	}
	rows, err := q.QueryContext(ctx, args...)
	if err != nil {
		return nil, fmt.Errorf("read what Conch knows: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []Fact
	for rows.Next() {
		f, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("read what Conch knows: %w", err)
		}
		out = append(out, f)
	}
	return out, rows.Err()
}

// List is the facts in one state, at most n, the newest change first.
func (s *Store) List(ctx context.Context, state State, n int) ([]Fact, error) {
	if state == Forgotten {
		if err := s.purge(ctx); err != nil {
			return nil, err
		}
	}
	return s.facts(ctx, columns+"WHERE f.state = ? ORDER BY f.changed DESC, f.n DESC LIMIT ?", string(state), n)
}

// Count says how many facts are in a state.
func (s *Store) Count(ctx context.Context, state State) (n int, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT count(*) FROM memory_facts WHERE state = ?", string(state)).Scan(&n)
	return n, err
}
