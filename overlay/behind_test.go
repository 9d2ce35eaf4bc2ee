package overlay

import (
	"context"
	"errors"
	"slices"
	"testing"

	"conch/driver"
)

// hand is a driver that writes down what it is told, in one list with the card's giving way.
type hand struct {
	driver.Driver
	log  *[]string
	at   driver.ScreenPoint
	fail error
}

func (h *hand) say(s string) error { *h.log = append(*h.log, s); return h.fail }

func (h *hand) Pointer(context.Context) (driver.ScreenPoint, error) { return h.at, nil }
func (h *hand) Move(_ context.Context, to driver.ScreenPoint, _ driver.Into) error {
	h.at = to
	return h.say("move")
}
func (h *hand) Scroll(context.Context, int, int, driver.Into) error { return h.say("scroll") }
func (h *hand) Release(context.Context) error                       { return h.say("release") }
func (h *hand) End(context.Context) error                           { return h.say("end") }

func (h *hand) Button(_ context.Context, _ driver.Button, down bool, _ driver.Into) error {
	if down {
		return h.say("down")
	}
	return h.say("up")
}

// way is a card on the point 5,5 and nowhere else.
type way struct {
	log  *[]string
	fail error
}

func (w way) Aside(_ context.Context, p driver.ScreenPoint) error {
	if p == (driver.ScreenPoint{X: 5, Y: 5}) {
		*w.log = append(*w.log, "aside")
	}
	return w.fail
}

func (w way) Back() { *w.log = append(*w.log, "back") }

func TestBehind(t *testing.T) {
	ctx := t.Context()
	on, off := driver.ScreenPoint{X: 5, Y: 5}, driver.ScreenPoint{X: 9, Y: 9}
	for name, c := range map[string]struct {
		do   func(driver.Driver)
		want []string
	}{
		"a click on the card": {func(d driver.Driver) {
			_ = d.Move(ctx, on, driver.Anywhere)
			_ = d.Button(ctx, driver.Left, true, driver.Anywhere)
			_ = d.Button(ctx, driver.Left, false, driver.Anywhere)
		}, []string{"move", "aside", "down", "up", "back"}},
		"a click beside it": {func(d driver.Driver) {
			_ = d.Move(ctx, off, driver.Anywhere)
			_ = d.Button(ctx, driver.Left, true, driver.Anywhere)
			_ = d.Button(ctx, driver.Left, false, driver.Anywhere)
		}, []string{"move", "down", "up", "back"}},
		"a drag onto it": {func(d driver.Driver) {
			_ = d.Move(ctx, off, driver.Anywhere)
			_ = d.Button(ctx, driver.Left, true, driver.Anywhere)
			_ = d.Move(ctx, on, driver.Anywhere)
			_ = d.Button(ctx, driver.Left, false, driver.Anywhere)
		}, []string{"move", "down", "aside", "move", "up", "back"}},
		"two buttons": {func(d driver.Driver) {
			_ = d.Move(ctx, on, driver.Anywhere)
			_ = d.Button(ctx, driver.Left, true, driver.Anywhere)
			_ = d.Button(ctx, driver.Right, true, driver.Anywhere)
			_ = d.Button(ctx, driver.Right, false, driver.Anywhere)
			_ = d.Button(ctx, driver.Left, false, driver.Anywhere)
		}, []string{"move", "aside", "down", "aside", "down", "up", "up", "back"}},
		"a scroll on it": {func(d driver.Driver) {
			_ = d.Move(ctx, on, driver.Anywhere)
			_ = d.Scroll(ctx, 0, 3, driver.Anywhere)
		}, []string{"move", "aside", "scroll", "back"}},
		"left held, then let go of": {func(d driver.Driver) {
			_ = d.Move(ctx, on, driver.Anywhere)
			_ = d.Button(ctx, driver.Left, true, driver.Anywhere)
			_ = d.Release(ctx)
			_ = d.Move(ctx, on, driver.Anywhere)
		}, []string{"move", "aside", "down", "release", "back", "move"}},
		"left held at the end": {func(d driver.Driver) {
			_ = d.Move(ctx, on, driver.Anywhere)
			_ = d.Button(ctx, driver.Left, true, driver.Anywhere)
			_ = d.End(ctx)
		}, []string{"move", "aside", "down", "end", "back"}},
	} {
		var log []string
		c.do(Behind(&hand{log: &log}, way{log: &log}))
		if !slices.Equal(log, c.want) {
			t.Errorf("%s: %v, want %v", name, log, c.want)
		}
	}
}

func TestBehindFails(t *testing.T) {
	ctx := t.Context()
	stuck := errors.New("the card can't give way")
	var log []string
	d := Behind(&hand{log: &log}, way{log: &log, fail: stuck})
	if err := d.Button(ctx, driver.Left, true, driver.Anywhere); !errors.Is(err, stuck) || len(log) != 0 {
		t.Errorf("pressed all the same: %v, %v", err, log)
	}
	if err := d.Scroll(ctx, 0, 1, driver.Anywhere); !errors.Is(err, stuck) || len(log) != 0 {
		t.Errorf("scrolled all the same: %v, %v", err, log)
	}
	gone := errors.New("gone")
	d = Behind(&hand{log: &log, fail: gone, at: driver.ScreenPoint{X: 5, Y: 5}}, way{log: &log})
	if err := d.Button(ctx, driver.Left, true, driver.Anywhere); !errors.Is(err, gone) || !slices.Equal(log, []string{"aside", "down", "back"}) {
		t.Errorf("a press that failed: %v, %v", err, log)
	}
}

// deafCard is a card that hears nobody; ears hears the person, and says who did.
type deafCard struct{}

func (deafCard) Aside(context.Context, driver.ScreenPoint) error { return nil }
func (deafCard) Back()                                           {}

type ears driver.Deed

func (e ears) Watch(context.Context) (<-chan driver.PersonEvent, error) {
	c := make(chan driver.PersonEvent, 1)
	c <- driver.PersonEvent{Deed: driver.Deed(e)}
	return c, nil
}

func TestBehindHears(t *testing.T) {
	deaf := struct{ driver.Driver }{}
	hears := struct {
		driver.Driver
		ears
	}{ears: ears(driver.DeedKey)}
	card := struct {
		deafCard
		ears
	}{ears: ears(driver.DeedScroll)}
	for name, c := range map[string]struct {
		d    driver.Driver
		a    Aside
		want driver.Deed
	}{
		"the driver": {hears, deafCard{}, driver.DeedKey},
		"the card":   {deaf, card, driver.DeedScroll},
		"both":       {hears, card, driver.DeedScroll},
		"nobody":     {deaf, deafCard{}, 0},
	} {
		heard, err := Behind(c.d, c.a).(driver.Watcher).Watch(t.Context())
		if c.want == 0 {
			if !errors.Is(err, driver.ErrNoWatch) {
				t.Errorf("%s: %v, want that it can't be heard", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if e := <-heard; e.Deed != c.want {
			t.Errorf("%s: heard %v", name, e)
		}
	}
}
