package driver

import (
	"math"
	"testing"
	"time"
)

func TestStride(t *testing.T) {
	begin := time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC)
	var s Stride
	for i, c := range []struct {
		after time.Duration // since the beginning
		to    ScreenPoint
		want  float64
	}{
		{0, ScreenPoint{100, 100}, 0}, // from where is not known
		{30 * time.Millisecond, ScreenPoint{103, 104}, 5},
		{60 * time.Millisecond, ScreenPoint{103, 104}, 0},
		{2 * time.Second, ScreenPoint{900, 900}, 0}, // who moved it meanwhile is not known
		{2100 * time.Millisecond, ScreenPoint{900, 910}, 10},
		{2110 * time.Millisecond, ScreenPoint{math.NaN(), 910}, 0},
		{2120 * time.Millisecond, ScreenPoint{0, 0}, 0},
		{2130 * time.Millisecond, ScreenPoint{math.Inf(1), 0}, 0},
	} {
		if got := s.To(c.to, begin.Add(c.after)); got != c.want {
			t.Errorf("stride %d is %v, want %v", i, got, c.want)
		}
	}
}
