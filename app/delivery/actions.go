//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"conch/app/internal/fixture"
)

// action is one row: an action of the tool and how the application's own reports prove it.
type action struct {
	name string
	seen string
	try  func(context.Context, *desk) error
}

const greeting = "héllo, мир 👋"

var actions = []action{
	{"screenshot", "the application's own colour, where it says it is", func(ctx context.Context, k *desk) error {
		p, err := k.part("pad")
		if err != nil {
			return err
		}
		res, err := k.do(ctx, map[string]any{"action": "screenshot"})
		if err != nil {
			return err
		}
		return shows(res, p[0]+20, p[1]+20)
	}},
	{"zoom", "the same, in the part that was asked for", func(ctx context.Context, k *desk) error {
		p, err := k.part("pad")
		if err != nil {
			return err
		}
		res, err := k.do(ctx, map[string]any{"action": "zoom", "region": []int{p[0] - 40, p[1] - 30, p[0] + 40, p[1] + 30}})
		if err != nil {
			return err
		}
		return shows(res, res.Picture.W/4, res.Picture.H/4)
	}},
	{"left_click", "press and release of button 1 at the point", press("left_click", 1, 1)},
	{"left_click with ctrl", "the same, ctrl held", func(ctx context.Context, k *desk) error {
		p, err := k.part("pad")
		if err != nil {
			return err
		}
		if _, err := k.do(ctx, map[string]any{"action": "left_click", "coordinate": p, "text": "ctrl"}); err != nil {
			return err
		}
		_, err = k.sees(ctx, "press with ctrl", func(e fixture.Event) bool { return e.Ev == "press" && slices.Contains(e.Mods, "ctrl") })
		return err
	}},
	{"left_click on a button", "the button's own signal", func(ctx context.Context, k *desk) error {
		p, err := k.part("button")
		if err != nil {
			return err
		}
		if _, err := k.do(ctx, map[string]any{"action": "left_click", "coordinate": p}); err != nil {
			return err
		}
		_, err = k.sees(ctx, "click of the button", func(e fixture.Event) bool { return e.Ev == "clicked" })
		return err
	}},
	{"right_click", "press and release of button 3 at the point", press("right_click", 3, 1)},
	{"middle_click", "press and release of button 2 at the point", press("middle_click", 2, 1)},
	{"double_click", "the toolkit's own double click", press("double_click", 1, 2)},
	{"triple_click", "the toolkit's own triple click", press("triple_click", 1, 3)},
	{"mouse_move", "movement to the point", func(ctx context.Context, k *desk) error {
		_, err := k.moveTo(ctx)
		return err
	}},
	{"cursor_position", "the point of the application's last movement", func(ctx context.Context, k *desk) error {
		p, err := k.moveTo(ctx)
		if err != nil {
			return err
		}
		res, err := k.do(ctx, map[string]any{"action": "cursor_position"})
		if err == nil && !strings.Contains(res.Text, fmt.Sprintf("%d,%d", p[0], p[1])) && !strings.Contains(res.Text, fmt.Sprintf("%d, %d", p[0], p[1])) {
			err = fmt.Errorf("the application saw %d,%d and the answer was %q", p[0], p[1], res.Text)
		}
		return err
	}},
	{"left_click_drag", "the drop, with what was dragged (plain X: the movement between press and release)", drag},
	{"left_mouse_down, left_mouse_up", "a press, and the release only when asked", downAndUp},
	{"type", "“" + greeting + "” in the field, exactly", func(ctx context.Context, k *desk) error {
		if _, err := k.do(ctx, map[string]any{"action": "type", "text": greeting}); err != nil {
			return err
		}
		for end := time.Now().Add(patience); ; {
			got, err := k.app.Text(ctx)
			if err != nil || got == greeting {
				return err
			}
			if time.Now().After(end) {
				return fmt.Errorf("the field has %q", got)
			}
		}
	}},
	{"key", "F5 down and up", func(ctx context.Context, k *desk) error {
		if _, err := k.do(ctx, map[string]any{"action": "key", "text": "F5"}); err != nil {
			return err
		}
		if _, err := k.sees(ctx, "F5 down", func(e fixture.Event) bool { return e.Ev == "key" && e.Key == "F5" && e.Down }); err != nil {
			return err
		}
		_, err := k.sees(ctx, "F5 up", func(e fixture.Event) bool { return e.Ev == "key" && e.Key == "F5" && !e.Down })
		return err
	}},
	{"hold_key", "Shift down, and up half a second later", hold},
	{"scroll down", "3 clicks", scroll("down", 0, 3)},
	{"scroll up", "3 clicks", scroll("up", 0, -3)},
	{"scroll left", "3 clicks", scroll("left", -3, 0)},
	{"scroll right", "3 clicks", scroll("right", 3, 0)},
	{"wait", "nothing, for half a second", func(ctx context.Context, k *desk) error {
		start := time.Now()
		_, err := k.do(ctx, map[string]any{"action": "wait", "duration": 0.5})
		if took := time.Since(start); err == nil && took < 500*time.Millisecond {
			err = fmt.Errorf("it took %v", took)
		}
		for _, e := range k.app.Events() {
			if e.Ev != "focus" {
				return fmt.Errorf("it got %s", brief(k.app.Events()))
			}
		}
		return err
	}},
	{"open_app", "the keyboard, while another window was in front", openApp},
	{"list_apps", "the running application by its name", listApps},
	{"find", "the button, where the application says it is", find},
}

