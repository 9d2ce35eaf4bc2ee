package chat

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// File is the name of the database in Conch's folder.
const File = "conch.db"

// migrations bring a database from one version to the next; the first makes it. Each is done whole or not at all.
var migrations = []string{schema, `
ALTER TABLE chats ADD COLUMN origin TEXT NOT NULL DEFAULT 'person';
ALTER TABLE chats ADD COLUMN client TEXT NOT NULL DEFAULT '';
ALTER TABLE chats ADD COLUMN model TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX chats_client ON chats (client) WHERE client <> '';
CREATE TABLE usage (
	at INTEGER NOT NULL, chat TEXT NOT NULL REFERENCES chats (id), turn TEXT NOT NULL, model TEXT NOT NULL,
	tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_made INTEGER NOT NULL, dollars REAL
) STRICT;
CREATE INDEX usage_chat ON usage (chat, turn);
CREATE INDEX usage_at ON usage (at);
`}

const schema = `
CREATE TABLE chats (
	id TEXT PRIMARY KEY, title TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, mode TEXT NOT NULL
) STRICT;
CREATE INDEX chats_updated ON chats (updated DESC);
CREATE TABLE turns (
	id TEXT PRIMARY KEY, chat TEXT NOT NULL REFERENCES chats (id), started INTEGER NOT NULL, ended INTEGER, state TEXT NOT NULL
) STRICT;
CREATE INDEX turns_running ON turns (chat) WHERE ended IS NULL;
CREATE TABLE events (
	seq INTEGER PRIMARY KEY AUTOINCREMENT, chat TEXT NOT NULL REFERENCES chats (id), turn TEXT NOT NULL,
	at INTEGER NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL
) STRICT;
CREATE INDEX events_chat ON events (chat, seq);
`

// Store is the database of chats. It is safe for several goroutines; one process opens it.
type Store struct {
	db   *sql.DB
	read *sql.DB // see Readers
	now  func() time.Time

	mu sync.Mutex // held from an event's writing to its handing out, so that both have one order
	on func(Event)
}

// Open opens the database at path, making it when needed. on is told each event once it is written, in the
// order of the log; it may be nil and must not append.
func Open(ctx context.Context, path string, now func() time.Time, on func(Event)) (*Store, error) {
	// SQLite gives its log and index files the mode of the database, which it would make readable for all.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the chats: %w", err)
	}
	if err := errors.Join(f.Chmod(0o600), f.Close()); err != nil {
		return nil, fmt.Errorf("open the chats: %w", err)
	}
	q := url.Values{"_pragma": {
		"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(NORMAL)", "foreign_keys(1)",
		"cache_size(-512)", "temp_store(MEMORY)", "journal_size_limit(1048576)",
		"secure_delete(1)", // what is forgotten is overwritten
	}, "_txlock": {"immediate"}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+q.Encode())
	if err != nil {
		return nil, fmt.Errorf("open the chats: %w", err)
	}
	// One connection is one page cache; what writes to a person's chats needs no more.
	db.SetMaxOpenConns(1)
	read, err := openReaders(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the chats: %w", err), db.Close())
	}
	if now == nil {
		now = time.Now
	}
	if on == nil {
		on = func(Event) {}
	}
	s := &Store{db: db, read: read, now: now, on: on}
	if err := s.migrate(ctx); err != nil {
		_ = s.Close()
		if damaged(err) {
			return nil, &DamagedError{Path: path, Err: err}
		}
		return nil, fmt.Errorf("open the chats in %s: %w", path, err)
	}
	return s, nil
}

// DamagedError says that the file isn't a database, or not a whole one.
type DamagedError struct {
	Path string
	Err  error
}

func (e *DamagedError) Error() string {
	return "the chats in " + e.Path + " can't be read: they are damaged"
}
func (e *DamagedError) Unwrap() error { return e.Err }

func damaged(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code()&0xff == sqlite3.SQLITE_NOTADB || e.Code()&0xff == sqlite3.SQLITE_CORRUPT)
}

// DB is the database itself, for what is kept in it beside chats; whoever uses it touches only tables of its own.
// There is one connection, so rows are closed before the next query.
func (s *Store) DB() *sql.DB { return s.db }

// Readers are more connections to the same database, which can only read: a look-up of another app waits neither for
// others nor for what is being written, and sees all that was written before it.
func (s *Store) Readers() *sql.DB { return s.read }

// openReaders opens none yet: each is opened when it is needed, and closed again after a minute of rest.
func openReaders(path string) (*sql.DB, error) {
	q := url.Values{"_pragma": {"busy_timeout(5000)", "query_only(1)", "cache_size(-256)", "temp_store(MEMORY)"}, "mode": {"rw"}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+q.Encode())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(readers)
	db.SetMaxIdleConns(readers)
	db.SetConnMaxIdleTime(time.Minute)
	return db, nil
}

// readers is how many may read at once; as many again would wait for a processor.
const readers = 8

// Close closes the database.
func (s *Store) Close() error { return errors.Join(s.read.Close(), s.db.Close()) }

