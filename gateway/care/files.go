package care

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"conch/gateway/state"
)

// Documents says whether Conch's settings files can be read. One that can't be is put aside where that is safe:
// tighter says for which files being absent allows no more than being unreadable does.
func Documents(d *state.Dir, tighter func(name string) bool) Check {
	return Check{ID: "documents", Title: "Settings files", Area: Repair, Run: func(context.Context) Finding {
		problems := d.Problems()
		if len(problems) == 0 {
			return Finding{Level: OK, Say: "All of them can be read."}
		}
		f := Finding{Level: Bad, Say: "What can’t be read counts as off, and asks where it would have asked."}
		for _, p := range problems {
			row := Row{ID: p.Name, Title: p.Name, Say: problemSay(p.Err)}
			if tighter(p.Name) && unreadable(p.Err) {
				row.Fix = &Fix{Title: "Put aside", Done: p.Name + " couldn’t be read, so it was put aside. Its settings start anew, all off.", Do: func(context.Context) error {
					_, err := d.Aside(p.Name)
					return err
				}}
			}
			f.Rows = append(f.Rows, row)
		}
		return f
	}}
}

func unreadable(err error) bool {
	var u *state.UnreadableError
	return errors.As(err, &u)
}

// problemSay is for a person: which error of the parser it was is for the log.
func problemSay(err error) string {
	if unreadable(err) {
		return "It is damaged. Put the right one in its place, or move it away."
	}
	return err.Error() // a newer Conch's, or no plain file: written for a person
}

// Kept says what was kept aside because it could not be read.
func Kept(d *state.Dir) Check {
	return Check{ID: "kept", Title: "Files kept aside", Area: Repair, Run: func(context.Context) Finding {
		names, err := d.Kept()
		switch {
		case err != nil:
			return folderUnread()
		case len(names) == 0:
			return Finding{Level: OK, Say: "There are none."}
		}
		say := "These couldn’t be read earlier, so Conch went on without them: " + list(names) + ". Nothing in them is lost; delete them when you don’t need them."
		return Finding{Level: Info, Say: say}
	}}
}

// Modes says whether other accounts on this computer could read or change Conch's files.
func Modes(d *state.Dir) Check {
	return Check{ID: "modes", Title: "Who can read Conch’s files", Area: Security | Repair, Run: func(context.Context) Finding {
		names, err := d.Wide()
		switch {
		case err != nil:
			return folderUnread()
		case len(names) == 0:
			return Finding{Level: OK, Say: "Only your account can."}
		}
		return Finding{
			Level: Bad, Say: "Other accounts on this computer can reach " + list(names) + ".",
			Fix: &Fix{Title: "Close them", Done: "Conch’s files are your account’s alone again.", Do: func(context.Context) error { return d.Narrow() }},
		}
	}}
}

// Leftovers says whether files are left that nothing needs any more: those of a Conch that was killed while it
// wrote, and the ones that stale names once they are that old.
func Leftovers(d *state.Dir, now func() time.Time, stale map[string]time.Duration) Check {
	return Check{ID: "leftovers", Title: "Leftover files", Area: Repair, Run: func(context.Context) Finding {
		names, err := d.Leftovers(now(), stale)
		switch {
		case err != nil:
			return folderUnread()
		case len(names) == 0:
			return Finding{Level: OK, Say: "There are none."}
		}
		return Finding{
			Level: Warn, Say: "Nothing needs these any more: " + list(names) + ".",
			Fix: &Fix{Title: "Remove", Done: "Leftover files were removed: " + list(names) + ".", Do: func(context.Context) error {
				return d.Sweep(now(), stale)
			}},
		}
	}}
}

// Database says whether the chats are whole. rebuild makes what can be made anew from the rest; nil can't.
func Database(verify, rebuild func(context.Context) error) Check {
	return Check{ID: "database", Title: "Your chats", Area: Repair, Run: func(ctx context.Context) Finding {
		err := verify(ctx)
		switch {
		case err == nil:
			return Finding{Level: OK, Say: "The database of your chats is whole."}
		case ctx.Err() != nil:
			return Finding{Level: Info, Say: "It is too large to look through while you wait.", Unknown: true}
		}
		f := Finding{Level: Bad, Say: "The database of your chats is damaged in places. Quit Conch and copy conch.db somewhere safe."}
		if rebuild != nil {
			f.Fix = &Fix{Title: "Rebuild its index", Done: "The index of your chats was rebuilt, and they are whole again.", Do: rebuild}
		}
		return f
	}}
}

func folderUnread() Finding {
	return Finding{Level: Bad, Say: "Conch’s folder can’t be read.", Unknown: true}
}

const listMost = 4

// list is names for a person, and how many more there are.
func list(names []string) string {
	if n := len(names) - listMost; n > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:listMost], ", "), n)
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}
