package main

import (
	"fmt"
	"io"
	"strings"

	"conch/gateway/chat"
)

// transcript writes one turn to a terminal or a file as it happens, and remembers how it ended.
type transcript struct {
	out      io.Writer
	terminal bool
	open     string          // the id of the question that waits for an answer
	shown    map[string]bool // steps that are over and blocks of text, by id: the log may be read twice
	doing    bool            // a line about a running step stands at the end, to be written over
	went     string          // the state of the last step
	said     string          // what the last step said beside its name, or that name: an answer often repeats it
	ended    *chat.Event
}

func newTranscript(out io.Writer, terminal bool) *transcript {
	return &transcript{out: out, terminal: terminal, shown: map[string]bool{}}
}

func (t *transcript) line(format string, args ...any) {
	t.clear()
	_, _ = fmt.Fprintf(t.out, format+"\n", args...)
}

// clear takes back the line about a running step.
func (t *transcript) clear() {
	if t.doing {
		_, _ = io.WriteString(t.out, "\r\x1b[K")
		t.doing = false
	}
}

// event shows one event of the chat's log.
func (t *transcript) event(e chat.Event) {
	text, more := plain(e.Text), plain(e.More)
	switch e.Kind {
	case chat.KindStep:
		if t.terminal && t.open == "" {
			t.clear()
			_, _ = fmt.Fprintf(t.out, "  %s…", text)
			t.doing = true
		}
	case chat.KindStepDone:
		t.step(e, text, more)
	case chat.KindText:
		rest := strings.TrimSpace(strings.TrimPrefix(text, t.said))
		if rest == "." { // a step's name is no sentence yet
			rest = ""
		}
		if !t.shown[e.ID] && rest != "" {
			t.line("%s", rest)
		}
		t.shown[e.ID] = true
	case chat.KindNote:
		t.line("  %s", join(text, more))
	case chat.KindAsked:
		t.open = e.ID
		t.line("? %s", join(text, more))
	case chat.KindAnswered:
		if t.open == e.ID {
			t.open = ""
		}
		t.line("  %s", join(answers[e.State], more))
	case chat.KindEnded:
		t.ended = &e
		if text != "" {
			t.line("%s", join(text, more))
		}
		t.clear()
	case chat.KindSaid, chat.KindTaint, chat.KindMode:
		// The person's own words; and what only the page shows.
	}
}

var answers = map[string]string{
	"once": "Allowed once.", "always": "Always allowed.", "no": "Not allowed.", "expired": "Nobody answered, so no.",
	chat.AnswerStopped: "You stopped before answering.", chat.AnswerEnded: "It ended before you answered.",
}

var stepMarks = map[string]string{
	chat.StateDone: "✓", chat.StateRefused: "✗", chat.StateFailed: "✗", chat.StateStopped: "■", chat.StateCut: "✗",
}

func (t *transcript) step(e chat.Event, text, more string) {
	t.went, t.said = e.State, more
	if more == "" {
		t.said = text
	}
	if t.shown[e.ID] {
		return
	}
	t.shown[e.ID] = true
	mark := stepMarks[e.State]
	if mark == "" {
		mark = "?" // a newer Conch knows more states
	}
	t.line("%s %s", mark, join(text, more))
}

// code is how `conch say` ends.
func (t *transcript) code() int {
	switch {
	case t.ended == nil:
		return exitFailed
	case t.ended.State == chat.StateStopped:
		return exitStopped
	case t.ended.State != chat.StateDone:
		return exitFailed
	case t.went != "" && t.went != chat.StateDone:
		return exitRefused
	}
	return exitOK
}

// join puts a second sentence after a first.
func join(text, more string) string {
	if more == "" {
		return text
	}
	if text == "" {
		return more
	}
	return strings.TrimRight(text, " ") + "\n    " + more
}
