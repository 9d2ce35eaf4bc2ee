package dialect_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"conch/gateway/engine/dialect"
)

var update = flag.Bool("update", false, "write the golden files again")

// TestAnthropicGolden keeps the table as the documentation shows it.
func TestAnthropicGolden(t *testing.T) {
	var b strings.Builder
	for _, r := range dialect.AnthropicTable() {
		whose := "Anthropic's"
		if r.Own {
			whose = "Conch's own"
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\tmust: %s\tmay: %s\n", r.Says, r.Becomes, whose, strings.Join(r.Must, " "), strings.Join(r.May, " "))
	}
	const at = "testdata/anthropic.txt"
	if *update {
		if err := os.WriteFile(at, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Error(d)
	}
}
