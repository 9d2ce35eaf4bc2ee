package openaitest

import (
	"fmt"
	"maps"
	"strings"

	"github.com/go-json-experiment/json"

	"conch/gateway/engine/enginetest"
)

// object is a JSON object.
type object = map[string]any

func marshal(v any) []byte {
	out, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return out
}

// frame is one event of a stream.
func frame(kind string, data object) []byte {
	data["type"] = kind
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", kind, marshal(data))
}

// encoder writes one answer as a stream.
type encoder struct {
	style  Style
	frames [][]byte
	items  []object
}

func (e *encoder) event(kind string, data object) {
	if !e.style.Brief {
		data["sequence_number"] = len(e.frames)
	}
	e.frames = append(e.frames, frame(kind, data))
}

func (e *encoder) id(prefix string) string {
	return fmt.Sprintf("%s_%d_%d", prefix, e.style.Number, len(e.items))
}

// Encode is an answer as OpenAI streams it, and the items that it is made of.
func Encode(a enginetest.Answer, style Style) (frames [][]byte, items []map[string]any) {
	e := &encoder{style: style}
	response := object{"id": fmt.Sprintf("resp_%d", style.Number), "object": "response", "status": "in_progress", "output": []object{}}
	if !style.Brief {
		e.event("response.created", object{"response": response})
	}
	e.reasoning(a.Thinking)
	if a.Refused {
		e.message("refusal", "I'm sorry, but I can't help with that.")
	}
	if a.Text != "" {
		e.message("output_text", a.Text)
	}
	e.calls(a.Calls)
	e.end(a, response)
	return e.frames, e.items
}

// item sends an item: its beginning, its pieces, its end.
func (e *encoder) item(whole object, pieces func(at int)) {
	at := len(e.items)
	if !e.style.Brief {
		e.event("response.output_item.added", object{"output_index": at, "item": begun(whole)})
	}
	if pieces != nil {
		pieces(at)
	}
	e.items = append(e.items, whole)
	e.event("response.output_item.done", object{"output_index": at, "item": whole})
}

// begun is an item before anything of it came.
func begun(whole object) object {
	out := maps.Clone(whole)
	out["status"] = "in_progress"
	for name := range out {
		switch name {
		case "content", "summary":
			out[name] = []object{}
		case "arguments":
			out[name] = ""
		case "action", "actions", "encrypted_content":
			delete(out, name)
		}
	}
	return out
}

// reasoning is there in each answer, also where nothing of it is told.
func (e *encoder) reasoning(summary string) {
	id := e.id("rs")
	parts := []object{}
	if summary != "" {
		parts = append(parts, object{"type": "summary_text", "text": summary})
	}
	e.item(object{"id": id, "type": "reasoning", "summary": parts, "encrypted_content": "sealed-" + id}, func(at int) {
		for _, piece := range split(summary) {
			e.event("response.reasoning_summary_text.delta", object{"item_id": id, "output_index": at, "summary_index": 0, "delta": piece})
		}
	})
}

func (e *encoder) message(kind, text string) {
	id := e.id("msg")
	part := object{"type": kind, "text": text, "annotations": []any{}}
	delta := "response.output_text.delta"
	if kind == "refusal" {
		part, delta = object{"type": kind, "refusal": text}, "response.refusal.delta"
	}
	e.item(object{"id": id, "type": "message", "role": "assistant", "status": "completed", "content": []object{part}}, func(at int) {
		for _, piece := range split(text) {
			e.event(delta, object{"item_id": id, "output_index": at, "content_index": 0, "delta": piece})
		}
	})
}

// calls sends calls. Those next to each other that OpenAI's computer tool has words for are one call of it.
func (e *encoder) calls(calls []enginetest.Call) {
	for i := 0; i < len(calls); {
		var actions []object
		first := calls[i]
		for i < len(calls) && e.style.Native && (len(actions) == 0 || !e.style.Old) {
			a, ok := native(calls[i])
			if !ok {
				break
			}
			actions = append(actions, a)
			i++
		}
		if len(actions) > 0 {
			e.computer(first.ID, actions)
			continue
		}
		e.function(first)
		i++
	}
}

func (e *encoder) computer(call string, actions []object) {
	it := object{"id": e.id("cu"), "type": "computer_call", "call_id": call, "status": "completed", "pending_safety_checks": []Check{}}
	if e.style.Old {
		it["action"] = actions[0]
	} else {
		it["actions"] = actions
	}
	if len(e.style.Checks) > 0 {
		it["pending_safety_checks"], e.style.Checks = e.style.Checks, nil
	}
	e.item(it, nil)
}