func (s *Store) migrate(ctx context.Context) error {
	var have int
	if err := s.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return err
	}
	if have > len(migrations) {
		return fmt.Errorf("a newer Conch wrote them (%d; this one knows %d): update Conch to read them", have, len(migrations))
	}
	for ; have < len(migrations); have++ {
		err := s.tx(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, migrations[have]+fmt.Sprintf("PRAGMA user_version = %d;", have+1))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
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

// NewID returns an id that nobody can guess and that is safe in addresses and element ids.
func NewID() string { return strings.ToLower(rand.Text()) }

// NewChat makes a chat whose title comes from its first message.
func (s *Store) NewChat(ctx context.Context, text string) (Chat, error) {
	now := s.now()
	c := Chat{ID: NewID(), Title: title(text), Created: now, Updated: now, Mode: Ask, Origin: ByPerson}
	return c, s.add(ctx, c)
}

// ClientChat returns the one chat of a paired app, the log of what it did, and makes it when it isn't there. name
// is the app's, for a person.
func (s *Store) ClientChat(ctx context.Context, client, name string, mode Mode) (Chat, error) {
	now := s.now()
	c := Chat{ID: NewID(), Title: title(name), Created: now, Updated: now, Mode: mode, Origin: ByClient, Client: client}
	if err := s.add(ctx, c); err != nil {
		return Chat{}, err
	}
	return scanChat(s.db.QueryRowContext(ctx, chatColumns+"WHERE client = ?", client))
}

func (s *Store) add(ctx context.Context, c Chat) error {
	_, err := s.db.ExecContext(ctx, "INSERT INTO chats (id, title, created, updated, mode, origin, client, model) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		c.ID, c.Title, c.Created.UnixMilli(), c.Updated.UnixMilli(), string(c.Mode), string(c.Origin), c.Client, c.Model)
	if err != nil {
		return fmt.Errorf("make a chat: %w", err)
	}
	return nil
}

const titleMax = 60 // characters

// quoted is what a person put in quotes, which is often what is to be typed: a title is shown in many places.
var quoted = regexp.MustCompile(`"[^"]*("|$)|“[^”]*(”|$)`)

func title(text string) string {
	line := strings.Join(strings.Fields(quoted.ReplaceAllLiteralString(text, "“…”")), " ")
	if utf8.RuneCountInString(line) <= titleMax {
		return line
	}
	cut := string([]rune(line)[:titleMax])
	if i := strings.LastIndexByte(cut, ' '); i > titleMax/2 {
		cut = cut[:i]
	}
	return cut + "…"
}

const chatColumns = "SELECT id, title, created, updated, mode, origin, client, model FROM chats "

func scanChat(row interface{ Scan(...any) error }) (Chat, error) {
	var c Chat
	var created, updated int64
	var mode string
	err := row.Scan(&c.ID, &c.Title, &created, &updated, &mode, &c.Origin, &c.Client, &c.Model)
	c.Created, c.Updated = time.UnixMilli(created), time.UnixMilli(updated)
	c.Mode, _ = ParseMode(mode)
	return c, err
}

// Chat returns one chat, or ErrNoChat.
func (s *Store) Chat(ctx context.Context, id string) (Chat, error) {
	c, err := scanChat(s.db.QueryRowContext(ctx, chatColumns+"WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return Chat{}, ErrNoChat
	}
	return c, err
}

// Chats lists a person's chats that were used last, at most n, newest first. A paired app's is a log, and is not
// among them.
func (s *Store) Chats(ctx context.Context, n int) ([]Chat, error) {
	rows, err := s.db.QueryContext(ctx, chatColumns+"WHERE origin = 'person' ORDER BY updated DESC, id LIMIT ?", n)
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

// SetMode gives a chat a mode. A turn that runs goes by it from its next step.
func (s *Store) SetMode(ctx context.Context, id string, m Mode) error {
	res, err := s.db.ExecContext(ctx, "UPDATE chats SET mode = ? WHERE id = ?", string(m), id)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(ErrNoChat, err)
	}
	_, err = s.Append(ctx, Event{Chat: id, Kind: KindMode, State: string(m)})
	return err
}

// SetModel chooses what answers in a chat, from its next turn on; the empty name leaves it to the settings.
func (s *Store) SetModel(ctx context.Context, id, model string) error {
	res, err := s.db.ExecContext(ctx, "UPDATE chats SET model = ? WHERE id = ?", model, id)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(ErrNoChat, err)
	}
	return nil
}

// Append writes an event at the end of the log and returns it with its place and time.
func (s *Store) Append(ctx context.Context, e Event) (Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.At = s.now().Truncate(time.Millisecond)
	err := s.tx(ctx, func(tx *sql.Tx) (err error) {
		e, err = insert(ctx, tx, e)
		return err
	})
	if err != nil {
		return Event{}, fmt.Errorf("write to the chat's log: %w", err)
	}
	s.on(e)
	return e, nil
}

// insert writes an event in a transaction. Its place and time are columns; the rest is its JSON.
func insert(ctx context.Context, tx *sql.Tx, e Event) (Event, error) {
	body := e
	body.Seq, body.Chat, body.Turn, body.Kind, body.At = 0, "", "", "", time.Time{}
	data, err := json.Marshal(body)
	if err != nil {
		return e, err
	}
	res, err := tx.ExecContext(ctx, "INSERT INTO events (chat, turn, at, kind, data) VALUES (?, ?, ?, ?, ?)",
		e.Chat, e.Turn, e.At.UnixMilli(), string(e.Kind), string(data))
	if err != nil {
		return e, err
	}
	seq, err := res.LastInsertId()
	if err != nil {
		return e, err
	}
	e.Seq = uint64(seq)
	_, err = tx.ExecContext(ctx, "UPDATE chats SET updated = ? WHERE id = ?", e.At.UnixMilli(), e.Chat)
	return e, err
}
