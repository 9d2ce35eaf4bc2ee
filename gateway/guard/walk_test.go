package guard

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"conch/gateway/computer/policy"
)

var update = flag.Bool("update", false, "write testdata/walk.txt anew")

var (
	surfaces = []string{"unknown", "chat", "door", "page", "program"}
	origins  = []string{"unknown", "person", "client", "routine", "task", "chat-app"}
	modeList = []string{"unknown", "plan", "ask-first", "auto", "full-trust"}
	kinds    = []string{"unknown", "reads", "changes", "sends", "computer", "narrows", "widens", "grants"}
	taints   = []string{"clean", "screen", "outside"}
)

// cell is one place of the walk, without the mode.
type cell struct{ surface, origin, kind, taint, more string }

// more are what else may be true of a wish, by the kind that it matters to.
var more = map[Kind]map[string]func(*Facts){
	KindUnknown: {"": none},
	Reads: {
		"": none, "off": off, "turned off": func(f *Facts) { f.Policy = TurnedOff }, "protected": func(f *Facts) { f.Protected = true },
		"ask each": func(f *Facts) { f.Policy = AskEach }, "held by a skill": skill,
	},
	Changes: {
		"": none, "yes": func(f *Facts) { f.Yes = true }, "ask changes": func(f *Facts) { f.Policy = AskChanges },
		"don't ask": func(f *Facts) { f.Policy = DontAsk }, "serious": func(f *Facts) { f.Serious = true }, "held by a skill": skill,
		"listed by the skill": func(f *Facts) { skill(f); f.Listed = true },
	},
	Sends: {
		"": none, "yes": func(f *Facts) { f.Yes = true }, "don't ask": func(f *Facts) { f.Policy = DontAsk },
		"don't ask, serious": func(f *Facts) { f.Policy, f.Serious = DontAsk, true },
	},
	Computer: {
		"": none, "off": off, "unattended": func(f *Facts) { f.Attended = false }, "look": func(f *Facts) { f.Action = policy.Screenshot },
		"another holds": func(f *Facts) { f.Holds = false }, "no steps left": func(f *Facts) { f.Used = f.Limit },
		"unknown action": func(f *Facts) { f.Action = "dance" }, "never pressed": func(f *Facts) { f.Refused.Say = "Never." },
		"no picture": func(f *Facts) { f.Seen = false }, "stale": func(f *Facts) { f.Fresh = false },
		"kept away":     func(f *Facts) { f.Touches[0].Kept = policy.Kept{Kind: policy.Passwords, Say: "Kept away."} },
		"nothing there": func(f *Facts) { f.Touches = nil }, "no window": func(f *Facts) { f.Action, f.Aims, f.Touches = policy.Type, false, nil },
		"password field": func(f *Facts) { f.Action, f.Aims, f.Secure = policy.Type, false, true },
		"yes here":       func(f *Facts) { f.YesHere = true }, "yes since reading": func(f *Facts) { f.YesSince = true },
		"always": func(f *Facts) { f.Always = true }, "send": func(f *Facts) { f.YesHere, f.YesSince, f.Stakes.Control = true, true, "Send" },
		"send, yes":       func(f *Facts) { f.YesHere, f.YesSince, f.Stakes.Control, f.YesStakes = true, true, "Send", true },
		"held by a skill": skill, "protected": func(f *Facts) { f.Protected = true },
	},
	Narrows: {"": none},
	Widens:  {"": none, "elsewhere": elsewhere, "elsewhere, confirmed": func(f *Facts) { elsewhere(f); f.Confirmed = true }},
	Grants: {
		"": none, "elsewhere": elsewhere, "unconfirmed": func(f *Facts) { f.Confirms = true },
		"confirmed": func(f *Facts) { f.Confirms, f.Confirmed = true, true },
	},
}

func none(*Facts)        {}
func off(f *Facts)       { f.On = false }
func skill(f *Facts)     { f.Skill = "tidy-notes" }
func elsewhere(f *Facts) { f.Here = false }

