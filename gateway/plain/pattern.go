package plain

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression that is compiled when it is first used, and not at each start of the program: a
// large one takes a millisecond. A wrong one panics then, so each has a test that calls it.
type Pattern func() *regexp.Regexp

// NewPattern makes one. See regexp/syntax for what expr may hold.
func NewPattern(expr string) Pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
