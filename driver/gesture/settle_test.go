package gesture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"conch/driver"
	"conch/driver/fake"
)

const (
	quietTime = 120 * time.Millisecond
	mostTime  = 2 * time.Second
)

func TestSettle(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		synctest.Test(t, func(t *testing.T) {
			d := fake.New(t, screen)
			ctx := t.Context()
			if err := d.Begin(ctx); err != nil {
				t.Fatal(err)
			}
			draws := time.Duration(r.IntN(1700)) * time.Millisecond
			if draws > 0 {
				if err := d.Apply(fmt.Sprintf("draws 1 %v", draws)); err != nil {
					t.Fatal(err)
				}
			}
			start := time.Now()
			still, change, err := Settle(ctx, d, 0, quietTime, mostTime)
			took := time.Since(start)
			if err != nil || !still || change != d.Changes() {
				t.Fatalf("draws %v: %v, %d of %d, %v", draws, still, change, d.Changes(), err)
			}
			last := time.Duration(0) // the last frame begins up to 20 ms before the end
			if draws > 0 {
				last = (draws - 1) / (20 * time.Millisecond) * (20 * time.Millisecond)
			}
			if lag := took - last; lag < quietTime || lag > quietTime+10*time.Millisecond {
				t.Errorf("draws %v: still after %v, %v after the last change", draws, took, lag)
			}
		})
	}
}

func TestSettleEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := fake.New(t, screen)
		ctx := t.Context()
		if err := errors.Join(d.Begin(ctx), d.Apply("draws 1 1h")); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		still, change, err := Settle(ctx, d, 0, quietTime, mostTime)
		if err != nil || still || change == 0 || time.Since(start) != mostTime {
			t.Errorf("a film: %v, %d, %v after %v", still, change, err, time.Since(start))
		}
		late, cancel := context.WithTimeout(ctx, 333*time.Millisecond)
		defer cancel()
		start = time.Now()
		if still, _, err = Settle(late, d, 0, quietTime, mostTime); still || !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 333*time.Millisecond {
			t.Errorf("a cancelled wait: %v, %v after %v", still, err, time.Since(start))
		}
		if err := d.Apply("unready locked"); err != nil {
			t.Fatal(err)
		}
		var u *driver.Unready
		if still, _, err = Settle(ctx, d, 0, quietTime, mostTime); still || !errors.As(err, &u) {
			t.Errorf("a locked screen: %v, %v", still, err)
		}
	})
}

// busy changes at every look.
type busy struct {
	driver.Driver
	calls uint64
}

func (b *busy) Changed(context.Context, uint64) (uint64, error) {
	b.calls++
	return b.calls, nil
}

func TestSettleRestsBetweenChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &busy{}
		still, _, err := Settle(t.Context(), b, 0, quietTime, mostTime)
		if still || err != nil || b.calls > 250 {
			t.Errorf("%v, %v, asked %d times in %v", still, err, b.calls, mostTime)
		}
	})
}

// late is a driver on a computer so busy that waits come back late.
type late struct {
	driver.Driver
	by    time.Duration
	times int
}

func (l *late) Changed(ctx context.Context, seen uint64) (uint64, error) {
	n, err := l.Driver.Changed(ctx, seen)
	if err != nil && l.times > 0 {
		l.times--
		time.Sleep(l.by)
	}
	return n, err
}

// A wait that came back late is waited out again, so that an app held up by the same load isn't taken for still;
// but not for ever.
func TestSettleOnABusyComputer(t *testing.T) {
	for _, c := range []struct {
		times int
		by    time.Duration
		want  time.Duration
	}{
		{1, quietTime / 20, quietTime + quietTime/20}, // a little late is usual
		{1, quietTime, 3 * quietTime},
		{9, quietTime, 7 * quietTime}, // three waits, each late, and the last look is late too
	} {
		synctest.Test(t, func(t *testing.T) {
			d := fake.New(t, screen)
			ctx := t.Context()
			if err := d.Begin(ctx); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			still, _, err := Settle(ctx, &late{d, c.by, c.times}, 0, quietTime, mostTime)
			if took := time.Since(start); err != nil || !still || took != c.want {
				t.Errorf("%d times late by %v: %v after %v, want %v; %v", c.times, c.by, still, took, c.want, err)
			}
		})
	}
}

// A screen isn't still while the app in front hasn't come to its work yet, however long nothing is drawn; one
// that never answers is as still as it gets.
func TestSettleWaitsForTheApp(t *testing.T) {
	for _, c := range []struct {
		fault string
		draws bool // once it has answered
		want  time.Duration
	}{
		{"fine answers", false, quietTime},
		{"slow answers 300ms", false, quietTime + 300*time.Millisecond},
		{"slow answers 300ms", true, quietTime + 300*time.Millisecond + quietTime},
		{"hang answers", false, quietTime + answerTime},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := fake.New(t, screen)
			ctx := t.Context()
			if err := errors.Join(d.Begin(ctx), d.Apply(c.fault)); err != nil {
				t.Fatal(err)
			}
			seen := d.Changes()
			start := time.Now()
			if c.draws {
				go func() {
					time.Sleep(quietTime + 290*time.Millisecond)
					_ = d.Apply("color 1 aa5500\nfine answers")
				}()
			}
			still, change, err := Settle(ctx, d, seen, quietTime, mostTime)
			took := time.Since(start)
			if err != nil || !still || change != d.Changes() || took < c.want-20*time.Millisecond || took > c.want+20*time.Millisecond {
				t.Errorf("%s, draws %v: %v after %v, want %v; %v", c.fault, c.draws, still, took, c.want, err)
			}
		})
	}
}