// walk goes to every cell, in every mode.
func walk(visit func(cell, Facts)) {
	for s, surface := range surfaces {
		for o, origin := range origins {
			for k, kind := range kinds {
				for extra, change := range more[Kind(k)] {
					for _, taint := range taints {
						for m := range modeList {
							f := Facts{
								Turn: Turn{
									Surface: Surface(s), Origin: Origin(o), Mode: Mode(m), Attended: true,
									ReadScreen: taint != "clean", ReadOutside: taint == "outside",
								},
								Kind: Kind(k), On: true, Here: true,
								Step: Step{
									Action: policy.LeftClick, Holds: true, Limit: 60, Aims: true, Seen: true, Fresh: true, Touches: []Touch{{}},
								},
							}
							change(&f)
							visit(cell{surface, origin, kind, taint, extra}, f)
						}
					}
				}
			}
		}
	}
}

// Every surface × origin × mode × kind × taint, with all that matters beside them, has a verdict that somebody read:
// testdata/walk.txt has them all, a line for the modes of each. A cell that no rule decided fails.
func TestWalk(t *testing.T) {
	lines := map[string][]string{}
	decided := map[string]bool{}
	walk(func(c cell, f Facts) {
		v := Decide(f)
		decided[v.Rule] = true
		if v.Rule == "no-rule" {
			t.Errorf("nobody decided %+v in mode %s", c, modeList[f.Mode])
		}
		if g, refused := Gate(f); refused && (f.Kind == Computer) && g != v {
			t.Errorf("%+v: the gate says %+v, the decision is %+v", c, g, v)
		}
		key := strings.Join([]string{c.surface, c.origin, c.kind, c.more, c.taint}, " | ")
		lines[key] = append(lines[key], v.Do.String()+" "+v.Rule)
	})
	for _, r := range Rules() {
		if !decided[r] {
			t.Errorf("rule %q decides nothing", r)
		}
	}
	got := table(lines)
	if *update {
		if err := os.WriteFile("testdata/walk.txt", []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/walk.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the walk isn't what testdata/walk.txt says (-want +got); read it, then -update:\n%s", diff)
	}
}

// table writes the walk down. What is the same for every taint, for every mode, or for several origins is written
// once.
func table(lines map[string][]string) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "# surface | kind | what else | origins | taint | verdict in the modes %s\n", strings.Join(modeList, ", "))
	for _, s := range surfaces {
		for k, kind := range kinds {
			for _, extra := range slices.Sorted(maps.Keys(more[Kind(k)])) {
				var order []string
				alike := map[string][]string{}
				for _, o := range origins {
					rows := origin(lines, s, o, kind, extra)
					if alike[rows] == nil {
						order = append(order, rows)
					}
					alike[rows] = append(alike[rows], o)
				}
				for _, rows := range order {
					who := strings.Join(alike[rows], ", ")
					if len(alike[rows]) == len(origins) {
						who = "any"
					}
					for row := range strings.Lines(rows) {
						fmt.Fprintf(b, "%s | %s | %s | %s | %s", s, kind, extra, who, row)
					}
				}
			}
		}
	}
	return b.String()
}

// origin writes the rows of one origin, a line for each taint that makes a difference.
func origin(lines map[string][]string, surface, origin, kind, extra string) string {
	rows := map[string]string{}
	for _, taint := range taints {
		all := lines[strings.Join([]string{surface, origin, kind, extra, taint}, " | ")]
		rows[taint] = strings.Join(all, ", ")
		if strings.Count(rows[taint], all[0]) == len(all) {
			rows[taint] = all[0]
		}
	}
	if rows["clean"] == rows["screen"] && rows["screen"] == rows["outside"] {
		return "any | " + rows["clean"] + "\n"
	}
	out := ""
	for _, taint := range taints {
		out += taint + " | " + rows[taint] + "\n"
	}
	return out
}

