package web_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"conch/gateway/web"
)

var update = flag.Bool("update", false, "write testdata/parts.txtar anew")

// parts is one of each live part, in each of its states.
func parts() map[string]web.PartView {
	answered := question()
	answered.Choice = web.ChoiceAlways
	expired := question()
	expired.Choice, expired.Always = web.ChoiceExpired, false
	return map[string]web.PartView{
		"rail":              rail(),
		"palette":           palette(),
		"palette alone":     web.Palette{},
		"rail empty":        web.RailChats{},
		"rail chat":         web.RailChat{ID: "c1", Title: "Write hello", Running: true},
		"rail chat asking":  web.RailChat{ID: "c1", Asking: true, Running: true},
		"message by person": web.Message{ID: "m1", Who: web.ByPerson, Text: "open Mousepad\nthen look", At: noon},
		"message by conch":  web.Message{ID: "m2", Who: web.ByConch, Text: "Done."},
		"steps running":     steps(true),
		"steps ended":       steps(false),
		"steps none":        web.Steps{Turn: "t9", Running: true},
		"step":              web.Step{ID: "s1", Kind: "key", Text: "Pressed Ctrl+S", State: web.StepDone, At: noon},
		"step refused":      web.Step{ID: "s2", Kind: "key", Text: "Press Ctrl+Alt+Delete", More: "I don’t press that.", State: web.StepRefused, At: noon},
		"step failed":       web.Step{ID: "s3", Kind: "something new", Text: "Click", More: "It may have happened: look first.", State: web.StepFailed, At: noon},
		"note stopped":      web.Note{ID: "n1", Kind: web.NoteStopped, Text: "You stopped this."},
		"note failed":       web.Note{ID: "n2", Kind: web.NoteFailed, Text: "The screen is gone.", Next: "Start Conch again."},
		"note info":         web.Note{ID: "n3", Kind: web.NoteInfo, Text: "This chat read what was on your screen."},
		"question":          question(),
		"question answered": answered,
		"question expired":  expired,
		"asking":            web.Asking{Questions: []web.Question{question()}},
		"asking nothing":    web.Asking{},
		"live":              web.Live{On: true, Shot: "p7", W: 1280, H: 800, Step: "Typing in Mousepad", N: 7, Max: 60, Click: &web.Click{X: 12, Y: 700}},
		"live, no picture":  web.Live{On: true},
		"live off":          web.Live{},
		"composer new":      web.ComposerState{},
		"composer":          web.ComposerState{Chat: "c1", Mode: web.ModeTrust},
		"composer running":  web.ComposerState{Chat: "c1", Running: true},
		"composer odd mode": web.ComposerState{Chat: "c1", Mode: "root"},
		"switch off":        web.Switch{},
		"switch on":         web.Switch{On: true},
		"pause on":          web.Pause{},
		"pause off":         web.Pause{Off: true},
		"pause locked":      web.Pause{Locked: "This can't be changed from here."},
		"switch locked":     web.Switch{Locked: "Turn it on from the computer itself."},
		"screen ready":      web.Screen{Ready: true},
		"screen not ready":  web.Screen{Say: "There is no display.", Next: "Log in to a desktop."},
		"allowed":           allowed(),
		"confirm off":       web.Confirm{Password: true},
		"confirm system":    web.Confirm{On: true},
		"confirm locked":    web.Confirm{On: true, Locked: "A newer Conch wrote the file."},
		"confirm known":     web.Confirm{Password: true, Set: true},
		"address off":       web.Address{Local: true},
		"address on":        address(),
		"address away":      web.Address{On: true, URL: "https://conch.example.org", Proxy: true},
		"address broken":    web.Address{On: true, Local: true, Broken: "Another program has that port."},
		"devices":           devices(),
		"devices none":      web.Devices{},
		"devices broken":    web.Devices{Broken: "The list can’t be read."},
		"switches":          systemSwitches(),
		"switches none":     web.Switches{},
		"allowed none":      web.AllowedApps{},
		"activity":          activity(),
		"care checkup":      checkup(),
		"care repair":       away(repairs()),
		"repair run":        web.RepairRun{Local: true},
		"repair running":    repairing(),
		"repair ended":      repaired(),
		"activity none":     web.ActivityList{},
		"activity narrowed": web.ActivityList{Narrowed: true},
		"activity entry":    activity().Days[0].Entries[2],
		"question stopped":  stoppedQuestion(),
	}
}

// TestParts compares each part with testdata/parts.txtar, so that a change of what goes over the socket is
// seen in review. go test -run TestParts$ -update writes it anew.
func TestParts(t *testing.T) { checkParts(t, "testdata/parts.txtar", parts()) }

func checkParts(t *testing.T, file string, parts map[string]web.PartView) {
	t.Helper()
	r := renderer(t)
	got := map[string]string{}
	names := []string{}
	for name, v := range parts {
		part, err := r.Part(v)
		if err != nil {
			t.Fatal(err)
		}
		got[name] = tidy(string(part))
		names = append(names, name)
	}
	if *update {
		write(t, file, names, got)
	}
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range archive.Files {
		seen[f.Name] = true
		if diff := cmp.Diff(strings.Split(string(f.Data), "\n"), strings.Split(got[f.Name], "\n")); diff != "" {
			t.Errorf("%s (-golden +now):\n%s", f.Name, diff)
		}
	}
	for _, name := range names {
		if !seen[name] {
			t.Errorf("%s has no golden form", name)
		}
	}
}

// tidy drops blank lines and indentation, which a browser drops too, and leaves out icons' shapes.
func tidy(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(shapes(line) + "\n")
		}
	}
	return b.String()
}

func shapes(line string) string {
	const from, to = `<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">`, "</svg>"
	for {
		i := strings.Index(line, from)
		if i < 0 {
			return line
		}
		j := i + strings.Index(line[i:], to) + len(to)
		line = line[:i] + "(icon)" + line[j:]
	}
}

func write(t *testing.T, file string, names []string, got map[string]string) {
	t.Helper()
	archive := &txtar.Archive{Comment: []byte("The live parts as they go over the socket; icons are left out.\n")}
	slices.Sort(names)
	for _, name := range names {
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(got[name])})
	}
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}
