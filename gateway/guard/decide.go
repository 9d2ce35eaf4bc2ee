package guard

// Decide says whether something goes ahead. The first rule that has an answer decides.
func Decide(f Facts) Verdict {
	for _, list := range [2][]rule{everyone, of(f)} {
		for _, r := range list {
			if v, hit := r.judge(&f); hit {
				v.Rule = r.name
				return v
			}
		}
	}
	return Verdict{Rule: "no-rule", Say: "Conch has no rule that allows this."}
}

// Gate is Decide for what is known of a step before anything is read from the screen: it refuses by the rules that
// need nothing of it, and otherwise has no answer. A step that passes is judged in full afterwards.
func Gate(f Facts) (v Verdict, refused bool) {
	for _, list := range [2][]rule{everyone, of(f)} {
		for _, r := range list {
			if r.screen {
				return Verdict{}, false
			}
			if v, hit := r.judge(&f); hit {
				v.Rule = r.name
				return v, v.Do == Refuse
			}
		}
	}
	return Verdict{}, false
}

// of returns the rules for a kind, after those for everyone.
func of(f Facts) []rule {
	switch f.Kind {
	case Computer:
		return computer
	case Reads, Changes, Sends:
		return tools
	case Narrows, Widens, Grants:
		return person
	}
	return nil
}

// Rules lists the names of all rules in the order in which they are asked.
func Rules() []string {
	var out []string
	for _, list := range lists {
		for _, r := range list {
			out = append(out, r.name)
		}
	}
	return out
}

// Why says in a person's words why something went ahead, for the rule that allowed it. A rule that refuses or
// asks says so itself, in its Verdict, so it has no words here; nor has a name that is no rule's.
func Why(name string) string { return named(name).why }

// Told is what the person reads of what a rule refused, where its verdict speaks to the model; empty where the
// verdict is for both.
func Told(name string) string { return named(name).told }

func named(name string) rule {
	for _, list := range lists {
		for _, r := range list {
			if r.name == name {
				return r
			}
		}
	}
	return rule{}
}

var lists = [][]rule{everyone, person, tools, computer}
