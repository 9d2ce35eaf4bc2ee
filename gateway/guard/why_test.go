package guard

import (
	"strings"
	"testing"
)

// Every rule that can let something go ahead has words for Activity, and no other one has: those speak for
// themselves where they decide. What a person reads of a refusal speaks to them, not to the model.
func TestWords(t *testing.T) {
	seen := map[string]bool{}
	walk(func(_ cell, f Facts) {
		v := Decide(f)
		if seen[v.Rule] {
			return
		}
		seen[v.Rule] = true
		why, told := Why(v.Rule), Told(v.Rule)
		if (v.Do == Allow) != (why != "") {
			t.Errorf("%s: it is %s and its words are %q", v.Rule, v.Do, why)
		}
		if why != "" && !strings.HasSuffix(why, ".") {
			t.Errorf("%s: %q is no sentence for a person", v.Rule, why)
		}
		if (v.Do == Allow) != (v.Say == "") {
			t.Errorf("%s: it is %s and says %q", v.Rule, v.Do, v.Say)
		}
		if told != "" && v.Do != Refuse {
			t.Errorf("%s refuses nothing, and has words for a refusal: %q", v.Rule, told)
		}
		if told == "" {
			told = v.Say
		}
		for _, word := range []string{"the person", "screenshot", "Say what"} {
			if v.Do == Refuse && !strings.HasPrefix(v.Rule, "only-") && !strings.HasPrefix(v.Rule, "protected") && strings.Contains(told, word) {
				t.Errorf("%s tells the person: %q", v.Rule, told)
			}
		}
	})
	for _, r := range Rules() {
		if !seen[r] {
			t.Errorf("the walk never comes to rule %q", r)
		}
	}
	if Why("no-such-rule") != "" || Told("no-such-rule") != "" {
		t.Error("a rule that isn't there has words")
	}
}
