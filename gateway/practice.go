package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"sync"
	"time"

	"conch/driver"
	"conch/driver/raster"
)

const (
	practiceArea  = 1280 * 800
	practiceEvery = 300 * time.Millisecond // at most one picture in this time, for all pages together
	practiceAfter = 5 * time.Second        // without a request, following the screen ends
	practiceGrab  = 3 * time.Second        // one picture may take this long
)

// practice shows the practice desktop to the person's own pages. It does nothing until a page asks, shares
// one picture between all that ask, and takes a new one only when the screen has changed.
type practice struct {
	driver *follower
	now    func() time.Time

	mu    sync.Mutex
	taken time.Time // when the screen was looked at last
	seen  uint64    // the driver's count of changes then
	etag  string
	mime  string
	data  []byte
	idle  *time.Timer
	ended bool
}

func newPractice(d *follower, now func() time.Time) *practice { return &practice{driver: d, now: now} }

// shot returns the newest picture.
func (p *practice) shot(ctx context.Context) (data []byte, mime, etag string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return nil, "", "", problem(CodeUnavailable, "Conch is closing.", "")
	}
	if p.idle == nil {
		p.idle = time.AfterFunc(practiceAfter, p.rest)
	} else {
		p.idle.Reset(practiceAfter)
	}
	if p.data != nil && p.now().Sub(p.taken) < practiceEvery {
		return p.data, p.mime, p.etag, nil
	}
	ctx, cancel := context.WithTimeout(ctx, practiceGrab)
	defer cancel()
	if err := p.driver.Begin(ctx); err != nil {
		return nil, "", "", err
	}
	if p.data != nil && !p.moved(ctx) {
		p.taken = p.now()
		return p.data, p.mime, p.etag, nil
	}
	pic, err := p.driver.Look(ctx, driver.Shot{MaxArea: practiceArea})
	if err != nil {
		return nil, "", "", err
	}
	mime, data, err = raster.Encode(pic.Pix)
	change := pic.Change
	raster.Free(pic.Pix)
	if err != nil {
		return nil, "", "", err
	}
	p.taken, p.seen, p.mime, p.data = p.now(), change, mime, data
	p.etag = etagOf(p.data)
	return p.data, p.mime, p.etag, nil
}

func etagOf(data []byte) string {
	sum := sha256.Sum256(data)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}

// moved says whether the screen changed since the last picture.
func (p *practice) moved(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	seen, err := p.driver.Changed(ctx, p.seen)
	return err == nil && seen > p.seen
}

// rest lets go of the screen and of its picture once no page asks any more.
func (p *practice) rest() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
}

func (p *practice) end() {
	ctx, cancel := context.WithTimeout(context.Background(), practiceGrab)
	defer cancel()
	_ = p.driver.End(ctx) // nothing can be done about it, and the next Begin says what is wrong
	p.data, p.etag, p.idle = nil, "", nil
}

// close ends it for good.
func (p *practice) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	if p.idle != nil {
		p.idle.Stop()
	}
	p.end()
}

// practiceProblem says why there is no picture: a slow or busy screen is no mistake of Conch's, and the page asks
// again by itself.
func practiceProblem(err error) *Problem {
	if p := problemOf(err); p.Code != CodeInternal {
		return p
	}
	return &Problem{Code: CodeUnavailable, Say: "The practice desktop gave no picture this time.", Next: "Try again in a moment.", Err: err}
}

func (g *Gateway) getPracticeShot(w http.ResponseWriter, r *http.Request) error {
	if g.practice == nil {
		return problem(CodeNotFound, "This isn't a practice desktop.", "Watch the screen itself.")
	}
	data, mime, etag, err := g.practice.shot(r.Context())
	if err != nil {
		return practiceProblem(err)
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("ETag", etag)
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Type", mime)
	_, _ = w.Write(data)
	return nil
}
