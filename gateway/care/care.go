// Package care looks after Conch and the computer that it runs on: the security checkup says what the assistant may
// do and who can reach it, and repair finds what is wrong and puts it right.
//
// A check is a value: what it is called, and a function that looks. What it finds may offer a fix, which only ever
// narrows or heals: nothing here turns a power on, lets anybody in, or deletes what a person made. A fix is believed
// only once the check was run again and no longer finds it. The package draws no page, serves nothing, and touches
// the screen, the keys and the files only through what it is given.
package care

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Area says in which list a check is; one may be in both.
type Area uint8

// The lists.
const (
	Security Area = 1 << iota
	Repair
)

// Level says how good what was found is.
type Level string

// The levels, best first. Any other one counts as Bad.
const (
	OK   Level = "ok"
	Info Level = "info" // nothing is wrong, and it is good to know
	Warn Level = "warn" // a person should look at it
	Bad  Level = "bad"
)

var ranks = map[Level]int{OK: 1, Info: 2, Warn: 3}

func (l Level) rank() int {
	if r, ok := ranks[l]; ok {
		return r
	}
	return 4
}

// Wrong says that a person should look at it.
func (l Level) Wrong() bool { return l.rank() > ranks[Info] }

// Check is one thing to look at.
type Check struct {
	ID    string // [a-z-]+
	Title string
	Area  Area
	// Run looks, and changes nothing. It must return soon after its context ends.
	Run func(context.Context) Finding
	// Shows says that looking can itself be seen on the screen, so that it is only done when a person asks for it.
	Shows bool
}

// Finding is what a check found.
type Finding struct {
	Level Level
	Say   string // a sentence or two for a person
	Fix   *Fix
	Rows  []Row // the single things that it is about, where each has a fix of its own
	// Open is the path of the page where more can be done; empty is none.
	Open string
	// Unknown says that it couldn't be looked at. A fix before that isn't believed.
	Unknown bool
}

// Row is one thing of several.
type Row struct {
	ID, Title, Say string
	Fix            *Fix
}

// Fix narrows or heals.
type Fix struct {
	Title string // what its button says: "Turn off"
	Done  string // what is said once it was seen to have worked: "Using your apps is off now."
	Do    func(context.Context) error
}

// Error is why a fix could not be done, in words for a person.
type Error struct {
	Say string
	Err error // for the log
}

func (e *Error) Error() string { return e.Say }
func (e *Error) Unwrap() error { return e.Err }

// Entry is a check with what it found.
type Entry struct {
	ID, Title string
	Finding
}

// Result is how a fix came out.
type Result struct {
	ID    string // of the fix: the check's, with "/" and the row's behind it
	Title string // of the check
	Fixed bool   // seen by looking again
	Say   string
}

// ErrNoFix says that nothing like that is offered, or not any more.
var ErrNoFix = errors.New("there is nothing like that to fix")

const (
	lookWithin = 2 * time.Second
	showWithin = 10 * time.Second // a check that can be seen waits for the screen
	fixWithin  = 10 * time.Second
)

// List is the checks of one Conch. It is safe for several goroutines.
type List struct {
	checks []*item
	fixing sync.Mutex // one fix at a time
}

type item struct {
	Check
	running sync.Mutex // a check that hangs isn't started once more

	mu   sync.Mutex
	last *Finding // of one that shows
}

// NewList puts checks in an order.
func NewList(checks ...Check) *List {
	l := &List{}
	for _, c := range checks {
		if c.ID == "" || strings.Contains(c.ID, "/") || c.Title == "" || c.Area == 0 || c.Run == nil || l.find(c.ID) != nil {
			panic(fmt.Sprintf("care: no check, or one twice: %q", c.ID))
		}
		l.checks = append(l.checks, &item{Check: c})
	}
	return l
}

