package guard

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"conch/driver"
	"conch/gateway/computer/policy"
)

var modeNames = map[string]Mode{"unknown": ModeUnknown, "plan": Plan, "ask-first": AskFirst, "auto": Auto, "full-trust": FullTrust}

func TestComputer(t *testing.T) {
	ar, err := txtar.ParseFile("testdata/computer.txtar")
	if err != nil {
		t.Fatal(err)
	}
	decided := map[string]bool{}
	base := string(ar.Files[0].Data)
	for _, file := range ar.Files[1:] {
		t.Run(file.Name, func(t *testing.T) {
			f := Facts{Turn: Turn{Surface: InChat, Origin: Person}, Kind: Computer}
			var want string
			set(t, &f, &want, base)
			usual := len(f.Touches)
			set(t, &f, &want, string(file.Data))
			if len(f.Touches) > usual { // a case that names its own touches replaces those of base
				f.Touches = f.Touches[usual:]
			}
			v := Decide(f)
			if g, refused := Gate(f); refused && g != v {
				t.Errorf("the gate says %+v", g)
			}
			decided[v.Rule] = true
			if got := strings.TrimSpace(v.Do.String() + " " + v.Rule + ": " + v.Say); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
	for _, r := range computer {
		if !decided[r.name] {
			t.Errorf("rule %q decides no case", r.name)
		}
	}
}

func set(t *testing.T, f *Facts, want *string, lines string) {
	t.Helper()
	for line := range strings.Lines(lines) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		yes := true
		if word == "not" {
			word, yes = rest, false
		}
		switch word {
		case "origin":
			f.Origin = map[string]Origin{"person": Person, "client": Client, "routine": Routine, "task": Task, "chat-app": ChatApp}[rest]
		case "skill":
			f.Skill = rest
		case "presses":
			f.Stakes = Stakes{Kind: "sending", Control: rest}
		case "source":
			f.Source = rest
		case "held-by":
			f.HeldBy = rest
		case "zero":
			*f = Facts{Turn: Turn{Surface: InChat, Origin: Person, Mode: AskFirst}, Kind: Computer}
		case "action":
			f.Action = policy.Action(rest)
		case "mode":
			m, ok := modeNames[rest]
			if !ok {
				t.Fatalf("no mode %q", rest)
			}
			f.Mode = m
		case "used":
			f.Used, _ = strconv.Atoi(rest)
		case "limit":
			f.Limit, _ = strconv.Atoi(rest)
		case "touches":
			k, _ := policy.KeptAway(driver.Window{AppName: rest})
			f.Touches = append(f.Touches, Touch{k})
		case "no":
			f.Touches = nil
		case "refused":
			f.Refused = policy.Refusal{Say: "Those are the keys that stop me. Only you press them."}
		case "want":
			*want = rest
		case "":
		default:
			p := map[string]*bool{
				"on": &f.On, "attended": &f.Attended, "holds": &f.Holds, "aims": &f.Aims, "seen": &f.Seen, "fresh": &f.Fresh,
				"yes-here": &f.YesHere, "yes-since": &f.YesSince, "always": &f.Always, "read-outside": &f.ReadOutside, "listed": &f.Listed, "secure": &f.Secure, "yes-stakes": &f.YesStakes,
			}[word]
			if p == nil {
				t.Fatalf("no fact %q", word)
			}
			*p = yes
		}
	}
}

// scenes are what a step may find where it goes.
var scenes = map[string]func(*Facts){
	"own":    func(*Facts) {},
	"yes":    func(f *Facts) { f.YesHere = true },
	"always": func(f *Facts) { f.Always = true },
	"read":   func(f *Facts) { f.YesHere, f.Always, f.ReadOutside = true, true, true },
	"reread": func(f *Facts) { f.YesHere, f.YesSince, f.ReadOutside = true, true, true },
	"kept": func(f *Facts) {
		f.YesHere, f.YesSince, f.Touches = true, true, []Touch{{policy.Kept{Kind: policy.Terminal, Name: "XTerm", Say: "That's a terminal."}}}
	},
	"none":  func(f *Facts) { f.YesHere, f.Touches = true, nil },
	"blind": func(f *Facts) { f.Seen, f.Fresh = false, false },
	"stale": func(f *Facts) { f.Fresh = false },
}

// Every action on every surface in every mode has a verdict that somebody wrote down.
func TestCells(t *testing.T) {
	data, err := os.ReadFile("testdata/cells.txt")
	if err != nil {
		t.Fatal(err)
	}
	type cell struct{ action, surface string }
	cells := map[cell][]string{}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		f := strings.Split(line, "|")
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		for _, a := range strings.Split(f[0], ",") {
			c := cell{a, f[1]}
			if cells[c] != nil || len(f) != 6 {
				t.Errorf("%v is written twice, or not once for each mode", c)
			}
			if !slices.Contains(policy.Actions(), policy.Action(a)) || scenes[f[1]] == nil {
				t.Errorf("%v: no such action or surface", c)
			}
			cells[c] = f[2:]
		}
	}
	n := 0
	for _, a := range policy.Actions() {
		for name, change := range scenes {
			want := cells[cell{string(a), name}]
			if want == nil {
				t.Errorf("nobody wrote what %s does on surface %q", a, name)
				continue
			}
			for i, mode := range []Mode{Plan, AskFirst, Auto, FullTrust} {
				f := Facts{
					Turn: Turn{Surface: InChat, Origin: Person, Mode: mode, Attended: true}, Kind: Computer, On: true,
					Step: Step{
						Action: a, Holds: true, Limit: 60, Seen: true, Fresh: true,
						Aims: policy.ReachOf(a) == policy.Points || a == policy.Zoom, Touches: []Touch{{}},
					},
				}
				change(&f)
				if v := Decide(f); v.Do.String()+" "+v.Rule != want[i] {
					t.Errorf("%s on %q, mode %d: %s %s, want %s", a, name, mode, v.Do, v.Rule, want[i])
				}
				n++
				for _, off := range []func(*Facts){
					func(f *Facts) { f.On = false }, func(f *Facts) { f.Attended = false }, func(f *Facts) { f.Holds = false },
					func(f *Facts) { f.Used = f.Limit }, func(f *Facts) { f.Mode = ModeUnknown }, func(f *Facts) { f.Mode = FullTrust + 1 },
				} {
					g := f
					off(&g)
					if v, refused := Gate(g); !refused || v != Decide(g) {
						t.Errorf("%s on %q, mode %d, passes the gate", a, name, mode)
					}
					if v := Decide(g); v.Do != Refuse || v.Say == "" {
						t.Errorf("%s on %q, mode %d, goes ahead by %s", a, name, mode, v.Rule)
					}
				}
			}
		}
	}
	if want := len(policy.Actions()) * len(scenes) * 4; n != want {
		t.Errorf("%d cells, want %d", n, want)
	}
}

func TestZeroValues(t *testing.T) {
	if v := Decide(Facts{}); v.Do != Refuse || v.Say == "" || v.Rule == "" {
		t.Errorf("nothing known gives %+v", v)
	}
	var v Verdict
	if v.Do != Refuse {
		t.Error("a forgotten verdict doesn't refuse")
	}
}
