package state

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Versioned is what every document starts with. A document embeds it, so that it also carries the members
// that only a newer Conch knows through a rewrite.
type Versioned struct {
	// Version is the form of the document; 0 (absent) is the first.
	Version int `json:"version,omitzero"`
	// Unknown holds the members that this Conch doesn't know.
	Unknown jsontext.Value `json:",embed"`
}

func (v *Versioned) version() *int { return &v.Version }

type versioned interface{ version() *int }

// File is one document. T embeds Versioned.
type File[T any] struct {
	dir     *Dir
	name    string
	version int
	log     *slog.Logger
}

// NewFile declares the document name in the folder, in the form that version says.
func NewFile[T any](d *Dir, name string, version int, log *slog.Logger) *File[T] {
	if _, ok := any(new(T)).(versioned); !ok {
		panic("state: a document must embed Versioned: " + name)
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	f := &File[T]{dir: d, name: name, version: version, log: log}
	d.declareDocument(name, func() error {
		_, err := f.Read()
		return err
	})
	return f
}

// Read returns the document; absent is zero. With an error the document is zero too, which means off.
func (f *File[T]) Read() (T, error) {
	var zero T
	data, err := f.dir.read(f.name)
	if errors.Is(err, fs.ErrNotExist) {
		return zero, nil
	}
	if err != nil {
		return zero, f.typed(err)
	}
	var doc T
	if err := json.Unmarshal(data, &doc); err != nil {
		return zero, f.typed(err)
	}
	if got := *any(&doc).(versioned).version(); got > f.version {
		return zero, &NewerError{Path: f.dir.Path(f.name), Version: got, Known: f.version}
	}
	return doc, nil
}

// Change is the only writer: it reads the document under a lock, lets change edit it, and replaces it whole.
// When change returns an error nothing is written. A document that can't be read is kept aside first; one
// that isn't a plain file, or that a newer Conch wrote, is refused.
func (f *File[T]) Change(change func(*T) error) error {
	return f.dir.locked(func() error {
		doc, err := f.Read()
		var unreadable *UnreadableError
		if err != nil && !errors.As(err, &unreadable) {
			return err
		}
		if err := change(&doc); err != nil {
			return err
		}
		if v := any(&doc).(versioned).version(); *v == 0 || *v < f.version {
			*v = f.version
		}
		data, err := json.Marshal(doc, jsontext.WithIndent("  "), json.Deterministic(true))
		if err != nil {
			return fmt.Errorf("write %s: %w", f.dir.Path(f.name), err)
		}
		if unreadable != nil {
			to, err := f.dir.aside(f.name)
			if err != nil {
				return fmt.Errorf("keep the unreadable %s aside: %w", unreadable.Path, err)
			}
			f.log.Warn("a file could not be read; it is kept aside and its settings are off", "file", f.name, "kept", to)
		}
		if err := f.dir.write(f.name, append(data, '\n')); err != nil {
			return fmt.Errorf("write %s: %w", f.dir.Path(f.name), err)
		}
		return nil
	})
}

// typed turns any failure to read into an UnreadableError, unless it says more already.
func (f *File[T]) typed(err error) error {
	var irregular *NotRegularError
	var unreadable *UnreadableError
	if errors.As(err, &irregular) || errors.As(err, &unreadable) {
		return err
	}
	return &UnreadableError{Path: f.dir.Path(f.name), Err: err}
}
