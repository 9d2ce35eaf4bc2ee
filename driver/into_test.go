package driver

import (
	"errors"
	"testing"
)

func TestInto(t *testing.T) {
	ws := []Window{
		{ID: 7, Bounds: ScreenRect{X: 0, Y: 0, W: 10, H: 10}, Visible: []ScreenRect{{X: 0, Y: 0, W: 10, H: 10}}},
		{ID: 9, Bounds: ScreenRect{X: 0, Y: 0, W: 20, H: 10}, Visible: []ScreenRect{{X: 10, Y: 0, W: 10, H: 10}}, Focused: true},
	}
	for name, c := range map[string]struct {
		into                     Into
		keys, front, behind, out bool
	}{
		"the zero value":       {Into{}, false, false, false, false},
		"anywhere":             {Anywhere, true, true, true, true},
		"what has the keys":    {IntoWindow(9), true, false, true, false},
		"what is in front":     {IntoWindow(7), false, true, false, false},
		"where no window is":   {IntoWindow(0), false, false, false, true},
		"one that isn't there": {IntoWindow(8), false, false, false, false},
	} {
		for what, got := range map[string]struct {
			err  error
			want bool
		}{
			"keys":        {c.into.Keys(ws), c.keys},
			"in front":    {c.into.Pointer(ws, ScreenPoint{X: 5, Y: 5}), c.front},
			"behind":      {c.into.Pointer(ws, ScreenPoint{X: 15, Y: 5}), c.behind},
			"the desktop": {c.into.Pointer(ws, ScreenPoint{X: 50, Y: 50}), c.out},
		} {
			if (got.err == nil) != got.want || got.err != nil && !errors.Is(got.err, ErrElsewhere) {
				t.Errorf("%s, %s: %v", name, what, got.err)
			}
		}
	}
	if IntoWindow(0).Keys(nil) != nil || (Into{}).Keys(nil) == nil {
		t.Error("without any window: only what may go where no window is goes there")
	}
}