// press clicks the pad and wants the application to have counted so many clicks of a button there.
func press(name string, button, count int) func(context.Context, *desk) error {
	return func(ctx context.Context, k *desk) error {
		p, err := k.part("pad")
		if err != nil {
			return err
		}
		if _, err := k.do(ctx, map[string]any{"action": name, "coordinate": p}); err != nil {
			return err
		}
		if k.app.Kind == fixture.Raw { // it doesn't count clicks, so they are counted here
			return k.presses(ctx, p, button, count)
		}
		_, err = k.sees(ctx, name, func(e fixture.Event) bool {
			return e.Ev == "press" && e.Button == button && e.Count == count && near(e, p)
		})
		if err != nil {
			return err
		}
		_, err = k.sees(ctx, "release", func(e fixture.Event) bool { return e.Ev == "release" && e.Button == button })
		return err
	}
}

func (k *desk) presses(ctx context.Context, p []int, button, count int) error {
	down, up := 0, 0
	_, err := k.sees(ctx, fmt.Sprintf("%d presses and releases", count), func(e fixture.Event) bool {
		if e.Button == button && near(e, p) {
			switch e.Ev {
			case "press":
				down++
			case "release":
				up++
			}
		}
		return down == count && up == count
	})
	return err
}

// moveTo moves the pointer over the pad and returns the point that the application saw.
func (k *desk) moveTo(ctx context.Context) ([]int, error) {
	p, err := k.part("pad")
	if err != nil {
		return nil, err
	}
	p = []int{p[0] - 33, p[1] + 17}
	if _, err := k.do(ctx, map[string]any{"action": "mouse_move", "coordinate": p}); err != nil {
		return nil, err
	}
	_, err = k.sees(ctx, "movement", func(e fixture.Event) bool { return e.Ev == "motion" && near(e, p) })
	return p, err
}

func drag(ctx context.Context, k *desk) error {
	if k.app.Kind == fixture.Raw {
		p, _ := k.part("pad")
		to := []int{p[0] + 150, p[1] + 80}
		if _, err := k.do(ctx, map[string]any{"action": "left_click_drag", "start_coordinate": p, "coordinate": to}); err != nil {
			return err
		}
		moves := 0
		_, err := k.sees(ctx, "release after movement", func(e fixture.Event) bool {
			if e.Ev == "motion" {
				moves++
			}
			return e.Ev == "release" && moves >= 10 && near(e, to)
		})
		return err
	}
	from, err := k.part("source")
	if err != nil {
		return err
	}
	to, err := k.part("target")
	if err != nil {
		return err
	}
	if _, err := k.do(ctx, map[string]any{"action": "left_click_drag", "start_coordinate": from, "coordinate": to}); err != nil {
		return err
	}
	_, err = k.sees(ctx, "drop", func(e fixture.Event) bool { return e.Ev == "drop" && e.Text == "pearl" })
	return err
}

