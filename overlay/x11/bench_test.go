//go:build linux

package x11

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"conch/driver/x11/xserver"
)

// BenchmarkEdge says what a lit edge on a screen of 1920×1080 costs, in percent of one core: Conch itself, the
// X server, and the compositor.
func BenchmarkEdge(b *testing.B) {
	for _, comp := range []bool{false, true} {
		name := "plain"
		if comp {
			name = "composited"
		}
		b.Run(name, func(b *testing.B) {
			r := newRig(b, xserver.Options{Width: 1920, Height: 1080, Compositor: comp})
			r.light("a", "Measuring")
			others := children(b)
			before, start := usage(b, others), time.Now()
			for b.Loop() {
				<-time.After(5 * time.Second)
			}
			took := time.Since(start)
			after := usage(b, others)
			percent := func(who string) float64 { return 100 * float64(after[who]-before[who]) / float64(took) }
			b.ReportMetric(percent("conch"), "edge_cpu_percent")
			b.ReportMetric(percent("Xvfb"), "server_cpu_percent")
			if comp {
				b.ReportMetric(percent("picom"), "picom_cpu_percent")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// children lists the processes that this one started, by name.
func children(b *testing.B) map[string]int {
	b.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		b.Fatal(err)
	}
	out := map[string]int{}
	for _, path := range all {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		open, end := bytes.IndexByte(raw, '('), bytes.LastIndexByte(raw, ')')
		fields := strings.Fields(string(raw[end+1:]))
		if pid, err := strconv.Atoi(strings.Fields(string(raw))[0]); err == nil && fields[1] == strconv.Itoa(os.Getpid()) {
			out[string(raw[open+1:end])] = pid
		}
	}
	return out
}

// usage is the processor time of this process and of the others.
func usage(b *testing.B, others map[string]int) map[string]time.Duration {
	b.Helper()
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		b.Fatal(err)
	}
	out := map[string]time.Duration{"conch": time.Duration(own.Utime.Nano() + own.Stime.Nano())}
	for name, pid := range others {
		raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/schedstat") // its first number is nanoseconds
		if err != nil {
			b.Fatal(err)
		}
		ns, err := strconv.ParseInt(strings.Fields(string(raw))[0], 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		out[name] = time.Duration(ns)
	}
	return out
}

// BenchmarkLight says how long lighting takes on a screen of 1920×1080 until it is seen on the screen.
func BenchmarkLight(b *testing.B) {
	for _, comp := range []bool{false, true} {
		name := "plain"
		if comp {
			name = "composited"
		}
		b.Run(name, func(b *testing.B) {
			r := newRig(b, xserver.Options{Width: 1920, Height: 1080, Compositor: comp})
			for b.Loop() {
				r.light("a", "Measuring")
				r.over.Dark("a")
			}
		})
	}
}
