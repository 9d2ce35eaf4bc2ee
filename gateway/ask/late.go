package ask

import (
	"slices"
	"time"
)

// late is a question that was given up and may still be answered.
type late struct {
	q        Question
	until    time.Time
	answered bool
	choice   Choice
}

// maxLate bounds what is remembered of questions that were given up.
const maxLate = 64

// linger remembers a question that was given up, so that it can still be answered.
func (d *Desk) linger(c Change) {
	if c.Reason == Answered || c.Question.Same == "" || d.opt.Lingers == nil || !d.opt.Lingers(c) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forgetLocked(c.Question)
	d.late = append(d.late, &late{q: c.Question, until: d.opt.Now().Add(LateFor)})
	if n := len(d.late) - maxLate; n > 0 {
		d.late = slices.Delete(d.late, 0, n)
	}
}

// Lingering lists the questions that were given up and can still be answered, oldest first. Expires is until when.
func (d *Desk) Lingering() []Question {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pruneLocked()
	var out []Question
	for _, l := range d.late {
		if !l.answered {
			q := l.q
			q.Expires = l.until
			out = append(out, q)
		}
	}
	return out
}

// answerLate answers a question that was given up, once. The time that the same call may be made again in counts
// from then.
func (d *Desk) answerLate(id string, c Choice) bool {
	d.mu.Lock()
	d.pruneLocked()
	i := slices.IndexFunc(d.late, func(l *late) bool { return l.q.ID == id && !l.answered })
	if i < 0 {
		d.mu.Unlock()
		return false
	}
	l := d.late[i]
	change := answered(l.q, c, Late)
	l.answered, l.choice, l.until = true, change.Choice, d.opt.Now().Add(LateFor)
	d.mu.Unlock()
	d.tell(change)
	return true
}

// before returns a yes that was given late to the same question, which it uses up. A question that is put again is
// no longer one that was given up.
func (d *Desk) before(q Question) (Choice, bool) {
	if q.Same == "" {
		return No, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pruneLocked()
	l := d.forgetLocked(q)
	if l == nil || !l.answered || l.choice == No {
		return No, false
	}
	return l.choice, true
}

// forgetLocked takes the question that is the same as q off the list, and returns it.
func (d *Desk) forgetLocked(q Question) (was *late) {
	d.late = slices.DeleteFunc(d.late, func(l *late) bool {
		same := l.q.Chat == q.Chat && l.q.Same == q.Same
		if same {
			was = l
		}
		return same
	})
	return was
}

func (d *Desk) pruneLocked() {
	now := d.opt.Now()
	d.late = slices.DeleteFunc(d.late, func(l *late) bool { return !now.Before(l.until) })
}
