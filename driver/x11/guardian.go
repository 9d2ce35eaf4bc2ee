//go:build linux

package x11

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// GuardianArg is the sub-command under which a program that offers a guardian runs GuardianMain.
const GuardianArg = "x11-guardian"

// guard is our end of the guardian: a small process that outlives a kill -9 of this one by less than two
// seconds and lifts what was held. The X server doesn't do that by itself: a key that XTEST pressed stays down
// and repeats when its client dies.
type guard struct {
	cmd *exec.Cmd
	in  io.WriteCloser
}

// guardMark is in a guardian's environment, so that one never starts another.
const guardMark = "CONCH_X11_GUARDED=1"

// watch starts the guardian, unless one is there: argv is a command that ends in GuardianMain with what is added
// to it. It returns when the guardian is ready.
func (h *hands) watch(ctx context.Context, argv, env []string) error {
	if err := h.take(ctx); err != nil {
		return err
	}
	defer h.give()
	if h.guard != nil || slices.Contains(env, guardMark) {
		return nil
	}
	args := append(append([]string(nil), argv[1:]...), strconv.Itoa(h.slot), strconv.FormatUint(uint64(h.rec.nonce), 10))
	cmd := exec.Command(argv[0], args...) //nolint:gosec,noctx // our own program, which outlives every context
	cmd.Env = append(append([]string(nil), env...), guardMark)
	// A session of its own: neither Ctrl+C in a terminal nor a closed one reaches it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	g, err := startGuard(ctx, cmd)
	if err != nil {
		return fmt.Errorf("start the guardian of held keys: %w", err)
	}
	h.guard = g
	return nil
}

func startGuard(ctx context.Context, cmd *exec.Cmd) (*guard, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	g := &guard{cmd: cmd, in: in}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if !stop() || err != nil || line != guardReady {
		_ = cmd.Process.Kill()
		_ = g.end()
		return nil, errors.Join(errors.New("it did not come up"), ctx.Err(), err)
	}
	return g, nil
}

// unwatch ends the guardian, if there is one.
func (h *hands) unwatch(ctx context.Context) error {
	if err := h.take(ctx); err != nil {
		return err
	}
	g := h.guard
	h.guard = nil
	h.give()
	return g.end()
}

// What the guardian says when it is ready, and what it is told when it isn't needed any more.
const (
	guardReady = "ready\n"
	guardDone  = "done\n"
)

func (g *guard) end() error {
	if g == nil {
		return nil
	}
	_, _ = io.WriteString(g.in, guardDone) // it may have gone with the server
	_ = g.in.Close()
	if err := g.cmd.Wait(); err != nil {
		return fmt.Errorf("the guardian of held keys: %w", err)
	}
	return nil
}

// GuardianMain is the guardian's whole life. It waits, with one X connection and no other thing, until its
// input ends, which it does when the program that started it dies in whatever way. If that left a record of
// held keys it lifts them, frees the key codes that were lent, and ends. args are what watch added.
func GuardianMain(args []string) int {
	signal.Ignore(syscall.SIGINT, syscall.SIGHUP)
	if err := guardian(args); err != nil {
		fmt.Fprintln(os.Stderr, "conch:", err)
		return 1
	}
	return 0
}

const guardLimit = 2 * time.Second

func guardian(args []string) error {
	if len(args) != 2 {
		return errors.New("the guardian of held keys is started by Conch itself")
	}
	slot, err1 := strconv.Atoi(args[0])
	nonce, err2 := strconv.ParseUint(args[1], 10, 32)
	if err := errors.Join(err1, err2); err != nil || slot < 0 || slot >= recordSlots {
		return errors.New("the guardian of held keys is started by Conch itself")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	h, err := dialHands(ctx, "", os.Getenv)
	cancel()
	if err != nil {
		return err
	}
	defer func() { _ = h.conn.Close() }()
	if _, err := os.Stdout.WriteString(guardReady); err != nil {
		return err
	}
	last := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(io.LimitReader(os.Stdin, int64(len(guardDone))))
		last <- string(b)
	}()
	select {
	case said := <-last:
		if said == guardDone {
			return nil
		}
	case <-h.conn.Done():
		return nil // without a server nothing is held
	}
	ctx, cancel = context.WithTimeout(context.Background(), guardLimit)
	defer cancel()
	return h.inherit(ctx, slot, uint32(nonce))
}

// inherit puts right what a dead driver's record says.
func (h *hands) inherit(ctx context.Context, slot int, nonce uint32) error {
	property, err := intern(ctx, h.conn, recordName(slot))
	if err != nil {
		return err
	}
	v, err := cards(ctx, h.conn, h.root, property)
	if err != nil {
		return err
	}
	r, err := parseRecord(v)
	if err != nil || r.nonce != nonce {
		return nil //nolint:nilerr // not its record: a new driver has cleaned up already
	}
	if err := h.mend(ctx, r); err != nil {
		return err
	}
	h.queue(request(opDeleteProperty, 0, h.root, property))
	return h.settle(ctx)
}
