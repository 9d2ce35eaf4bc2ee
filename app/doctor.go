package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"conch/app/internal/running"
	"conch/gateway/access/keep"
	"conch/gateway/care"
	"conch/gateway/chat"
	"conch/gateway/state"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// found is one check with what it found, as Conch answers it and as --json shows it.
type found struct {
	ID    string     `json:"id"`
	Area  string     `json:"area"`
	Title string     `json:"title"`
	Level care.Level `json:"level"`
	Say   string     `json:"say"`
	Fix   string     `json:"fix,omitempty"`
	Open  string     `json:"open,omitempty"`
	Rows  []foundRow `json:"rows,omitempty"`
}

type foundRow struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Say   string `json:"say,omitempty"`
	Fix   string `json:"fix,omitempty"`
}

// diagnosis is what the doctor says.
type diagnosis struct {
	Running bool    `json:"running"`
	Say     string  `json:"say"` // what was looked at
	Checks  []found `json:"checks"`
}

func (d diagnosis) wrong() bool {
	return slices.ContainsFunc(d.Checks, func(f found) bool { return f.Level.Wrong() })
}

// doctor looks for what is wrong. With Conch running it is asked; otherwise its files are looked at, and nothing is
// changed either way.
func (c *call) doctor(ctx context.Context, args []string) error {
	asJSON := slices.Equal(args, []string{"--json"})
	if len(args) > 0 && !asJSON {
		return &said{Say: fmt.Sprintf("“conch doctor” knows --json, and got “%s”.", strings.Join(args, " ")), Code: exitUsage}
	}
	d, err := c.diagnose(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		text, err := json.Marshal(d, jsontext.WithIndent("  "))
		if err != nil {
			return err
		}
		c.tell("%s\n", text)
	} else {
		c.tell("%s", d.text())
	}
	if d.wrong() {
		return &said{Code: exitFailed} // it was said above
	}
	return nil
}

func (c *call) diagnose(ctx context.Context) (diagnosis, error) {
	home, err := state.Home(c.getenv, os.UserHomeDir)
	if err != nil {
		return diagnosis{}, err
	}
	dir, err := state.Inspect(home)
	if errors.Is(err, fs.ErrNotExist) {
		return diagnosis{Say: "Conch wasn’t started here yet, so there is nothing to look at.", Checks: []found{}}, nil
	}
	if err != nil {
		return diagnosis{}, err
	}
	defer func() { _ = dir.Close() }()
	free, err := running.Free(dir)
	if err != nil {
		return diagnosis{}, err
	}
	if free {
		return diagnosis{Say: "Conch isn’t running, so only its files were looked at.", Checks: c.looked(ctx, dir, true)}, nil
	}
	d := diagnosis{Running: true}
	p, err := c.findPeer(ctx)
	if err == nil {
		d.Say = fmt.Sprintf("Conch runs at http://localhost:%d and looked at itself.", p.Port)
		err = p.ask(ctx, http.MethodGet, "/api/care", nil, &d)
		d.Running = true
	}
	if err != nil {
		if ctx.Err() != nil {
			return d, ctx.Err()
		}
		d.Say = "Conch runs but doesn’t answer, so only its files were looked at."
		d.Checks = append([]found{{
			ID: "answers", Area: "repair", Title: "Conch itself", Level: care.Bad, Say: "It doesn’t answer. Quit it from its menu, or end its process, and open it again.",
		}}, c.looked(ctx, dir, false)...)
	}
	return d, nil
}

// looked is what can be seen of Conch from its files alone.
func (c *call) looked(ctx context.Context, dir *state.Dir, ended bool) []found {
	log := slog.New(slog.DiscardHandler)
	state.NewComputerUse(dir, time.Now, log)
	keep.Open(dir, log)
	stale := staleFiles
	if ended { // nobody reads these without a Conch
		stale = map[string]time.Duration{openName: 0, running.AddressName: 0}
	}
	list := care.NewList(append([]care.Check{
		care.Modes(dir),
		care.Documents(dir, func(string) bool { return false }),
		care.Database(func(ctx context.Context) error { return chat.Verify(ctx, dir.Path(chat.File)) }, nil),
		care.Kept(dir),
		care.Leftovers(dir, time.Now, stale),
	}, desktopChecks(false)...)...)
	out := []found{}
	for _, e := range list.Look(ctx, care.Repair) {
		f := found{ID: e.ID, Area: "repair", Title: e.Title, Level: e.Level, Say: e.Say}
		for _, row := range e.Rows {
			f.Rows = append(f.Rows, foundRow{ID: e.ID + "/" + row.ID, Title: row.Title, Say: row.Say})
		}
		out = append(out, f)
	}
	return out
}

// doctorMarks stand before what was found, worst first.
var doctorMarks = []struct {
	level care.Level
	mark  string
}{{care.Bad, "✗"}, {care.Warn, "!"}, {care.Info, "·"}}

// text is the diagnosis for a terminal: what should be looked at first, and what is fine as a number.
func (d diagnosis) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", d.Say)
	fine := 0
	for _, m := range doctorMarks {
		for _, f := range d.Checks {
			if f.Level == m.level {
				f.write(&b, m.mark)
			}
		}
	}
	for _, f := range d.Checks {
		if f.Level == care.OK {
			fine++
		}
	}
	switch {
	case len(d.Checks) == 0:
	case fine == len(d.Checks):
		fmt.Fprintf(&b, "\nAll %d things are fine.\n", fine)
	case fine == 1:
		b.WriteString("\n1 more is fine.\n")
	default:
		fmt.Fprintf(&b, "\n%d more are fine.\n", fine)
	}
	b.WriteString(d.next())
	return b.String()
}

// sayMost is how long a sentence may be, in characters: some hold a name that anybody chose.
const sayMost = 500

func (f found) write(b *strings.Builder, mark string) {
	fmt.Fprintf(b, "\n%s %s\n    %s\n", mark, clip(f.Title, sayMost), clip(f.Say, sayMost))
	for _, row := range f.Rows {
		fmt.Fprintf(b, "    - %s", clip(row.Title, sayMost))
		if row.Say != "" {
			fmt.Fprintf(b, ": %s", clip(row.Say, sayMost))
		}
		b.WriteByte('\n')
	}
}

// next says where what was found can be put right.
func (d diagnosis) next() string {
	if !d.wrong() {
		return ""
	}
	if !d.Running {
		return "\nStart Conch, then “conch open repair” puts right what can be.\n"
	}
	var pages []string
	for _, area := range []struct{ name, word string }{{"security", "checkup"}, {"repair", "repair"}} {
		if slices.ContainsFunc(d.Checks, func(f found) bool { return f.Area == area.name && f.Level.Wrong() }) {
			pages = append(pages, "“conch open "+area.word+"”")
		}
	}
	has := "has"
	if len(pages) > 1 {
		has = "have"
	}
	return "\n" + strings.Join(pages, " and ") + " " + has + " a button for what can be put right.\n"
}