func (e *encoder) function(c enginetest.Call) {
	id, name := e.id("fc"), c.Name
	if name == "computer" && e.style.Native {
		name = "computer_more"
	}
	whole := object{"id": id, "type": "function_call", "call_id": c.ID, "name": name, "arguments": c.Args, "status": "completed"}
	e.item(whole, func(at int) {
		for _, piece := range split(c.Args) {
			e.event("response.function_call_arguments.delta", object{"item_id": id, "output_index": at, "delta": piece})
		}
		if e.style.Brief {
			return
		}
		e.event("response.function_call_arguments.done", object{"item_id": id, "output_index": at, "arguments": c.Args})
	})
}

func (e *encoder) end(a enginetest.Answer, response object) {
	response["status"] = "completed"
	if !e.style.Brief {
		response["output"] = e.items
	}
	response["usage"] = object{
		"input_tokens": a.Usage.In, "output_tokens": a.Usage.Out, "total_tokens": a.Usage.In + a.Usage.Out,
		"input_tokens_details":  object{"cached_tokens": a.Usage.CacheRead, "cache_write_tokens": a.Usage.CacheMade},
		"output_tokens_details": object{"reasoning_tokens": 0},
	}
	if a.Full {
		response["status"], response["incomplete_details"] = "incomplete", object{"reason": "max_output_tokens"}
		e.event("response.incomplete", object{"response": response})
		return
	}
	e.event("response.completed", object{"response": response})
}

// split cuts text into the pieces in which it is sent.
func split(text string) []string {
	var out []string
	for r := []rune(text); len(r) > 0; {
		n := min(28, len(r))
		out, r = append(out, string(r[:n])), r[n:]
	}
	return out
}

// native is a step in the words of OpenAI's computer tool, where it has any.
func native(c enginetest.Call) (object, bool) {
	var s struct {
		Action    string
		At        []int `json:"coordinate"`
		From      []int `json:"start_coordinate"`
		Text      string
		Direction string  `json:"scroll_direction"`
		Amount    int     `json:"scroll_amount"`
		Duration  float64 `json:"duration"`
		Repeat    int
	}
	if c.Name != "computer" || json.Unmarshal([]byte(c.Args), &s, json.MatchCaseInsensitiveNames(true)) != nil {
		return nil, false
	}
	keys := func() []string {
		if s.Text == "" {
			return []string{}
		}
		return strings.Split(strings.ToUpper(s.Text), "+")
	}
	pointed := func(o object) (object, bool) {
		if len(s.At) != 2 {
			return nil, false
		}
		o["x"], o["y"], o["keys"] = s.At[0], s.At[1], keys()
		return o, true
	}
	switch s.Action {
	case "screenshot":
		return object{"type": "screenshot"}, true
	case "left_click", "right_click", "middle_click":
		button := map[string]string{"left_click": "left", "right_click": "right", "middle_click": "wheel"}[s.Action]
		return pointed(object{"type": "click", "button": button})
	case "double_click":
		return pointed(object{"type": "double_click"})
	case "mouse_move":
		return pointed(object{"type": "move"})
	case "left_click_drag":
		if len(s.From) != 2 || len(s.At) != 2 {
			return nil, false
		}
		point := func(p []int) object { return object{"x": p[0], "y": p[1]} }
		return object{"type": "drag", "path": []object{point(s.From), point(s.At)}, "keys": keys()}, true
	case "key":
		return object{"type": "keypress", "keys": keys()}, s.Repeat < 2 && !strings.Contains(s.Text, " ")
	case "type":
		return object{"type": "type", "text": s.Text}, true
	case "scroll":
		o, ok := pointed(object{"type": "scroll", "scroll_x": 0, "scroll_y": 0})
		if ok {
			sign := map[string]int{"up": -1, "left": -1, "down": 1, "right": 1}[s.Direction]
			axis := map[string]string{"up": "scroll_y", "down": "scroll_y", "left": "scroll_x", "right": "scroll_x"}[s.Direction]
			o[axis] = sign * max(s.Amount, 1) * 100
		}
		return o, ok
	case "wait":
		return object{"type": "wait"}, true
	}
	return nil, false
}
