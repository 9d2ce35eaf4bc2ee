//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"conch/app/internal/npm"

	"github.com/go-json-experiment/json"
	"gopkg.in/yaml.v3"

	"conch/mcp/wire"
)

// runs are the suite's runs, by the name that the file of what is expected has for them.
var runs = []struct {
	name, pkg string
	args      []string
}{
	{"released", "suite-released", nil},
	{"2025-11-25", "suite-newest", []string{"--spec-version", "2025-11-25"}},
	{"2026-07-28", "suite-newest", []string{"--requirements", "2026-07-28"}},
}

// expectedFile has what is known not to pass.
const expectedFile = "mcp/conformance-expected.yml"

// byCheck is something of each check, by its scenario.
type byCheck map[string]map[string]string

// expected is what is known of each run.
type expected struct {
	Reasons map[string]string      `yaml:"reasons"`
	Runs    map[string]expectedRun `yaml:"runs"`
}

type expectedRun struct {
	Passes int     `yaml:"passes"` // no fewer, so that nothing that is no longer tried counts as passed
	Fails  byCheck `yaml:"fails"`  // the name of the reason
}

// check is one check of the suite's report. A check that is made more than once has failed when one of them has.
type check struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Error  string `json:"errorMessage"`
}

// suite runs the official suite and compares what doesn't pass with what is expected not to.
func suite(ctx context.Context, s *subject, t npm.Tools) error {
	known, err := readExpected(expectedFile)
	if err != nil {
		return err
	}
	proxy, err := newProxy(s.URL, s.key)
	if err != nil {
		return err
	}
	defer proxy.Close()
	var wrong []string
	for _, r := range runs {
		out := filepath.Join(s.dir, "results-"+r.name)
		args := append([]string{"server", "--url", proxy.URL + wire.PathDoor, "-o", out}, r.args...)
		cmd := t.Script(ctx, s.home, filepath.Join(t.Dir, r.pkg, "dist", "index.js"), args...)
		said, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) { // it ends with 1 when anything fails, which is judged below
			return err
		}
		got, passed, err := results(out)
		if err != nil {
			return fmt.Errorf("read what %s reports: %w: %s", r.pkg, err, said)
		}
		bad := compare(r.name, passed, got, known.Runs[r.name])
		wrong = append(wrong, bad...)
		if passed == 0 {
			log.Printf("%s said: %s", r.pkg, said)
		}
		log.Printf("%s: %d checks pass, %d don't, %d of those not as expected", r.name, passed, failures(got), len(bad))
	}
	for _, w := range wrong {
		log.Print(w)
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%d checks are not as %s has them", len(wrong), expectedFile)
	}
	return nil
}

// readExpected reads the file and makes sure that each check in it names a reason that is given.
func readExpected(name string) (*expected, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	in := yaml.NewDecoder(f)
	in.KnownFields(true)
	var e expected
	if err := in.Decode(&e); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	for run, r := range e.Runs {
		for scenario, checks := range r.Fails {
			for id, why := range checks {
				if e.Reasons[why] == "" {
					return nil, fmt.Errorf("%s: %s, %s, %s has no reason: %q isn't one", name, run, scenario, id, why)
				}
			}
		}
	}
	return &e, nil
}

// results reads what the suite wrote: by scenario, the checks that failed, with what it said. It counts those that passed.
func results(dir string) (failed byCheck, passed int, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil {
		return nil, 0, err
	}
	failed = byCheck{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, 0, err
		}
		var all []check
		if err := json.Unmarshal(data, &all); err != nil {
			return nil, 0, err
		}
		scenario := scenarioOf(filepath.Base(filepath.Dir(name)))
		failed[scenario] = map[string]string{}
		for _, c := range all {
			switch c.Status {
			case "FAILURE", "WARNING":
				failed[scenario][c.ID] = c.Error
			case "SUCCESS":
				passed++
			}
		}
	}
	return failed, passed, nil
}

var stamp = regexp.MustCompile(`-\d{4}-\d\d-\d\dT[\d.:-]+Z$`)

// scenarioOf is the scenario of a folder of results, "server-<scenario>-<time>".
func scenarioOf(folder string) string {
	return stamp.ReplaceAllString(strings.TrimPrefix(folder, "server-"), "")
}

func failures(got byCheck) (n int) {
	for _, checks := range got {
		n += len(checks)
	}
	return n
}

// compare says what failed and isn't expected to, and what is expected to fail and doesn't.
func compare(run string, passed int, got byCheck, want expectedRun) (wrong []string) {
	if passed < want.Passes || want.Passes == 0 {
		wrong = append(wrong, fmt.Sprintf("%s: %d checks pass, and %d did", run, passed, want.Passes))
	}
	for scenario, checks := range got {
		for id, say := range checks {
			if _, known := want.Fails[scenario][id]; !known {
				wrong = append(wrong, fmt.Sprintf("%s: %s: %s fails: %s", run, scenario, id, say))
			}
		}
	}
	for scenario, checks := range want.Fails {
		for id := range checks {
			if _, fails := got[scenario][id]; !fails {
				wrong = append(wrong, fmt.Sprintf("%s: %s: %s passes or is no more: take it out of %s", run, scenario, id, expectedFile))
			}
		}
	}
	slices.Sort(wrong)
	return wrong
}
