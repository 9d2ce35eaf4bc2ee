package dialect

import "fmt"

// Cannot says in words, for the model, why an action of its tool has no step in Conch's. Nothing was done. It holds
// nothing of what was to be typed.
type Cannot struct{ Say string }

func (c *Cannot) Error() string { return c.Say }

func cannot(format string, args ...any) error { return &Cannot{fmt.Sprintf(format, args...)} }

// short keeps a wrong word from filling an answer.
func short(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
