// Package devices knows the browsers elsewhere that may come in. One signs in with the Conch password and then waits
// until it is let in from this computer; each has a cookie of 256 random bits, of which only the hash is kept.
//
// Those that wait are in memory only, few, and for an hour at most, so signing in alone leaves nothing behind. The
// package checks no password and serves nothing; the caller has made sure who lets in and who removes.
package devices

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"conch/gateway/access"
	"conch/gateway/access/keep"
)

const (
	// WaitsFor is how long a device waits to be let in.
	WaitsFor = time.Hour
	// MostWaiting wait at most; one more takes the place of the one that came first.
	MostWaiting = 8
	// Most are let in at most.
	Most = 32

	seenEvery = 5 * time.Minute // how finely it is remembered when a device was there last
)

// ErrFull says that no more devices can be let in.
var ErrFull = errors.New("there are too many devices; remove one first")

// Device is one that waits or was let in.
type Device struct {
	ID   string
	Name string
	// Number is shown on the device and on this computer, so that the person lets in the one in their hand.
	Number string
	From   string // the address that it signed in from; empty once it was let in
	Since  time.Time
	Seen   time.Time
}

// waiting is one that signed in.
type waiting struct {
	Device
	hash string
}

// Devices is the list. Make it with New. It is safe for several goroutines.
type Devices struct {
	file *keep.File
	now  func() time.Time

	mu      sync.Mutex
	waiting []waiting // oldest first
	seen    map[string]time.Time
	held    map[string]map[*hold]struct{} // what ends when a device is removed
}

type hold struct{ end context.CancelFunc }

// New returns the devices of a document.
func New(file *keep.File, now func() time.Time) *Devices {
	if now == nil {
		now = time.Now
	}
	return &Devices{file: file, now: now, seen: map[string]time.Time{}, held: map[string]map[*hold]struct{}{}}
}

// SignIn has a new device wait, and returns its cookie. The caller has checked the password.
func (d *Devices) SignIn(name, from string) (cookie string) {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails, by its documentation
	cookie = base64.RawURLEncoding.EncodeToString(raw)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forget()
	if len(d.waiting) >= MostWaiting {
		d.waiting = slices.Delete(d.waiting, 0, 1)
	}
	id := rand.Text()
	d.waiting = append(d.waiting, waiting{Device{ID: id, Name: name, Number: Number(id), From: from, Since: d.now()}, hash(cookie)})
	return cookie
}

