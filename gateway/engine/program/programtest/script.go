package programtest

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"conch/gateway/engine"
	"conch/gateway/engine/enginetest"
)

// Script is what a stand-in for the program does: it answers as its model would, and writes down what it was told.
type Script struct {
	Answers []enginetest.Answer
	// Backwards says that the calls of one answer are made last first, as some programs do.
	Backwards bool
	Unknown   bool               // lines that nobody knows come between the others
	Most      int                // it writes no more than so many lines; 0: all
	Hangs     bool               // then it hangs instead of ending
	Fails     bool               // it fails instead of answering
	Fault     engine.ProblemKind // in this way
	Retries   bool               // before that it says that it tries again
	SignedOut bool
	Child     bool   // it has a child of its own
	Lock      string // a file that it and its child keep locked while they live
	Report    string
}

// Report is what a stand-in was told.
type Report struct {
	enginetest.Seen
	Args        []string
	Interrupted bool
}

const (
	scriptVar = "CONCH_STANDIN"
	childVar  = "CONCH_STANDIN_CHILD"
)

// Player plays a script, in the place of the program.
type Player struct {
	Script
	mu      sync.Mutex
	report  Report
	written int
}

// Play returns the player of this process's script; nil where it has none, and so is the test itself.
func Play() *Player {
	if lock := os.Getenv(childVar); lock != "" {
		keepLocked(lock)
		fmt.Println("ready")
		forever()
	}
	file := os.Getenv(scriptVar)
	if file == "" {
		return nil
	}
	data, err := os.ReadFile(file)
	p := &Player{report: Report{Args: os.Args[1:]}}
	if err == nil {
		err = json.Unmarshal(data, &p.Script)
	}
	if err != nil {
		panic(err)
	}
	if p.Lock != "" {
		keepLocked(p.Lock)
	}
	if p.Child {
		haveChild(p.Lock)
	}
	return p
}

func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

// keepLocked locks a file until this process ends.
func keepLocked(path string) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH)
	}
	if err != nil {
		panic(err)
	}
	locked = f // or it would be closed when nobody looks at it any more
}

var locked *os.File

// haveChild starts a child and waits until it is there.
func haveChild(lock string) {
	cmd := exec.Command(os.Args[0]) //nolint:gosec,noctx // the test itself, which the end of its group ends
	cmd.Env = append(os.Environ(), childVar+"="+lock)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = out.Read(make([]byte, 1))
	}
	if err != nil {
		panic(err)
	}
}

// Saw writes down what the program was told.
func (p *Player) Saw(f func(*Report)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(&p.report)
	data, err := json.Marshal(p.report)
	if err == nil {
		err = os.WriteFile(p.Script.Report, data, 0o600)
	}
	if err != nil {
		panic(err)
	}
}

// Line writes a line, if the script has more.
func (p *Player) Line(v any) {
	if p.Unknown {
		for _, odd := range []string{`{"type":"weather","event":7,"message":[],"error":{"a":1}}`, `{"method":"weather/changed","params":[1,{"item":7}]}`, "not JSON at all", ""} {
			fmt.Println(odd)
		}
	}
	line, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
	p.written++
	if p.Most > 0 && p.written == p.Most {
		if p.Hangs {
			forever()
		}
		os.Exit(1)
	}
}

// Pieces are a text as it comes.
func Pieces(text string) []string {
	i := strings.Index(text, " ")
	if i < 0 {
		return []string{text}
	}
	return []string{text[:i], text[i:]}
}

// Order are the calls of an answer in the order in which the program makes them.
func (p *Player) Order(calls []enginetest.Call) []enginetest.Call {
	calls = slices.Clone(calls)
	if p.Backwards {
		slices.Reverse(calls)
	}
	return calls
}
