// Package ask is the desk where questions to the person wait: may this app be used, may this be sent.
//
// The first answer counts and every later one is told that it came too late. Silence is no: a question
// that nobody can see, that outlives its time, or whose turn is stopped, is answered No. What "always"
// keeps is kept by the answer that counted and by no other. The desk decides nothing else and shows
// nothing: pages, the menu and the terminal read Waiting and call Answer.
package ask

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"time"
)

// Choice is an answer. Its zero value refuses.
type Choice int

// The answers.
const (
	No Choice = iota
	Once
	Always
)

func (c Choice) String() string {
	switch c {
	case Once:
		return "once"
	case Always:
		return "always"
	default:
		return "no"
	}
}

// ParseChoice reads an answer as a page sends it. Anything else than "no", "once" and "always" is no answer.
func ParseChoice(s string) (c Choice, ok bool) {
	switch s {
	case "no":
		return No, true
	case "once":
		return Once, true
	case "always":
		return Always, true
	}
	return No, false
}

// Expiry is how long a question waits when the desk is not told otherwise.
const Expiry = 5 * time.Minute

// LateFor is how long an answer still counts that comes after its question was given up: the same call, made again
// in that time, goes through.
const LateFor = 10 * time.Minute

// maxWaiting bounds the desk: more questions than a person could read are refused at once.
const maxWaiting = 64

// Question is one thing that only the person can decide.
type Question struct {
	ID    string // filled by the desk when empty
	Chat  string
	Turn  string
	Title string // "Use Mousepad on your computer?"
	Why   string // one sentence; may be empty
	App   string // the app it is about, for a person; may be empty

	// Same tells the call that it is about from any other of its chat; a question with the same Chat and Same is the
	// same question asked again. Empty is a question that is never answered late.
	Same string

	Always bool         // whether Always may be answered; otherwise it counts as Once
	Keep   func() error // stores an Always; run by the answer that counted, under the desk's lock

	Asked   time.Time // filled by the desk
	Expires time.Time // filled by the desk
}

// Change is something that happened to a question.
type Change struct {
	Question Question
	Done     bool // false: it was put; true: it was decided
	Choice   Choice
	Reason   Reason
	// Cause is why the turn ended, where Reason is Ended: the cause of its context.
	Cause error
	// KeepErr says why an Always could not be stored; Choice is Once then, and the person must be told.
	KeepErr error
}

// Reason says what decided a question.
type Reason int

// The reasons.
const (
	Unseen   Reason = iota // nobody could see it
	Answered               // a person answered
	Expired                // nobody answered in time
	Ended                  // its turn ended first
	Late                   // a person answered after it was given up; the same call goes by it when it comes again
	Before                 // it was answered late, when it was put the time before
)

// Options are what a desk needs. Zero values refuse.
type Options struct {
	// Seen says whether anybody can see a question of that chat now. nil is nobody: every question is No.
	Seen func(chat string) bool
	// Changed is told each Change, in order per question, outside the desk's lock; may be nil.
	Changed func(Change)
	// Lingers says whether a question that was given up may still be answered for LateFor; nil is none.
	Lingers func(Change) bool
	Expiry  time.Duration // 0 is Expiry
	Now     func() time.Time
}

// Desk holds the questions that wait. Make one with NewDesk.
type Desk struct {
	opt Options

	mu      sync.Mutex
	waiting []*waiting // oldest first
	late    []*late    // given up, oldest first
}

type waiting struct {
	q       Question
	decided chan struct{} // closed once choice is set
	change  Change
}

// NewDesk makes an empty desk.
func NewDesk(opt Options) *Desk {
	if opt.Expiry <= 0 {
		opt.Expiry = Expiry
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	return &Desk{opt: opt}
}

// Put shows a question and waits for its answer. It is No when ctx ends, when the question expires, when
// nobody can see it, or when an answered or waiting question has the same ID.
func (d *Desk) Put(ctx context.Context, q Question) Choice {
	if d == nil || ctx.Err() != nil {
		return No
	}
	if q.ID == "" {
		q.ID = rand.Text()
	}
	q.Asked = d.opt.Now()
	q.Expires = q.Asked.Add(d.opt.Expiry)
	if c, ok := d.before(q); ok {
		d.tell(Change{Question: q})
		d.tell(Change{Question: q, Done: true, Choice: c, Reason: Before})
		return c
	}
	w := &waiting{q: q, decided: make(chan struct{})}
	if d.opt.Seen == nil || !d.opt.Seen(q.Chat) || !d.add(w) {
		d.tell(Change{Question: q, Done: true, Reason: Unseen})
		return No
	}
	d.tell(Change{Question: q})

	expired := time.NewTimer(d.opt.Expiry)
	defer expired.Stop()
	select {
	case <-w.decided:
	case <-ctx.Done():
		d.decide(q.ID, No, Ended)
	case <-expired.C:
		d.decide(q.ID, No, Expired)
	}
	// An answer that came first has won, also against a context that ended in the same moment, unless the
	// turn is over: then nothing may go ahead whatever was answered.
	<-w.decided
	if w.change.Reason == Ended {
		w.change.Cause = context.Cause(ctx)
	}
	d.linger(w.change)
	d.tell(w.change)
	if ctx.Err() != nil {
		return No
	}
	return w.change.Choice
}

// Answer answers a question and says whether this answer was the one that counted. One that comes late counts for
// the same call made again.
func (d *Desk) Answer(id string, c Choice) (counted bool) {
	if c != No && c != Once && c != Always {
		return false
	}
	return d.decide(id, c, Answered) || d.answerLate(id, c)
}

// Waiting lists the questions that wait, oldest first.
func (d *Desk) Waiting() []Question {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]Question, 0, len(d.waiting))
	for _, w := range d.waiting {
		out = append(out, w.q)
	}
	return out
}

func (d *Desk) add(w *waiting) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.waiting) >= maxWaiting || d.find(w.q.ID) >= 0 {
		return false
	}
	d.waiting = append(d.waiting, w)
	return true
}

// decide settles a question that still waits. Keep runs under the lock, so that a losing "always" can
// never be stored and a stored one is always the answer that counted.
func (d *Desk) decide(id string, c Choice, why Reason) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := d.find(id)
	if i < 0 {
		return false
	}
	w := d.waiting[i]
	d.waiting = slices.Delete(d.waiting, i, i+1)
	w.change = answered(w.q, c, why)
	close(w.decided)
	return true
}

// answered is an answer that counts, with an Always kept where it can be.
func answered(q Question, c Choice, why Reason) Change {
	change := Change{Question: q, Done: true, Choice: c, Reason: why}
	if c != Always {
		return change
	}
	change.Choice = Once
	if !q.Always || q.Keep == nil {
		return change
	}
	if err := keep(q.Keep); err != nil {
		change.KeepErr = err
		return change
	}
	change.Choice = Always
	return change
}

func (d *Desk) find(id string) int {
	return slices.IndexFunc(d.waiting, func(w *waiting) bool { return w.q.ID == id })
}

func (d *Desk) tell(c Change) {
	if d.opt.Changed != nil {
		d.opt.Changed(c)
	}
}
