package skills

import (
	"testing"

	"conch/gateway/plain"
)

// TestPatterns compiles every pattern: none is before it is used.
func TestPatterns(t *testing.T) {
	all := []plain.Pattern{markdownLink, htmlLink, address, shownHost, odd, blob, wrapped}
	for _, r := range rules {
		all = append(all, r.find)
	}
	for _, p := range all {
		if p() == nil {
			t.Error("a pattern is nothing")
		}
	}
}
