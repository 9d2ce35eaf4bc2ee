package chat

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"
)

// TestDoneIsMatch compares what the database finds with the rule for one event, over random logs and filters.
func TestDoneIsMatch(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	var log []Event
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), File), func() time.Time { return now }, func(e Event) { log = append(log, e) })
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	var chats []string
	for i := range 3 {
		c, err := s.NewChat(t.Context(), fmt.Sprintf("chat %d", i))
		if err != nil {
			t.Fatal(err)
		}
		chats = append(chats, c.ID)
	}
	apps := []string{"", "Mousepad", "Galculator"}
	for range 300 {
		now = now.Add(time.Duration(r.IntN(3600)) * time.Second)
		_, err := s.Append(t.Context(), Event{
			Kind: Kind(pick("said", "text", "step", "stepdone", "stepdone", "asked", "answered", "ended", "note", "taint", "mode")),
			Chat: pick(chats...), ID: "x", App: pick(apps...), State: pick("done", "refused", "failed", "stopped", "cut", "no", ""),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 300 {
		f := Filter{What: What(pick("", "done", "asked", "refused"))}
		if r.IntN(2) == 0 {
			f.Chat = pick(chats...)
		}
		if r.IntN(2) == 0 {
			f.App = pick(apps...)
		}
		if r.IntN(2) == 0 {
			f.From = log[r.IntN(len(log))].At
			f.To = f.From.Add(24 * time.Hour)
		}
		if r.IntN(2) == 0 {
			f.Before = uint64(1 + r.IntN(len(log)))
		}
		if r.IntN(2) == 0 {
			f.After = uint64(r.IntN(len(log)))
		}
		n := 1 + r.IntN(len(log))
		got, err := s.Done(t.Context(), f, n)
		if err != nil {
			t.Fatal(err)
		}
		var want []uint64
		for i := len(log) - 1; i >= 0 && len(want) < n; i-- {
			if f.Match(log[i]) {
				want = append(want, log[i].Seq)
			}
		}
		have := make([]uint64, 0, len(got))
		for _, e := range got {
			have = append(have, e.Seq)
		}
		if fmt.Sprint(have) != fmt.Sprint(want) {
			t.Fatalf("%+v: the database says %v, the rule %v", f, have, want)
		}
	}
	names, err := s.Apps(t.Context())
	if err != nil || fmt.Sprint(names) != "[Galculator Mousepad]" {
		t.Errorf("apps %v, %v", names, err)
	}
	if end, err := s.End(t.Context()); err != nil || end != log[len(log)-1].Seq {
		t.Errorf("end %d, %v", end, err)
	}
}

func TestTitlesDontQuote(t *testing.T) {
	for text, want := range map[string]string{
		`open Mousepad then type "tops3cret" then press ctrl+s`: `open Mousepad then type “…” then press ctrl+s`,
		"type “tops3cret”":        "type “…”",
		`type "tops3cret`:         "type “…”",
		"write\n a  letter":       "write a letter",
		`say "a" and "b", "c d"`:  "say “…” and “…”, “…”",
		"it's 5\" wide tops3cret": "it's 5“…”",
	} {
		if got := title(text); got != want {
			t.Errorf("title(%q) = %q, want %q", text, got, want)
		}
	}
}