// Known says whose a cookie is; in says that it was let in. An unknown one is "".
func (d *Devices) Known(cookie string) (id string, in bool) {
	sum := hash(cookie)
	doc, err := d.file.Read()
	if err != nil {
		return "", false
	}
	for _, dev := range doc.Devices {
		if same(dev.Hash, sum) && d.fresh(dev.In) {
			return dev.ID, true
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forget()
	for _, w := range d.waiting {
		if same(w.hash, sum) {
			return w.ID, false
		}
	}
	return "", false
}

func (d *Devices) fresh(in time.Time) bool { return d.now().Sub(in) <= access.CookieAge }

// Waiting lists those that wait, oldest first.
func (d *Devices) Waiting() []Device {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forget()
	var out []Device
	for _, w := range d.waiting {
		out = append(out, w.Device)
	}
	return out
}

// In lists those that were let in, in the order in which they were.
func (d *Devices) In() ([]Device, error) {
	doc, err := d.file.Read()
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []Device
	for _, dev := range doc.Devices {
		seen := dev.Seen
		if at, ok := d.seen[dev.ID]; ok && at.After(seen) {
			seen = at
		}
		out = append(out, Device{ID: dev.ID, Name: dev.Name, Number: Number(dev.ID), Since: dev.In, Seen: seen})
	}
	return out, nil
}

// LetIn lets in a device that waits, and says whether there was one. Only a person's own request on this computer
// may: the caller has made sure of that.
func (d *Devices) LetIn(id string) (was bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forget()
	i := slices.IndexFunc(d.waiting, func(w waiting) bool { return w.ID == id })
	if i < 0 {
		return false, nil
	}
	w := d.waiting[i]
	err = d.file.Change(func(doc *keep.Doc) error {
		doc.Devices = slices.DeleteFunc(doc.Devices, func(dev keep.Device) bool { return !d.fresh(dev.In) })
		if len(doc.Devices) >= Most {
			return ErrFull
		}
		now := d.now().UTC().Truncate(time.Second)
		doc.Devices = append(doc.Devices, keep.Device{ID: w.ID, Name: w.Name, Hash: w.hash, In: now, Seen: now})
		return nil
	})
	if err != nil {
		return false, err
	}
	d.waiting = slices.Delete(d.waiting, i, i+1)
	return true, nil
}

// Remove takes a device from the list, whether it waits or was let in, and ends all that it holds open. It says
// whether it was there. An unreadable list holds nobody, so there is nothing to remove from it.
func (d *Devices) Remove(id string) (was bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := slices.IndexFunc(d.waiting, func(w waiting) bool { return w.ID == id }); i >= 0 {
		d.waiting = slices.Delete(d.waiting, i, i+1)
		return true, nil
	}
	err = d.file.Change(func(doc *keep.Doc) error {
		before := len(doc.Devices)
		doc.Devices = slices.DeleteFunc(doc.Devices, func(dev keep.Device) bool { return dev.ID == id })
		was = len(doc.Devices) < before
		return nil
	})
	if err != nil {
		return false, err
	}
	delete(d.seen, id)
	for h := range d.held[id] {
		h.end()
	}
	return was, nil
}

// EndAll ends all that devices hold open and forgets those that wait: their way in is gone.
func (d *Devices) EndAll() {
	d.mu.Lock()
	d.waiting = nil
	d.mu.Unlock()
	d.EndSockets()
}

// EndSockets ends all that devices hold open. Their pages come back by themselves.
func (d *Devices) EndSockets() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, holds := range d.held {
		for h := range holds {
			h.end()
		}
	}
}

// Hold ties ctx to a device: it ends when the device is removed. Call release once done.
func (d *Devices) Hold(ctx context.Context, id string) (_ context.Context, release func()) {
	ctx, end := context.WithCancel(ctx)
	h := &hold{end}
	d.mu.Lock()
	if d.held[id] == nil {
		d.held[id] = map[*hold]struct{}{}
	}
	d.held[id][h] = struct{}{}
	d.mu.Unlock()
	// It may have been removed, or the address turned off, between being let past the guard and being held.
	if doc, err := d.file.Read(); err != nil || !doc.Address.On || !slices.ContainsFunc(doc.Devices, func(dev keep.Device) bool { return dev.ID == id }) {
		end()
	}
	return ctx, func() {
		end()
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.held[id], h)
		if len(d.held[id]) == 0 {
			delete(d.held, id)
		}
	}
}

// Here remembers that a device was there just now. It is written down now and then only.
func (d *Devices) Here(id string) {
	now := d.now().UTC().Truncate(time.Second)
	d.mu.Lock()
	last, known := d.seen[id]
	since := now.Sub(last)
	if known && since >= 0 && since < seenEvery {
		d.mu.Unlock()
		return
	}
	d.seen[id] = now
	d.mu.Unlock()
	// A disk that is full costs a time in a list, no more.
	_ = d.file.Change(func(doc *keep.Doc) error {
		for i := range doc.Devices {
			if doc.Devices[i].ID == id {
				doc.Devices[i].Seen = now
				return nil
			}
		}
		return errUnchanged
	})
}

var errUnchanged = errors.New("nothing to write")

func (d *Devices) forget() {
	now := d.now()
	d.waiting = slices.DeleteFunc(d.waiting, func(w waiting) bool {
		age := now.Sub(w.Since)
		return age < 0 || age > WaitsFor
	})
}

func hash(cookie string) string {
	sum := sha256.Sum256([]byte(cookie))
	return hex.EncodeToString(sum[:])
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// Number is four digits of a device's id. They prove nothing: they are for a person to compare.
func Number(id string) string {
	sum := sha256.Sum256([]byte("conch device number\x00" + id))
	return fmt.Sprintf("%04d", (int(sum[0])<<16|int(sum[1])<<8|int(sum[2]))%10000)
}
