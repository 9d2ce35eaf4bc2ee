// Command maccheck checks the types of everything that is built for a Mac, on any machine.
//
//	maccheck [-arch arm64,amd64] [-dir folder] [packages]
//
// It needs no Mac and no Apple header: `go list` chooses the files as a build for darwin with cgo would, and
// go/types checks ours, tests too. What Go asks of C is checked against our own headers, which are plain C, with
// this machine's C compiler; where there is none, that is said. Beside types it holds our code to the rules that
// darwinkit makes necessary (house.go), and to a table of what came with which
// macOS (apple.txt). It never runs what it reads, and it never passes over a package in
// silence: one that has nothing to check on a Mac is a problem of its own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"golang.org/x/sync/errgroup"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run returns 0 for no problem, 1 for problems that it printed, 2 when it could not look.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("maccheck", flag.ContinueOnError)
	flags.SetOutput(errs)
	archs := flags.String("arch", "arm64,amd64", "processors to check for, separated by commas")
	dir := flags.String("dir", ".", "folder of the module")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	patterns := flags.Args()
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	c, err := newCgo()
	if err != nil {
		_, _ = fmt.Fprintln(errs, "maccheck:", err)
		return 2
	}
	defer c.close()
	var reports []*report
	group, ctx := errgroup.WithContext(ctx)
	for arch := range strings.SplitSeq(*archs, ",") {
		r := &report{arch: arch}
		if len(reports) == 0 {
			r.cgo = c // the same C for every processor: it has fixed widths only
		}
		reports = append(reports, r)
		group.Go(func() error { return r.check(ctx, *dir, patterns) })
	}
	if err := group.Wait(); err != nil {
		_, _ = fmt.Fprintln(errs, "maccheck:", err)
		return 2
	}
	code := 0
	for _, r := range reports {
		for _, p := range r.problems {
			_, _ = fmt.Fprintf(out, "darwin/%s: %s\n", r.arch, p)
			code = 1
		}
		for _, path := range r.elsewhere {
			_, _ = fmt.Fprintf(out, "darwin/%s: %s is a program for another system, so it isn't checked\n", r.arch, path)
		}
		_, _ = fmt.Fprintf(out, "darwin/%s: %d packages read, %d of ours checked in %d files, %d with C, %d problems\n",
			r.arch, r.read, r.ours, len(r.seen), r.withC, len(r.problems))
	}
	_, _ = fmt.Fprintln(out, c.summary())
	_, _ = fmt.Fprintln(out, "Not seen by this check: Objective-C, and whether any of it works on a Mac.")
	return code
}

var errNothing = errors.New("no package of ours was found for a Mac, so nothing was checked")
