package main

import (
	"bytes"
	"strings"
	"testing"

	"conch/gateway/chat"
)

func TestTranscript(t *testing.T) {
	step := func(id, state, text, more string) chat.Event {
		return chat.Event{Kind: chat.KindStepDone, ID: id, State: state, Text: text, More: more}
	}
	end := func(state string) chat.Event { return chat.Event{Kind: chat.KindEnded, State: state} }
	cases := []struct {
		name   string
		events []chat.Event
		want   string
		code   int
	}{
		{"all done", []chat.Event{
			{Kind: chat.KindSaid, ID: "1", Text: "open Mousepad"},
			{Kind: chat.KindStep, ID: "2", Text: "Opening Mousepad"},
			step("2", chat.StateDone, "Opened Mousepad", ""),
			{Kind: chat.KindText, ID: "3", Text: "Done."},
			end(chat.StateDone),
		}, "✓ Opened Mousepad\nDone.\n", exitOK},
		{"read twice", []chat.Event{
			step("2", chat.StateDone, "Opened Mousepad", ""), step("2", chat.StateDone, "Opened Mousepad", ""), end(chat.StateDone),
		}, "✓ Opened Mousepad\n", exitOK},
		{"refused", []chat.Event{
			step("2", chat.StateRefused, "Type in Terminal", "Terminals are kept away."), end(chat.StateDone),
		}, "✗ Type in Terminal\n    Terminals are kept away.\n", exitRefused},
		{"a failure that was mended", []chat.Event{
			step("2", chat.StateFailed, "Click", ""), step("3", chat.StateDone, "Clicked", ""), end(chat.StateDone),
		}, "✗ Click\n✓ Clicked\n", exitOK},
		{"asked and answered", []chat.Event{
			{Kind: chat.KindAsked, ID: "q", Text: "Use Mousepad on your computer?", More: "It's new in this chat."},
			{Kind: chat.KindAnswered, ID: "q", State: "once"},
			end(chat.StateDone),
		}, "? Use Mousepad on your computer?\n    It's new in this chat.\n  Allowed once.\n", exitOK},
		{"an answer that only repeats", []chat.Event{
			step("2", chat.StateRefused, "Click", "Look first."),
			{Kind: chat.KindText, ID: "3", Text: "Look first."},
			{Kind: chat.KindText, ID: "4", Text: "Look first.\n\nThen click."},
			end(chat.StateDone),
		}, "✗ Click\n    Look first.\nThen click.\n", exitRefused},
		{"an answer that only says what was done", []chat.Event{
			step("2", chat.StateDone, "Pressed Ctrl+A in Mousepad", ""),
			{Kind: chat.KindText, ID: "3", Text: "Pressed Ctrl+A in Mousepad."},
			end(chat.StateDone),
		}, "✓ Pressed Ctrl+A in Mousepad\n", exitOK},
		{"stopped", []chat.Event{step("2", chat.StateStopped, "Typing", ""), end(chat.StateStopped)}, "■ Typing\n", exitStopped},
		{"failed", []chat.Event{{Kind: chat.KindEnded, State: "failed", Text: "The engine went away."}}, "The engine went away.\n", exitFailed},
		{"no end seen", nil, "", exitFailed},
		{"a state from a newer Conch", []chat.Event{step("2", "dreamt", "Clicked", ""), end(chat.StateDone)}, "? Clicked\n", exitRefused},
		{"words that would steer the terminal", []chat.Event{
			{Kind: chat.KindText, ID: "3", Text: "a\x1b]0;title\x07b\u202ec\r\nd\u009be"}, end(chat.StateDone),
		}, "a]0;titlebc\nde\n", exitOK},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			tr := newTranscript(&out, false)
			for _, e := range c.events {
				tr.event(e)
			}
			if out.String() != c.want || tr.code() != c.code {
				t.Errorf("got %q and %d, want %q and %d", out.String(), tr.code(), c.want, c.code)
			}
		})
	}
}

// On a terminal the line about a running step is written over, so that nothing of it is left.
func TestTranscriptOnATerminal(t *testing.T) {
	var out bytes.Buffer
	tr := newTranscript(&out, true)
	tr.event(chat.Event{Kind: chat.KindStep, ID: "1", Text: "Typing in Mousepad"})
	tr.event(chat.Event{Kind: chat.KindStepDone, ID: "1", State: chat.StateDone, Text: "Typed in Mousepad"})
	if want := "  Typing in Mousepad…\r\x1b[K✓ Typed in Mousepad\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func FuzzPlain(f *testing.F) {
	for _, s := range []string{"", "héllo\n\tмир 👋", "\x1b[2J", "\u009b31m", "a\u2066b", "\xff\x9b", "\r"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range plain(s) {
			if r != '\n' && r != '\t' && (r < 0x20 || (r >= 0x7f && r < 0xa0)) {
				t.Errorf("%q keeps %U", s, r)
			}
		}
	})
}

func TestLines(t *testing.T) {
	var got []string
	for l := range lines(strings.NewReader("once\n\n" + strings.Repeat("x", 5000) + "\nlast")) {
		got = append(got, l[:min(len(l), 5)])
	}
	if want := "once||xxxxx"; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q: a line without its end is no answer", strings.Join(got, "|"), want)
	}
}