func downAndUp(ctx context.Context, k *desk) error {
	p, err := k.part("pad")
	if err != nil {
		return err
	}
	isUp := func(e fixture.Event) bool { return e.Ev == "release" && e.Button == 1 }
	if _, err := k.do(ctx, map[string]any{"action": "mouse_move", "coordinate": p}); err != nil {
		return err
	}
	if _, err := k.do(ctx, map[string]any{"action": "left_mouse_down"}); err != nil {
		return err
	}
	if _, err := k.sees(ctx, "press", func(e fixture.Event) bool { return e.Ev == "press" && e.Button == 1 }); err != nil {
		return err
	}
	if slices.ContainsFunc(k.app.Events(), isUp) {
		return fmt.Errorf("the button went up by itself")
	}
	if _, err := k.do(ctx, map[string]any{"action": "left_mouse_up"}); err != nil {
		return err
	}
	_, err = k.sees(ctx, "release", isUp)
	return err
}

func hold(ctx context.Context, k *desk) error {
	if _, err := k.do(ctx, map[string]any{"action": "hold_key", "text": "shift", "duration": 0.5}); err != nil {
		return err
	}
	down, err := k.sees(ctx, "Shift down", func(e fixture.Event) bool { return e.Ev == "key" && e.Key == "Shift_L" && e.Down })
	if err != nil {
		return err
	}
	up, err := k.sees(ctx, "Shift up", func(e fixture.Event) bool { return e.Ev == "key" && e.Key == "Shift_L" && !e.Down })
	if held := up.When.Sub(down.When); err == nil && held < 400*time.Millisecond {
		err = fmt.Errorf("it was held for %v", held)
	}
	return err
}

func scroll(way string, dx, dy float64) func(context.Context, *desk) error {
	return func(ctx context.Context, k *desk) error {
		p, err := k.part("pad")
		if err != nil {
			return err
		}
		if _, err := k.do(ctx, map[string]any{"action": "scroll", "coordinate": p, "scroll_direction": way, "scroll_amount": 3}); err != nil {
			return err
		}
		var x, y float64
		_, err = k.sees(ctx, "scrolling of 3", func(e fixture.Event) bool {
			if e.Ev == "scroll" {
				x, y = x+e.DX, y+e.DY
			}
			return x == dx && y == dy
		})
		return err
	}
}

func openApp(ctx context.Context, k *desk) error {
	away, err := k.cover(ctx)
	if err != nil {
		return err
	}
	defer away()
	k.app.Forget()
	if _, err := k.do(ctx, map[string]any{"action": "open_app", "text": "Fixture " + string(k.app.Kind)}); err != nil {
		return err
	}
	_, err = k.sees(ctx, "focus", func(e fixture.Event) bool { return e.Ev == "focus" })
	return err
}

func listApps(ctx context.Context, k *desk) error {
	res, err := k.do(ctx, map[string]any{"action": "list_apps", "text": "Fixture"})
	if err != nil {
		return err
	}
	var got struct {
		Apps []struct {
			ID      string `json:"id"`
			Running bool   `json:"running"`
		} `json:"apps"`
	}
	if err := json.Unmarshal(res.Data, &got); err != nil {
		return fmt.Errorf("%w in %s", err, res.Data)
	}
	for _, a := range got.Apps {
		if a.ID == fixture.ID(k.app.Kind) && a.Running {
			return nil
		}
	}
	return fmt.Errorf("the list has %s", res.Data)
}

func find(ctx context.Context, k *desk) error {
	x, y, ok := k.app.Part("button")
	if !ok {
		return errNone
	}
	p := at(x, y)
	res, err := k.do(ctx, map[string]any{"action": "find", "text": "Save"})
	if err != nil {
		return err
	}
	var got struct {
		Controls []struct {
			Name string `json:"name"`
			X    int    `json:"x"`
			Y    int    `json:"y"`
		} `json:"controls"`
	}
	if err := json.Unmarshal(res.Data, &got); err != nil {
		return fmt.Errorf("%w in %s", err, res.Data)
	}
	for _, c := range got.Controls {
		if c.Name == "Save" && near(fixture.Event{X: float64(c.X), Y: float64(c.Y)}, p) {
			return nil
		}
	}
	return fmt.Errorf("it found %s; the button is at %v", res.Data, p)
}
