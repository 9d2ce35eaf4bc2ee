// Conch lets an assistant use the apps on your computer while you watch.
//
// This is the program: its sub-commands, its start and its end, the menu, and the practice desktop. It wires
// the gateway, the driver and the overlay together and decides nothing itself: who may ask, what may be
// touched and what is shown are decided in those. It listens on this computer's loopback only.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// How a command ends. Scripts may rely on them.
const (
	exitOK         = 0
	exitFailed     = 1   // said in one sentence on the error output
	exitUsage      = 2   // a word that isn't known
	exitNotRunning = 3   // Conch isn't running
	exitRefused    = 4   // say: the turn ended without doing all it was asked
	exitStopped    = 130 // say: stopped, by Ctrl+C or from elsewhere
)

func main() {
	if code, is := helper(os.Args[1:]); is {
		os.Exit(code)
	}
	c := &call{args: os.Args[1:], getenv: os.Getenv, in: os.Stdin, out: os.Stdout, errs: os.Stderr, shell: newShell(os.Getenv)}
	ctx, stop := signal.NotifyContext(context.Background(), ends()...)
	context.AfterFunc(ctx, stop) // a second Ctrl+C doesn't wait for a clean end
	os.Exit(runMain(ctx, c))
}

// ends are the signals that end Conch cleanly. SIGHUP is one, for a terminal that is closed. What was ignored
// on purpose at the start (nohup, a shell's background jobs) stays ignored.
func ends() []os.Signal {
	signals := []os.Signal{syscall.SIGTERM}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signals = append(signals, s)
		}
	}
	return signals
}

// call is one start of the program: its words, and the terminal it was started in.
type call struct {
	args   []string
	getenv func(string) string
	in     *os.File
	out    io.Writer
	errs   io.Writer
	shell  shell
}

// said is an error in words for the person: what happened, then what to do.
type said struct {
	Say, Next string
	Code      int // how the program ends
	Err       error
}

func (e *said) Error() string {
	if e.Next == "" {
		return e.Say
	}
	return e.Say + " " + e.Next
}

func (e *said) Unwrap() error { return e.Err }

// command is one sub-command.
type command struct {
	name, args, about string
	run               func(*call, context.Context, []string) error
}

// commands lists the sub-commands in the order in which help shows them.
func commands() []command {
	return []command{
		{"open", "[page]", "Open a page of Conch in your browser: chat, settings, computer, activity, checkup, repair", (*call).open},
		{"say", "TEXT", "Start a new chat with TEXT and follow it here; Ctrl+C stops it", (*call).say},
		{"stop", "", "Stop what is using your computer", (*call).stop},
		{"status", "", "Say whether Conch runs, where, and what it is doing", (*call).status},
		{"launcher", "--client ID", "What a paired app starts to reach Conch; it speaks MCP on standard input and output", (*call).launcher},
		{"doctor", "[--json]", "Look for what is wrong with Conch, and say what can be done", (*call).doctor},
		{"version", "", "Say which Conch this is", (*call).version},
		{"help", "", "Show this", (*call).help},
	}
}

func (c *call) main(ctx context.Context) int {
	err := c.dispatch(ctx)
	if err == nil {
		return exitOK
	}
	var s *said
	if errors.As(err, &s) {
		if s.Say != "" {
			c.complain("conch: %s\n", s)
		}
		return s.Code
	}
	c.complain("conch: %v\n", err)
	return exitFailed
}

// serves says that this is the program itself and none of its sub-commands.
func (c *call) serves() bool { return len(c.args) == 0 || strings.HasPrefix(c.args[0], "-") }

func (c *call) dispatch(ctx context.Context) error {
	if c.serves() {
		return c.serve(ctx, c.args)
	}
	for _, cmd := range commands() {
		if cmd.name == c.args[0] {
			return cmd.run(c, ctx, c.args[1:])
		}
	}
	return &said{
		Say: fmt.Sprintf("There's no command “%s”.", c.args[0]), Next: "Run “conch help” to see what there is.", Code: exitUsage,
	}
}

func (c *call) help(context.Context, []string) error {
	c.tell("Conch lets an assistant use the apps on your computer while you watch.\n\nUse:\n")
	c.tell("  %-18s %s\n", "conch", "Start Conch. Without a display it brings a practice desktop")
	for _, cmd := range commands() {
		c.tell("  %-18s %s\n", strings.TrimSpace("conch "+cmd.name+" "+cmd.args), cmd.about)
	}
	c.tell("\nWith “conch” alone:\n")
	for _, f := range serveFlags {
		c.tell("  %-18s %s\n", f[0], f[1])
	}
	c.tell("\nConch keeps its files in ~/.conch, or where CONCH_HOME says.\n")
	return nil
}

func (c *call) version(context.Context, []string) error {
	c.tell("%s\n", versionLine())
	return nil
}

// tell writes to the person. A terminal that went away is no reason to stop what runs.
func (c *call) tell(format string, args ...any) { _, _ = fmt.Fprintf(c.out, format, args...) }

func (c *call) complain(format string, args ...any) { _, _ = fmt.Fprintf(c.errs, format, args...) }

// noArgs refuses words after a command that takes none.
func noArgs(name string, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return &said{
		Say: fmt.Sprintf("“conch %s” takes no more words, and got “%s”.", name, strings.Join(args, " ")), Code: exitUsage,
	}
}
