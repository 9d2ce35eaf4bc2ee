//go:build linux

// Command bench measures Conch on this machine and prints one line for each figure:
//
//	bench: <name> <value> <unit>
//
// What is compared is measured in alternation in one run, so that a ratio means the same on any machine. It
// starts private X11 desktops and real applications, and nothing of it is ever part of a test.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"conch/app/internal/heap"
	"conch/driver/x11/xfixture"
)

// part is one group of figures that share a set-up.
type part struct {
	name    string
	figures string // the names it prints
	run     func(context.Context, *report) error
}

var parts = []part{
	{"picture", "picture_ms picture_vs_reference picture_vs_floor picture_bytes_max", benchPicture},
	{"still", "still_lag_ms_median still_early still_vs_sleep", benchStill},
	{"stop", "stop_ms_p99 stop_events_after stop_held_after", benchStop},
	{"name", "control_name_ms", benchName},
	{"type", "type_right_percent type_per_second type_vs_xdotool", benchType},
	{"turn", "turn_tokens_vs_plain step_overhead_ms", benchTurn},
	{"decide", "decide_us", benchDecide},
	{"start", "start_ms", benchStart},
	{"idle", "idle_cpu_percent idle_rss_mb", benchIdle},
	{"edge", "edge_cpu_percent", benchEdge},
	{"door", "door_call_vs_mcpgo door_p99_ms door_p99_vs_mcpgo door_100_apps_list_ms", benchDoor},
	{"launcher", "launcher_ms launcher_vs_node launcher_rss_mb", benchLauncher},
}

func main() {
	xfixture.Main()
	only := flag.String("only", "", "parts to run, by comma: picture,still,stop,name,type,turn,decide,start,idle,edge,door,launcher; empty is all")
	verbose := flag.Bool("v", false, "say what is being measured, on the error output")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, *only, *verbose)
	cancel()
	os.Exit(code)
}

func run(ctx context.Context, only string, verbose bool) int {
	r := &report{out: os.Stdout, log: io.Discard}
	if verbose {
		r.log = os.Stderr
	}
	var names []string
	if only != "" {
		names = strings.Split(only, ",")
	}
	heap.Floor(heap.Conch) // as in Conch itself
	failed := 0
	for _, p := range parts {
		if len(names) > 0 && !slices.Contains(names, p.name) {
			continue
		}
		start := time.Now()
		if err := p.run(ctx, r); err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s (%s) could not be measured: %v\n", p.name, p.figures, err)
			failed++
		}
		r.say("%s took %.1f s", p.name, time.Since(start).Seconds())
	}
	if failed > 0 {
		return 1
	}
	return 0
}

// report prints figures.
type report struct{ out, log io.Writer }

func (r *report) figure(name string, value float64, unit string) {
	_, _ = fmt.Fprintf(r.out, "bench: %s %s %s\n", name, short(value), unit)
}

func (r *report) say(format string, args ...any) {
	_, _ = fmt.Fprintf(r.log, format+"\n", args...)
}

// short is a value with three digits or so, never in powers of ten.
func short(v float64) string {
	switch {
	case v == float64(int64(v)):
		return fmt.Sprintf("%d", int64(v))
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

func median(v []float64) float64 { return quantile(v, 0.5) }

// quantile is the nearest-rank quantile of v, which it leaves as it is.
func quantile(v []float64, q float64) float64 {
	if len(v) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(v))
	i := int(q*float64(len(s)) + 0.999999)
	return s[min(max(i, 1), len(s))-1]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