// What must hold whatever the rules are, over random facts.
func TestInvariants(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 200_000 {
		f := random(r)
		v := Decide(f)
		if v.Do != Allow && v.Say == "" {
			t.Fatalf("%s says nothing for %+v", v.Rule, f)
		}
		turn := f.Surface == InChat || f.Surface == Door
		switch {
		case v.Do != Refuse && (f.Surface == SurfaceUnknown || f.Kind == KindUnknown || turn && (f.Mode == ModeUnknown || f.Origin == OriginUnknown)):
			t.Fatalf("something unknown is %s by %s: %+v", v.Do, v.Rule, f)
		case v.Do != Refuse && turn && f.Kind >= Narrows, v.Do != Refuse && !turn && f.Kind < Narrows:
			t.Fatalf("the wrong one is %s by %s: %+v", v.Do, v.Rule, f)
		case v.Do != Refuse && f.Kind == Computer && (!f.On || !f.Attended || !f.Holds || f.Origin != Person && f.Origin != Client):
			t.Fatalf("the computer is used by %s: %+v", v.Rule, f)
		case v.Do == Allow && f.Kind == Grants && f.Confirms && !f.Confirmed:
			t.Fatalf("granted without confirming by %s: %+v", v.Rule, f)
		case v.Do == Allow && f.Kind >= Widens && f.Surface != Page:
			t.Fatalf("widened without a page by %s: %+v", v.Rule, f)
		}
		stricter(t, f, v)
	}
}

// stricter checks that one more careful fact never makes a verdict looser.
func stricter(t *testing.T, f Facts, v Verdict) {
	t.Helper()
	for name, change := range map[string]func(*Facts){
		"off": func(f *Facts) { f.On = false }, "nobody there": func(f *Facts) { f.Attended = false },
		"read the screen": func(f *Facts) { f.ReadScreen = true }, "protected": func(f *Facts) { f.Protected = true },
		"plan": func(f *Facts) { f.Mode = Plan }, "no yes": func(f *Facts) { f.Yes, f.YesHere, f.YesSince, f.YesStakes = false, false, false, false },
		"not always": func(f *Facts) { f.Always = false }, "elsewhere": func(f *Facts) { f.Here = false },
		"not confirmed": func(f *Facts) { f.Confirmed = false }, "read outside since": func(f *Facts) { f.ReadOutside, f.YesSince = true, false },
		"stakes": func(f *Facts) { f.Stakes.Control, f.YesStakes = "Send", false },
	} {
		g := f
		change(&g)
		if name == "plan" && f.Mode == ModeUnknown {
			continue
		}
		if w := Decide(g); w.Do > v.Do {
			t.Fatalf("%s makes %s (%s) into %s (%s): %+v", name, v.Do, v.Rule, w.Do, w.Rule, f)
		}
	}
}

func random(r *rand.Rand) Facts {
	yes := func() bool { return r.IntN(3) > 0 }
	f := Facts{
		Turn: Turn{
			Surface: Surface(r.IntN(len(surfaces))), Origin: Origin(r.IntN(len(origins))), Mode: Mode(r.IntN(len(modeList))), Attended: yes(),
			ReadScreen: yes(), ReadOutside: yes(), Listed: yes(),
		},
		Kind: Kind(r.IntN(len(kinds))), On: yes(), Protected: !yes(), Policy: AppPolicy(r.IntN(5)), Serious: yes(), Yes: yes(),
		Here: yes(), Confirms: yes(), Confirmed: yes(),
		Step: Step{
			Action: policy.Actions()[r.IntN(len(policy.Actions()))], Holds: yes(), Used: r.IntN(61), Limit: 60, Aims: yes(), Seen: yes(), Fresh: yes(),
			Secure: !yes(), YesHere: yes(), YesSince: yes(), Always: yes(), YesStakes: yes(),
		},
	}
	if yes() {
		f.Touches = []Touch{{}}
	}
	if !yes() {
		f.Skill = "tidy-notes"
	}
	if !yes() {
		f.Stakes.Control = "Send"
	}
	return f
}

func BenchmarkDecide(b *testing.B) {
	f := Facts{
		Turn: Turn{Surface: InChat, Origin: Person, Mode: Auto, Attended: true}, Kind: Computer, On: true,
		Step: Step{Action: policy.LeftClick, Holds: true, Limit: 60, Aims: true, Seen: true, Fresh: true, Touches: []Touch{{}}, Always: true},
	}
	for b.Loop() {
		if Decide(f).Do != Allow {
			b.Fatal("the last rule should have decided")
		}
	}
}