func (l *List) find(id string) *item {
	for _, c := range l.checks {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// Look runs the checks of a list, all at once, and returns what they found in their order. It shows nothing.
func (l *List) Look(ctx context.Context, area Area) []Entry {
	var in []*item
	for _, c := range l.checks {
		if c.Area&area != 0 {
			in = append(in, c)
		}
	}
	out := make([]Entry, len(in))
	var wg sync.WaitGroup
	for i, c := range in {
		wg.Go(func() { out[i] = Entry{c.ID, c.Title, c.look(ctx)} })
	}
	wg.Wait()
	return out
}

// look is what a check finds without showing anything.
func (c *item) look(ctx context.Context) Finding {
	if !c.Shows {
		return c.run(ctx, lookWithin)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f := Finding{Level: Info, Say: "This wasn’t tried since Conch was started."}
	word := "Try now"
	if c.last != nil {
		f, word = *c.last, "Try again"
	}
	f.Fix = &Fix{Title: word, Done: "It was tried, and it works.", Do: func(ctx context.Context) error {
		f := c.run(ctx, showWithin)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.last = &f
		return nil
	}}
	return f
}

// run runs a check within its time. What goes wrong in it is a finding too: what can't be looked at isn't fine.
func (c *item) run(ctx context.Context, limit time.Duration) Finding {
	if !c.running.TryLock() {
		return late
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	done := make(chan Finding, 1)
	go func() {
		f := c.guarded(ctx)
		cancel()
		c.running.Unlock() // before it is told: whoever hears it may look again at once
		done <- f
	}()
	select {
	case f := <-done:
		return f
	case <-ctx.Done():
	}
	wait := time.NewTimer(lookWithin / 4) // it has heard of it and comes back
	defer wait.Stop()
	select {
	case f := <-done:
		return f
	case <-wait.C:
		return late
	}
}

var late = Finding{Level: Warn, Say: "This takes longer than it should. Load the page again in a moment.", Unknown: true}

// guarded is what a check finds, whatever it does.
func (c *item) guarded(ctx context.Context) (f Finding) {
	defer func() {
		if p := recover(); p != nil {
			f = Finding{Level: Bad, Say: "This couldn’t be looked at: something inside Conch went wrong.", Unknown: true}
		}
	}()
	f = c.Run(ctx)
	if _, known := ranks[f.Level]; !known {
		f.Level = Bad
	}
	return f
}

// offered finds a fix in what a check found.
func offered(f Finding, row string) *Fix {
	if row == "" {
		return f.Fix
	}
	for _, r := range f.Rows {
		if r.ID == row {
			return r.Fix
		}
	}
	return nil
}

// Fix does one fix, looks again, and says what was seen then. ErrNoFix says that it isn't offered.
func (l *List) Fix(ctx context.Context, id string) (Result, error) {
	l.fixing.Lock()
	defer l.fixing.Unlock()
	name, row, _ := strings.Cut(id, "/")
	c := l.find(name)
	if c == nil {
		return Result{}, ErrNoFix
	}
	fix := offered(c.look(ctx), row)
	if fix == nil {
		return Result{}, ErrNoFix
	}
	return c.fix(ctx, row, fix), nil
}

func (c *item) fix(ctx context.Context, row string, fix *Fix) Result {
	r := Result{ID: c.ID, Title: c.Title}
	if row != "" {
		r.ID += "/" + row
	}
	err := do(ctx, fix)
	after := c.look(ctx)
	if r.Fixed = !after.Unknown && after.Level == OK; row != "" {
		r.Fixed = !after.Unknown && offered(after, row) == nil
	}
	var said *Error
	switch {
	case r.Fixed:
		r.Say = fix.Done
	case errors.As(err, &said):
		r.Say = said.Say
	case err != nil:
		r.Say = "That couldn’t be done. " + after.Say
	default:
		r.Say = "That was tried and didn’t help. " + after.Say
	}
	return r
}

func do(ctx context.Context, fix *Fix) (err error) {
	ctx, cancel := context.WithTimeout(ctx, fixWithin)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("the fix panicked")
		}
	}()
	return fix.Do(ctx)
}

// Progress is how far a repair is.
type Progress struct {
	Done, Total int
	Now         string   // the check that is looked at
	Results     []Result // so far
}

// Repair goes through the repair list: it looks, does each fix that is offered for something wrong, and looks again.
// tell is told of each step; it must not block. What is returned is what the list looks like afterwards.
func (l *List) Repair(ctx context.Context, tell func(Progress)) (results []Result, after []Entry) {
	l.fixing.Lock()
	defer l.fixing.Unlock()
	var in []*item
	for _, c := range l.checks {
		if c.Area&Repair != 0 {
			in = append(in, c)
		}
	}
	for i, c := range in {
		if ctx.Err() != nil {
			break
		}
		tell(Progress{Done: i, Total: len(in), Now: c.Title, Results: slices.Clone(results)})
		results = append(results, c.repair(ctx)...)
	}
	return results, l.Look(ctx, Repair)
}

func (c *item) repair(ctx context.Context) (out []Result) {
	f := c.look(ctx)
	if c.Shows {
		if r := c.fix(ctx, "", f.Fix); !r.Fixed {
			out = append(out, r)
		}
		return out
	}
	if !f.Level.Wrong() {
		return nil
	}
	if f.Fix != nil {
		out = append(out, c.fix(ctx, "", f.Fix))
	}
	for _, row := range f.Rows {
		if row.Fix != nil {
			out = append(out, c.fix(ctx, row.ID, row.Fix))
		}
	}
	return out
}

// Worst sorts entries so that what a person should look at comes first; the order is kept otherwise.
func Worst(entries []Entry) []Entry {
	out := slices.Clone(entries)
	slices.SortStableFunc(out, func(a, b Entry) int { return cmp.Compare(b.Level.rank(), a.Level.rank()) })
	return out
}
