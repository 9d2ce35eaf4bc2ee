package gateway

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"conch/gateway/care"
	"conch/gateway/web"
)

// stateCare says that a repair is further than it was.
const stateCare stateChange = "care"

// caring is the checks, and the repair that runs or ran last.
type caring struct {
	list *care.List

	mu      sync.Mutex
	running bool
	at      care.Progress
	results []care.Result
	after   []care.Entry // what the list looked like when the repair had ended
	ended   bool         // a repair has ended since Conch started
}

// Repair starts to put right what can be, unless that runs already. What it does is on the page and in GET /api/care.
func (g *Gateway) Repair() {
	c := &g.care
	c.mu.Lock()
	if c.running || g.closing.Err() != nil {
		c.mu.Unlock()
		return
	}
	c.running, c.ended, c.at, c.results, c.after = true, false, care.Progress{}, nil, nil
	c.mu.Unlock()
	g.publish(topicSettings, stateCare)
	g.open.Go(func() {
		results, after := c.list.Repair(g.closing, func(p care.Progress) {
			c.mu.Lock()
			c.at = p
			c.mu.Unlock()
			g.publish(topicSettings, stateCare)
		})
		c.mu.Lock()
		c.running, c.ended, c.results, c.after = false, true, results, after
		c.mu.Unlock()
		g.publish(topicSettings, stateCare)
		g.settingsChanged()
	})
}

// careRow is one thing of several, as a program reads it.
type careRow struct {
	ID    string `json:"id"` // for POST /api/care/fix
	Title string `json:"title"`
	Say   string `json:"say,omitempty"`
	Fix   string `json:"fix,omitempty"` // what its fix does; empty is none
}

// careEntry is a check with what it found, as a program reads it.
type careEntry struct {
	ID    string    `json:"id"`
	Area  string    `json:"area"` // security, repair
	Title string    `json:"title"`
	Level string    `json:"level"`
	Say   string    `json:"say"`
	Fix   string    `json:"fix,omitempty"`
	Open  string    `json:"open,omitempty"`
	Rows  []careRow `json:"rows,omitempty"`
}

var careAreas = []struct {
	name string
	area care.Area
}{{"security", care.Security}, {"repair", care.Repair}}

// getCare answers what both lists found. A check that is in both is told once.
func (g *Gateway) getCare(w http.ResponseWriter, r *http.Request) error {
	out := struct {
		Checks []careEntry `json:"checks"`
	}{Checks: []careEntry{}}
	told := map[string]bool{}
	for _, a := range careAreas {
		for _, e := range g.care.list.Look(r.Context(), a.area) {
			if !told[e.ID] {
				out.Checks = append(out.Checks, careEntryOf(a.name, e))
			}
			told[e.ID] = true
		}
	}
	writeJSON(w, http.StatusOK, out)
	return nil
}

func careEntryOf(area string, e care.Entry) careEntry {
	out := careEntry{ID: e.ID, Area: area, Title: e.Title, Level: string(e.Level), Say: e.Say, Open: e.Open, Fix: fixTitle(e.Fix)}
	for _, row := range e.Rows {
		out.Rows = append(out.Rows, careRow{ID: e.ID + "/" + row.ID, Title: row.Title, Say: row.Say, Fix: fixTitle(row.Fix)})
	}
	return out
}

func fixTitle(f *care.Fix) string {
	if f == nil {
		return ""
	}
	return f.Title
}

// postFix takes {id} and does that fix. What is answered as fixed was seen by looking again.
func (g *Gateway) postFix(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		ID string `json:"id"`
	}
	if err := readJSON(r, &in); err != nil {
		return err
	}
	// Whoever closes the page in the middle doesn't leave half a fix.
	res, err := g.care.list.Fix(context.WithoutCancel(r.Context()), in.ID)
	if errors.Is(err, care.ErrNoFix) {
		return &Problem{Code: CodeTooLate, Say: "There’s nothing to fix there any more.", Next: "Load the page again.", Err: err}
	}
	if err != nil {
		return err
	}
	g.log.Info("a fix was tried", "id", res.ID, "fixed", res.Fixed)
	g.settingsChanged()
	writeJSON(w, http.StatusOK, struct {
		Fixed bool   `json:"fixed"`
		Say   string `json:"say"`
	}{res.Fixed, res.Say})
	return nil
}

// postRepair starts a repair.
func (g *Gateway) postRepair(w http.ResponseWriter, r *http.Request) error {
	if err := readJSON(r, &struct{}{}); err != nil {
		return err
	}
	g.Repair()
	return noContent(w)
}

func (g *Gateway) pageCheckup(w http.ResponseWriter, r *http.Request) error {
	frame, err := g.frame(r.Context())
	if err != nil {
		return err
	}
	return g.writePage(w, http.StatusOK, web.Checkup{Frame: frame, List: careView("checkup", g.care.list.Look(r.Context(), care.Security), who(r).Local)})
}

func (g *Gateway) pageRepair(w http.ResponseWriter, r *http.Request) error {
	frame, err := g.frame(r.Context())
	if err != nil {
		return err
	}
	run, _ := g.repairView(who(r).Local)
	return g.writePage(w, http.StatusOK, web.Repair{
		Frame: frame, Run: run, List: careView("repair", g.care.list.Look(r.Context(), care.Repair), who(r).Local),
	})
}

// repairView is the repair as it stands, and the list as it was found at its end; nil while there is none.
func (g *Gateway) repairView(local bool) (run web.RepairRun, after *web.CareList) {
	c := &g.care
	c.mu.Lock()
	defer c.mu.Unlock()
	run = web.RepairRun{Local: local, Running: c.running, Ended: c.ended, Done: c.at.Done, Total: c.at.Total, Now: c.at.Now}
	results := c.at.Results
	if c.ended {
		results = c.results
		list := careView("repair", c.after, local)
		after = &list
	}
	for _, res := range results {
		if res.Fixed {
			run.Fixed = append(run.Fixed, res.Say)
		} else {
			run.Left = append(run.Left, web.CareLeft{Title: res.Title, Say: res.Say})
		}
	}
	return run, after
}

// careView is a list as a page shows it. Who isn't at this computer has nothing to press.
func careView(which string, entries []care.Entry, local bool) web.CareList {
	v := web.CareList{Which: which, Local: local}
	press := func(id string, f *care.Fix) *web.CareFix {
		if f == nil || !local {
			return nil
		}
		return &web.CareFix{ID: id, Title: f.Title}
	}
	for _, e := range care.Worst(entries) {
		one := web.CareCheck{ID: e.ID, Title: e.Title, Level: web.CareLevel(e.Level), Say: e.Say, Open: e.Open, Fix: press(e.ID, e.Fix)}
		for _, row := range e.Rows {
			one.Rows = append(one.Rows, web.CareRow{Title: row.Title, Say: row.Say, Fix: press(e.ID+"/"+row.ID, row.Fix)})
		}
		switch {
		case e.Level.Wrong():
			v.Wrong = append(v.Wrong, one)
		case e.Level == care.Info:
			v.Know = append(v.Know, one)
		default:
			v.Fine = append(v.Fine, one)
		}
	}
	return v
}
