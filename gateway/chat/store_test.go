package chat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"conch/gateway/engine"
)

// TestRestartMarksWhatWasCutOff opens a database as a Conch that was killed left it.
func TestRestartMarksWhatWasCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	s, err := Open(t.Context(), path, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := s.NewChat(t.Context(), "go")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(s.beginTurn(t.Context(), c.ID, "old", "go"))
	must(s.endTurn(t.Context(), Event{Chat: c.ID, Turn: "old", State: StateDone}))
	must(s.beginTurn(t.Context(), c.ID, "killed", "again"))
	for _, e := range []Event{
		{Kind: KindStep, ID: "s1", Text: "Looking"},
		{Kind: KindStepDone, ID: "s1", Text: "Looking", State: StateDone},
		{Kind: KindStep, ID: "s2", Text: "Clicking"},
		{Kind: KindStep, ID: "s2", Text: "Clicking Save"},
		{Kind: KindAsked, ID: "q1", Text: "May I?"},
	} {
		e.Chat, e.Turn = c.ID, "killed"
		_, err := s.Append(t.Context(), e)
		must(err)
	}
	before, _ := s.Last(t.Context(), c.ID)
	must(s.Close())

	s, err = Open(t.Context(), path, nil, nil)
	must(err)
	defer func() { must(s.Close()) }()
	for i, want := range []int{1, 0} {
		if n, err := s.CutOff(t.Context()); err != nil || n != want {
			t.Errorf("start %d: %d cut off, %v", i, n, err)
		}
	}
	var got []string
	events, _ := s.All(t.Context(), c.ID, before)
	for _, e := range events {
		got = append(got, fmt.Sprintf("%s %s %s %s", e.Kind, e.ID, e.State, e.Text))
	}
	want := "stepdone s2 cut Clicking Save|answered q1 expired May I?|ended  cut Conch was closed in the middle of this."
	if strings.Join(got, "|") != want {
		t.Errorf("got %s", strings.Join(got, "|"))
	}
}

func TestStore(t *testing.T) {
	f := newFixture(t, scripted(func(context.Context, engine.Turn, func(engine.Event, error) bool) {}))
	s, ctx := f.store, t.Context()
	c, err := s.NewChat(ctx, "Plan   the\ntrip to a place with a very long name that goes on and on and on")
	if err != nil || c.Title != "Plan the trip to a place with a very long name that goes on…" || c.Mode != Ask {
		t.Errorf("chat %+v, %v", c, err)
	}
	if err := s.SetMode(ctx, c.ID, Trust); err != nil {
		t.Fatal(err)
	}
	if err := s.SetMode(ctx, "nobody", Trust); !errors.Is(err, ErrNoChat) {
		t.Errorf("mode of no chat: %v", err)
	}
	for range 2 {
		if err := s.Taint(ctx, c.ID, "t", "news.example"); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := s.Sources(ctx, c.ID); len(got) != 1 || got[0] != "news.example" {
		t.Errorf("sources %v", got)
	}
	for range PageSize + 10 {
		if _, err := s.Append(ctx, Event{Chat: c.ID, Kind: KindNote, Text: "n", Always: true}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := s.All(ctx, c.ID, 0)
	if err != nil || len(all) != PageSize+12 {
		t.Errorf("%d events, %v", len(all), err)
	}
	for i, e := range all[1:] {
		if e.Seq <= all[i].Seq || e.Chat != c.ID || e.At.IsZero() {
			t.Fatalf("event %d: %+v", i, e)
		}
	}
	got, _ := s.Chat(ctx, c.ID)
	if got.Mode != Trust || got.Updated.Before(got.Created) {
		t.Errorf("chat %+v", got)
	}
	if _, err := s.Append(ctx, Event{Chat: "nobody", Kind: KindNote}); err == nil {
		t.Error("an event of no chat was taken")
	}
}

func TestNewerDatabaseIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "with space #?", File)
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.ExecContext(t.Context(), "PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path, nil, nil); err == nil || !strings.Contains(err.Error(), "newer Conch") {
		t.Errorf("open: %v", err)
	}
}

// TestEventsComeInTheOrderOfTheLog lets many write at once.
func TestEventsComeInTheOrderOfTheLog(t *testing.T) {
	f := newFixture(t, scripted(func(context.Context, engine.Turn, func(engine.Event, error) bool) {}))
	c, _ := f.store.NewChat(t.Context(), "x")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 30 {
				if _, err := f.store.Append(t.Context(), Event{Chat: c.ID, Kind: KindNote}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	var last uint64
	for _, e := range f.seen() {
		if e.Seq <= last {
			t.Fatalf("%d came after %d", e.Seq, last)
		}
		last = e.Seq
	}
}
