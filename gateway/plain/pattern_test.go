package plain

import "testing"

// TestPatterns compiles every pattern: none is before it is used.
func TestPatterns(t *testing.T) {
	all := []Pattern{secret}
	for _, o := range orders {
		all = append(all, o.find)
	}
	for _, p := range all {
		if p() == nil {
			t.Error("a pattern is nothing")
		}
	}
}
