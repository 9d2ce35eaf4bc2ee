package geminitest

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine/dialect"
	"conch/gateway/engine/enginetest"
	"conch/gateway/tool"
)

// Dialect is how one model speaks and what it takes.
type Dialect struct {
	Model
	// W and H are the size of the picture that points are in. Read sets them to those of the newest whole one.
	W, H   int
	Safety func(enginetest.Call) string
}

type object = map[string]any

// Encode is an answer as Google streams it.
func (d *Dialect) Encode(a enginetest.Answer) [][]byte {
	var out [][]byte
	chunk := func(reason string, parts ...object) {
		c := object{"content": object{"role": "model", "parts": parts}, "index": 0}
		all := object{"candidates": []object{c}, "modelVersion": d.ID, "responseId": "r"}
		if reason != "" {
			c["finishReason"] = reason
			all["usageMetadata"] = object{
				"promptTokenCount": a.Usage.In, "candidatesTokenCount": a.Usage.Out / 2, "thoughtsTokenCount": a.Usage.Out - a.Usage.Out/2,
				"cachedContentTokenCount": a.Usage.CacheRead, "totalTokenCount": a.Usage.In + a.Usage.Out,
			}
		}
		out = append(out, frame(all))
	}
	chunk("") // as a stream may begin before there is anything to say
	if a.Thinking != "" {
		chunk("", object{"text": a.Thinking, "thought": true})
	}
	for _, piece := range pieces(a.Text) {
		chunk("", object{"text": piece})
	}
	for i, c := range a.Calls {
		name, args := d.call(c)
		p := object{"functionCall": object{"name": name, "args": args}}
		if c.ID != "" {
			p["functionCall"] = object{"name": name, "args": args, "id": c.ID}
		}
		if i == 0 && d.Inside {
			p["thoughtSignature"] = signature(name, args)
		}
		chunk("", p)
	}
	switch {
	case a.Refused:
		chunk("SAFETY", object{"text": ""})
	case a.Full:
		chunk("MAX_TOKENS", object{"text": ""})
	default:
		chunk("STOP", object{"text": ""})
	}
	return out
}

func frame(v any) []byte {
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err) // a scripted answer that is no JSON
	}
	return []byte("data: " + string(text) + "\r\n\r\n")
}

// pieces cuts a text as a stream does, between characters.
func pieces(s string) []string {
	var out []string
	for len(s) > 0 {
		n := min(len(s), 9)
		for n < len(s) && !utf8.RuneStart(s[n]) {
			n++
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// signature stands for what Google signs a call with: whoever changes the call or loses it is found out.
func signature(name string, args jsontext.Value) string {
	args = slices.Clone(args)
	_ = args.Canonicalize()
	sum := sha256.Sum256([]byte("signed\x00" + name + "\x00" + string(args)))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// call says a call in the model's own words.
func (d *Dialect) call(c enginetest.Call) (string, jsontext.Value) {
	args := jsontext.Value(c.Args)
	if c.Args == "" {
		args = jsontext.Value("{}")
	}
	name := c.Name
	if name == dialect.ToolName && d.Computer != "" {
		var s dialect.Step
		if err := json.Unmarshal(args, &s, json.RejectUnknownMembers(true)); err != nil {
			panic(err)
		}
		name, args = d.native(s)
	}
	if d.Safety == nil || d.Safety(c) == "" {
		return name, args
	}
	var members object
	if err := json.Unmarshal(args, &members); err != nil {
		panic(err)
	}
	members["safety_decision"] = object{"decision": "require_confirmation", "explanation": d.Safety(c)}
	return name, value(members)
}

func value(v any) jsontext.Value {
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return text
}

// native says a step of Conch's computer tool as the model's own functions do: for a desktop, or for the preview.
func (d *Dialect) native(s dialect.Step) (string, jsontext.Value) {
	args := object{}
	point := func(p []int, x, y string) {
		if len(p) == 0 {
			panic(fmt.Sprintf("%s without a point can't be said on a grid", s.Action))
		}
		args[x], args[y] = d.grid(p[0], d.W), d.grid(p[1], d.H)
	}
	old := d.Computer == "preview"
	if !old {
		args["intent"] = "to do what the person asked for"
	}
	name := s.Action
	switch s.Action {
	case "screenshot":
		name = pick(old, "open_web_browser", "take_screenshot")
	case "left_click":
		name = pick(old, "click_at", "click")
		point(s.Coordinate, "x", "y")
	case "mouse_move":
		name = pick(old, "hover_at", "move")
		point(s.Coordinate, "x", "y")
	case "right_click", "middle_click", "double_click", "triple_click":
		point(s.Coordinate, "x", "y")
	case "left_mouse_down", "left_mouse_up":
		name = strings.TrimPrefix(s.Action, "left_")
		point(s.Coordinate, "x", "y")
	case "left_click_drag":
		name = "drag_and_drop"
		if old {
			point(s.StartCoordinate, "x", "y")
			point(s.Coordinate, "destination_x", "destination_y")
		} else {
			point(s.StartCoordinate, "start_x", "start_y")
			point(s.Coordinate, "end_x", "end_y")
		}
	case "type":
		name, args["text"] = "type", s.Text
	case "key":
		name, args = d.keys(s, args)
	case "scroll":
		name = pick(old, "scroll_at", "scroll")
		point(s.Coordinate, "x", "y")
		args["direction"] = s.ScrollDirection
		if old {
			args["magnitude"] = s.ScrollAmount * dialect.WheelPixels * tool.Grid / d.H
		} else {
			args["magnitude_in_wheel_clicks"] = s.ScrollAmount
		}
	case "wait":
		args["seconds"] = s.Duration
	case "open_app", "list_apps", "find":
		args["name"] = s.Text
	case "zoom":
		point(s.Region[:2], "start_x", "start_y")
		point(s.Region[2:], "end_x", "end_y")
	case "cursor_position":
	default:
		panic("the model has no function for " + s.Action)
	}
	return name, value(args)
}

// keys says keys: repeated ones as a list.
func (d *Dialect) keys(s dialect.Step, args object) (string, object) {
	if d.Computer == "preview" {
		args["keys"] = strings.ReplaceAll(s.Text, "ctrl", "Control")
		return "key_combination", args
	}
	names := strings.Split(s.Text, "+")
	if len(names) == 1 && s.Repeat <= 1 {
		args["key"] = s.Text
		return "press_key", args
	}
	list := slices.Clone(names)
	for i := 1; i < s.Repeat; i++ {
		list = append(list, names[len(names)-1])
	}
	args["keys"] = list
	return "hotkey", args
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// grid says a pixel on the grid. A script that points beside the picture is a mistake of the test's.
func (d *Dialect) grid(pixel, size int) int {
	if pixel < 0 || pixel >= size {
		panic(fmt.Sprintf("%d is outside a picture of %d", pixel, size))
	}
	return tool.PixelCell(pixel, size)
}
