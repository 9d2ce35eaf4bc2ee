package computer

import (
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/driver"
)

func optionalPoint(member string, v jsontext.Value) (*driver.PicPoint, error) {
	if !given(v) {
		return nil, nil
	}
	p, err := readPoint(member, v)
	if err != nil {
		return nil, err
	}
	return &p, nil
}

// readPoint reads a point of the last picture however models write it: [x, y], "x,y", "[x, y]", "(x, y)",
// {"x": x, "y": y}. Whether it lies in the picture is for the picture to say.
func readPoint(member string, v jsontext.Value) (driver.PicPoint, error) {
	n, ok := numbers(v, "x", "y")
	if !ok {
		return driver.PicPoint{}, bad("%s must be a point of the last picture, [x, y], in whole numbers from 0 to %d.", member, maxPosition)
	}
	return driver.PicPoint{X: n[0], Y: n[1]}, nil
}

func readZoom(w wire) (Action, error) {
	n, ok := numbers(w.Region, "x0", "y0", "x1", "y1")
	if !ok {
		return nil, bad("region must be a part of the last picture, [x0, y0, x1, y1], in whole numbers from 0 to %d.", maxPosition)
	}
	if n[2] <= n[0] || n[3] <= n[1] {
		return nil, bad("region must have its top left first: x0 less than x1, and y0 less than y1.")
	}
	return Zoom{driver.PicRect{X0: n[0], Y0: n[1], X1: n[2], Y1: n[3]}}, nil
}

// numbers reads as many whole numbers as there are names, from an array, an object with these names, or text.
func numbers(v jsontext.Value, names ...string) ([]int, bool) {
	var parts []jsontext.Value
	switch v.Kind() {
	case '[':
		if json.Unmarshal(v, &parts) != nil {
			return nil, false
		}
	case '{':
		var members map[string]jsontext.Value
		if json.Unmarshal(v, &members) != nil || len(members) != len(names) {
			return nil, false
		}
		for _, n := range names {
			parts = append(parts, members[n])
		}
	case '"':
		var s string
		if json.Unmarshal(v, &s) != nil {
			return nil, false
		}
		return textNumbers(s, len(names))
	}
	if len(parts) != len(names) {
		return nil, false
	}
	out := make([]int, len(parts))
	for i, p := range parts {
		text := string(p)
		if p.Kind() == '"' && json.Unmarshal(p, &text) != nil {
			return nil, false
		}
		n, ok := position(text)
		if !ok {
			return nil, false
		}
		out[i] = n
	}
	return out, true
}

// textNumbers reads "x,y", "x y", "(x, y)" and "[x, y]".
func textNumbers(s string, want int) ([]int, bool) {
	s = strings.TrimSpace(s)
	for _, pair := range []string{"[]", "()"} {
		if len(s) >= 2 && s[0] == pair[0] && s[len(s)-1] == pair[1] {
			s = s[1 : len(s)-1]
			break
		}
	}
	var parts []string
	if strings.Contains(s, ",") {
		parts = strings.Split(s, ",")
	} else {
		parts = strings.Fields(s)
	}
	if len(parts) != want {
		return nil, false
	}
	out := make([]int, want)
	for i, p := range parts {
		n, ok := position(p)
		if !ok {
			return nil, false
		}
		out[i] = n
	}
	return out, true
}

// position reads a whole number of pixels; 120.0 is whole, 120.5 is not.
func position(s string) (int, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || f != math.Trunc(f) || f < 0 || f > maxPosition {
		return 0, false
	}
	return int(f), true
}
