package policy

// Why says in a person's words why a step went ahead, for the rule that allowed it. A rule that refuses or
// asks says so itself, in its Verdict, so it has no words here; nor has a name that is no rule's.
func Why(rule string) string {
	for _, r := range rules {
		if r.name == rule {
			return r.why
		}
	}
	return ""
}
