package enginetest

import (
	"fmt"
	"strings"
)

// Brain is a scripted model: it is told what a request says and answers. Strict servers of each protocol think with
// one, so that the same task runs over each of them.
type Brain func(Seen) Answer

// Steps is a model that makes these calls one after the other, looks at each answer, and ends with a sentence. It
// stops at the first that failed and says so.
func Steps(calls []Call, end string) Brain {
	return func(s Seen) Answer {
		n := len(s.Results)
		if n > 0 && s.Results[n-1].Failed {
			return Answer{Text: "I stopped: " + s.Results[n-1].Text}
		}
		if n >= len(calls) {
			return Answer{Text: end}
		}
		c := calls[n]
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d", n+1)
		}
		return Answer{Thinking: fmt.Sprintf("Step %d of %d.", n+1, len(calls)), Calls: []Call{c}}
	}
}

// Does is a computer call in Conch's words.
func Does(step string) Call { return Call{Name: "computer", Args: step} }

// TenSteps is the task of ten steps in a text editor called app: open it, write into it, look closely, and more. What
// is typed is text.
func TenSteps(app, text string) Brain {
	q := func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), `"`, `\"`) }
	return Steps([]Call{
		Does(`{"action":"screenshot"}`),
		Does(`{"action":"open_app","text":"` + q(app) + `"}`),
		Does(`{"action":"left_click","coordinate":[400,300]}`),
		Does(`{"action":"type","text":"` + q(text) + `"}`),
		Does(`{"action":"key","text":"Return","repeat":2}`),
		Does(`{"action":"type","text":"` + q(text) + `"}`),
		Does(`{"action":"key","text":"ctrl+a"}`),
		Does(`{"action":"scroll","coordinate":[400,300],"scroll_direction":"down","scroll_amount":2}`),
		Does(`{"action":"zoom","region":[200,150,600,450]}`),
		Does(`{"action":"cursor_position"}`),
	}, "Done, all ten steps.")
}
