package main

import (
	"os"
	"strings"
	"testing"

	"conch/gateway/care"

	"github.com/google/go-cmp/cmp"
)

// TestDoctorGolden shows what a person reads of each kind of diagnosis.
func TestDoctorGolden(t *testing.T) {
	fine := []found{
		{ID: "modes", Area: "security", Title: "Who can read Conch’s files", Level: care.OK, Say: "Only your account can."},
		{ID: "documents", Area: "repair", Title: "Settings files", Level: care.OK, Say: "All of them can be read."},
	}
	trust := found{ID: "trust", Area: "security", Title: "Chats with full trust", Level: care.Warn, Say: "2 chats go ahead without asking.", Rows: []foundRow{
		{ID: "trust/a", Title: "“Plan the trip”", Say: "Last used 30 November 2026.", Fix: "Ask first"},
		{ID: "trust/b", Title: "“a\x1b[31m\nb”"},
	}}
	info := found{ID: "computer-use", Area: "security", Title: "Use your apps", Level: care.Info, Say: "On. Your assistant may see this screen and use your apps while you watch.", Fix: "Turn off"}
	held := found{ID: "held", Area: "repair", Title: "Keys and buttons held down", Level: care.Bad, Say: "A key or button was held down, and no finger is on it.", Fix: "Let go"}
	runs := "Conch runs at http://localhost:4778 and looked at itself."
	var b strings.Builder
	for _, d := range []diagnosis{
		{Say: "Conch wasn’t started here yet, so there is nothing to look at."},
		{Running: true, Say: runs, Checks: fine},
		{Running: true, Say: runs, Checks: append([]found{info}, fine...)},
		{Running: true, Say: runs, Checks: []found{info, trust, fine[0], held}},
		{Say: "Conch isn’t running, so only its files were looked at.", Checks: []found{held, fine[0]}},
	} {
		b.WriteString("==\n" + d.text())
		if d.wrong() {
			b.WriteString("(exit 1)\n")
		}
	}
	const file = "testdata/doctor.golden"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("the doctor (-golden +now):\n%s", diff)
	}
}
