//go:build linux

// Command delivery makes the table of docs/delivery.md: every action of the computer tool against real
// applications of four kinds, judged by what the application itself reports that it received.
//
//	go run ./app/delivery -o docs/delivery.md
//
// It starts a private desktop. A cell is observed or it is not delivered; nothing is inferred from the tool's
// own answer.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"conch/app/internal/fixture"
	"conch/driver/x11/xfixture"
)

// cell is what became of one action in one kind of application.
type cell struct {
	delivered bool
	without   bool   // the application has no such thing
	why       string // what was seen instead
}

func main() {
	xfixture.Main()
	only := flag.String("only", "", "try this action only, and make no table")
	out := flag.String("o", "", "write the table to this file; empty prints it")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *out, *only)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "delivery:", err)
		os.Exit(1)
	}
}

var errMissing = errors.New("some actions were not delivered")

func run(ctx context.Context, out, only string) error {
	if only != "" {
		actions = slices.DeleteFunc(actions, func(a action) bool { return a.name != only })
	}
	table := map[fixture.Kind][]cell{}
	missing := 0
	for _, k := range fixture.Kinds {
		cells, err := column(ctx, k)
		if err != nil {
			return err
		}
		table[k] = cells
		for i, c := range cells {
			if !c.delivered && !c.without {
				missing++
				fmt.Fprintf(os.Stderr, "%s in %s: %s\n", actions[i].name, k, c.why)
			}
		}
	}
	text := page(table)
	if out == "" || only != "" {
		fmt.Print(text)
	} else if err := os.WriteFile(out, []byte(text), 0o644); err != nil { //nolint:gosec // a page of the documentation
		return err
	}
	if missing > 0 {
		return fmt.Errorf("%w: %d", errMissing, missing)
	}
	return nil
}

// page is the table as Markdown.
func page(table map[fixture.Kind][]cell) string {
	var b strings.Builder
	delivered, all := 0, 0
	b.WriteString("# What arrives\n\nEvery action of the computer tool against a real application of each kind, in front, on X11, judged by what the\n" +
		"application itself reported that it received. Made by `go run ./app/delivery -o docs/delivery.md`; a cell that was\nnot seen says so.\n\n| Action |")
	for _, k := range fixture.Kinds {
		b.WriteString(" " + string(k) + " |")
	}
	b.WriteString(" Seen as |\n|---|" + strings.Repeat("---|", len(fixture.Kinds)) + "---|\n")
	var notes []string
	for i, a := range actions {
		b.WriteString("| " + a.name + " |")
		for _, k := range fixture.Kinds {
			c := table[k][i]
			switch {
			case c.without:
				b.WriteString(" – |")
				continue
			case c.delivered:
				b.WriteString(" delivered |")
				delivered++
			default:
				notes = append(notes, fmt.Sprintf("%s in %s: %s", a.name, k, c.why))
				fmt.Fprintf(&b, " **not** (%d) |", len(notes))
			}
			all++
		}
		b.WriteString(" " + a.seen + " |\n")
	}
	fmt.Fprintf(&b, "\n%d of %d delivered. “–” means that the application has no such thing: a plain X window has no accessible names.\n", delivered, all)
	for i, n := range notes {
		fmt.Fprintf(&b, "\n%d. %s", i+1, n)
	}
	if len(notes) > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "\nLast made on %s, Debian 12: GTK 3.24, Qt 5.15, Chromium, Xvfb with openbox.\n", time.Now().UTC().Format("2 January 2006"))
	return b.String()
}
