package otherapps

import (
	"log/slog"
	"slices"
	"sync"
	"time"

	"conch/gateway/state"
	"conch/mcp/connect"
)

// File is the document of what was written where. It is no list of who is paired: a record without a pairing is
// nothing.
const File = "mcp/connected.json"

// Way is how an app got Conch's lines.
type Way string

// The ways.
const (
	BySettings Way = "settings" // Conch wrote them
	ByLink     Way = "link"     // the app was asked to add them
	ByBundle   Way = "bundle"   // Claude Desktop installs a file
	ByHand     Way = "hand"     // the person adds them
)

// putBackMost is how often lines that an app wrote over are put back before that is left to the person.
const putBackMost = 3

// record is what is known of one connection.
type record struct {
	Way     Way              `json:"way"`
	Receipt *connect.Receipt `json:"receipt,omitempty"`
	// Waits says that the app hasn't come since.
	Waits bool `json:"waits,omitzero"`
	// Back is how often its lines were put back.
	Back int `json:"back,omitzero"`
}

type doc struct {
	state.Versioned
	Clients map[string]record `json:"clients,omitempty"`
	// Fixed is what was put right and not read yet, a sentence each.
	Fixed []string `json:"fixed,omitempty"`
}

func (d *doc) edit(client string, edit func(*record)) {
	r := d.Clients[client]
	edit(&r)
	d.put(client, r)
}

func (d *doc) put(client string, r record) {
	if d.Clients == nil {
		d.Clients = map[string]record{}
	}
	d.Clients[client] = r
}

// fixedMost bounds what waits to be read.
const fixedMost = 20

func (d *doc) fixed(say string) {
	d.Fixed = slices.DeleteFunc(d.Fixed, func(old string) bool { return old == say })
	d.Fixed = append(d.Fixed, say)
	if n := len(d.Fixed) - fixedMost; n > 0 {
		d.Fixed = slices.Delete(d.Fixed, 0, n)
	}
}

type records struct{ file *state.File[doc] }

func newRecords(dir *state.Dir, log *slog.Logger) *records {
	return &records{state.NewFile[doc](dir, File, 1, log)}
}

// read is the document; one that can't be read knows nothing.
func (r *records) read() doc {
	d, err := r.file.Read()
	if err != nil {
		return doc{}
	}
	return d
}

func (r *records) get(client string) (record, bool) {
	one, ok := r.read().Clients[client]
	return one, ok
}

func (r *records) change(edit func(*doc)) error {
	return r.file.Change(func(d *doc) error { edit(d); return nil })
}

// plans are those that a person looks at, by the id that the app would have.
type plans struct {
	now func() time.Time
	mu  sync.Mutex
	all map[string]planned
}

// planned is what connecting an app would do.
type planned struct {
	app  string
	plan connect.Plan
	left *connect.LeftAloneError // why it can't be written; nil when it can
	at   time.Time
}

const (
	plansMost = 64
	planFor   = time.Hour
)

func (p *plans) put(id string, one planned) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one.at = p.now()
	oldest := ""
	for old, other := range p.all {
		switch {
		case one.at.Sub(other.at) >= planFor:
			delete(p.all, old)
		case oldest == "" || other.at.Before(p.all[oldest].at):
			oldest = old
		}
	}
	if len(p.all) >= plansMost {
		delete(p.all, oldest)
	}
	if p.all == nil {
		p.all = map[string]planned{}
	}
	p.all[id] = one
}

func (p *plans) get(id string) (planned, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one, ok := p.all[id]
	return one, ok && p.now().Sub(one.at) < planFor
}

func (p *plans) drop(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.all, id)
}
