package computer

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"conch/driver"
	"conch/gateway/computer/policy"
)

const (
	maxListed = 100 // apps in one answer
	openWait  = 8 * time.Second
)

// open opens an app, or brings it to the front, and waits until its window is there.
func (s *step) open(ctx context.Context, a Open) (outcome, error) {
	apps, err := s.c.drv.Apps(ctx)
	if err != nil {
		return outcome{}, err
	}
	app, err := choose(apps, string(a.App))
	if err != nil {
		return outcome{}, err
	}
	p, err := s.permit(ctx, &app)
	if err != nil {
		return outcome{}, err
	}
	name := p.targets[0].name
	if err := s.light(ctx, doingSay(a, name), name); err != nil {
		return outcome{}, err
	}
	before, err := s.c.drv.Windows(ctx)
	if err != nil {
		return outcome{}, err
	}
	s.windows = before
	if _, err := s.guard(p, &app)(ctx, nil); err != nil {
		return outcome{}, err
	}
	change := s.changes(ctx)
	if err := s.c.drv.Open(ctx, app.ID); err != nil {
		return outcome{}, err
	}
	say, err := s.appeared(ctx, app.ID, name, before, change)
	return outcome{say: say, acted: true, change: change, target: p.targets[0]}, err
}

// appeared waits for a window of the app in front, and says what was seen of it.
func (s *step) appeared(ctx context.Context, id driver.AppID, name string, before []driver.Window, change uint64) (string, error) {
	limit, cancel := context.WithTimeout(ctx, openWait)
	defer cancel()
	for {
		ws, err := s.c.drv.Windows(ctx)
		if err != nil {
			return "", err
		}
		if w, ok := driver.Focused(ws); ok && w.App == id {
			return name + " is in front.", nil
		} else if ok && w.App == "" && !known(before, w.ID) { // nothing more will tell whose it is
			return unseen(id, name, before, ws), nil
		}
		n, err := s.c.drv.Changed(limit, change)
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case errors.Is(err, context.DeadlineExceeded):
			return unseen(id, name, before, ws), nil
		case err != nil:
			return "", err
		}
		change = n
	}
}

// unseen says what came of an app that isn't in front.
func unseen(id driver.AppID, name string, before, now []driver.Window) string {
	for _, w := range now {
		if w.App == id {
			return name + " is open, but another window is in front."
		}
	}
	for _, w := range now {
		if !known(before, w.ID) {
			return name + " was started, and a new window is there. Look whether it is the right one."
		}
	}
	return name + " was started, but no window of it is there yet. Wait, then look."
}

func known(ws []driver.Window, id driver.WindowID) bool {
	return slices.ContainsFunc(ws, func(w driver.Window) bool { return w.ID == id })
}

// choose finds the app that is meant. A kept-away app is refused by what was asked for, too, whether or not it
// is installed.
func choose(apps []driver.App, asked string) (driver.App, error) {
	if k, ok := policy.KeptApp(driver.App{ID: driver.AppID(asked), Name: asked, Exe: asked}); ok {
		return driver.App{}, &sayError{say: k.Say}
	}
	app, err := driver.MatchApp(apps, asked)
	if several, ok := errors.AsType[*driver.AmbiguousAppError](err); ok {
		return app, &sayError{say: "More than one app is called that: " + names(several.Fits) + ". Say one of them by its id.", told: "More than one app is called that: " + names(several.Fits) + ".", err: err}
	}
	if none, ok := errors.AsType[*driver.NoAppError](err); ok {
		told := "No app is called that here."
		say := told + " Ask for the list of apps (list_apps) to see which there are."
		if n := none.Nearest; n.ID != "" {
			told += " Did you mean " + names([]driver.App{n}) + "?"
			say = told + " Say it by its own name."
		}
		return app, &sayError{say: say, told: told, err: err}
	}
	return app, err
}

func names(apps []driver.App) string {
	var out []string
	for _, a := range apps[:min(len(apps), 8)] {
		out = append(out, plain(a.Name)+" ("+plain(string(a.ID))+")")
	}
	return strings.Join(out, ", ")
}

// listed is an app as list_apps gives it to a program.
type listed struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Running bool   `json:"running"`
}

// list lists the apps that can be opened; those that are kept away can't.
func (s *step) list(ctx context.Context, a List) (outcome, error) {
	apps, err := s.c.drv.Apps(ctx)
	if err != nil {
		return outcome{}, err
	}
	like := strings.ToLower(string(a.Like))
	var out []listed
	for _, app := range apps {
		if _, kept := policy.KeptApp(app); kept {
			continue
		}
		if like == "" || strings.Contains(strings.ToLower(app.Name), like) || strings.Contains(strings.ToLower(string(app.ID)), like) {
			out = append(out, listed{plain(string(app.ID)), plain(app.Name), app.Running})
		}
	}
	slices.SortFunc(out, func(a, b listed) int {
		return strings.Compare(strings.ToLower(a.Name)+a.ID, strings.ToLower(b.Name)+b.ID)
	})
	data, err := json.Marshal(map[string][]listed{"apps": append([]listed{}, out...)})
	return outcome{say: listSay(out), data: data}, err
}
