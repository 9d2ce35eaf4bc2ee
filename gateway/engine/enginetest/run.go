package enginetest

import "testing"

// Run holds an engine to what every engine must hold.
func Run(t *testing.T, c Case) {
	t.Helper()
	for _, one := range []struct {
		name string
		test func(*testing.T, Case)
	}{
		{"text comes as it is written", testText},
	} {
		t.Run(one.name, func(t *testing.T) { one.test(t, c) })
	}
}
