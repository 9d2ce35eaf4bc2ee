//go:build linux

package x11

import (
	"context"
	"errors"
	"testing"
	"time"

	"conch/driver"
	"conch/driver/x11/xfixture"
	"conch/driver/x11/xserver"

	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/xproto"
)

func TestEndForgets(t *testing.T) {
	k := newDesk(t, xserver.Options{Background: 0x336699})
	a := newArtist(k)
	w := k.window(xfixture.Spec{X: 10, Y: 10, W: 100, H: 100, Class: "One", Color: 0xff0000})
	id := xproto.Window(w.ID)
	if a.named(id) {
		t.Fatal("the window has pixels of its own before Begin")
	}
	k.look(driver.Shot{})
	mem := k.d.canvas.shm.mem
	if len(mem) == 0 || !a.named(id) {
		t.Fatal("looking did not work as this test believes")
	}
	waiter := make(chan error)
	n := k.still()
	go func() {
		_, err := k.d.Changed(context.WithoutCancel(t.Context()), n)
		waiter <- err
	}()
	for range 2 {
		if err := k.d.End(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-waiter; !errors.Is(err, driver.ErrNotBegun) {
		t.Errorf("whoever waited for a change got %v", err)
	}
	if k.d.canvas.shm.mem != nil || k.d.canvas.size.X != 0 || a.named(id) {
		t.Error("something of the screen is kept after End")
	}
	if f := &k.d.follow; f.damages != nil || len(f.creates) != 0 || f.windows[id].damage != 0 {
		t.Error("drawing is still followed after End") // where windows are stays known, and no more than that
	}
	if got := k.count(); got > 12 {
		t.Errorf("%d things are left in the server", got)
	}
	// And it can begin again.
	if p := k.look(driver.Shot{}); p.Pix.RGBAAt(20, 20).R != 0xff {
		t.Error("the second session sees nothing")
	}
}

// count asks how many things of the driver's connection the server holds.
func (k *desk) count() (n int) {
	k.t.Helper()
	r, err := res.QueryClientResources(k.d.conn.Conn, uint32(k.d.canvas.helper)).Reply()
	if err != nil {
		k.t.Fatal(err)
	}
	for _, ty := range r.Types {
		n += int(ty.Count)
	}
	return n
}

func TestPicturesLeaveNothingBehind(t *testing.T) {
	k := newDesk(t, xserver.Options{Background: 0x336699, Compositor: true})
	a := k.crowd()
	k.d = k.open(Options{Own: func(driver.Window) bool { return false }})
	ragged := a.strip(rect(820, 380, 1120, 640), 0x804000, false)
	a.outline(ragged, rect(0, 0, 100, 40), rect(50, 60, 300, 90))
	shot := driver.Shot{MaxArea: 10_000, Cover: cover("Checks")}
	k.look(shot)
	before := k.count()
	for range 200 {
		k.look(shot)
	}
	for i := range 50 { // windows that come and go
		k.try(k.window(xfixture.Spec{X: i, Y: i, W: 50, H: 50, Class: "Menu", Override: true}).Close())
	}
	k.still()
	k.look(shot)
	if after := k.count(); after > before+1 {
		t.Errorf("the server held %d things of ours, and holds %d after 200 pictures", before, after)
	}
	first, err := xproto.NewPixmapId(k.d.conn.Conn)
	if err != nil {
		t.Fatal(err)
	}
	k.look(shot)
	second, _ := xproto.NewPixmapId(k.d.conn.Conn)
	if used := (second - first) / xproto.Pixmap(k.d.conn.Setup.ResourceIdMask&-k.d.conn.Setup.ResourceIdMask); used != 1 {
		t.Errorf("a picture used up %d ids", used-1)
	}
}

func TestServerKilledWhileInUse(t *testing.T) {
	k := newDesk(t, xserver.Options{})
	k.window(xfixture.Spec{X: 10, Y: 10, W: 100, H: 100, Class: "One", Color: 0xff0000})
	k.look(driver.Shot{})
	n := k.still()
	type answer struct {
		what string
		err  error
	}
	answers := make(chan answer)
	calls := map[string]func(context.Context) error{
		"Changed": func(ctx context.Context) error { _, err := k.d.Changed(ctx, n+1000); return err },
		"Look": func(ctx context.Context) error {
			return forever(func() error { _, err := k.d.Look(ctx, driver.Shot{}); return err })
		},
		"Windows": func(ctx context.Context) error {
			return forever(func() error { _, err := k.d.Windows(ctx); return err })
		},
		"Displays": func(ctx context.Context) error {
			return forever(func() error { _, err := k.d.Displays(ctx); return err })
		},
		"Pointer": func(ctx context.Context) error {
			return forever(func() error { _, err := k.d.Pointer(ctx); return err })
		},
		"Ready": func(ctx context.Context) error { return forever(func() error { return k.d.Ready(ctx) }) },
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for what, call := range calls {
		go func() { answers <- answer{what, call(ctx)} }()
	}
	k.look(driver.Shot{})
	if err := k.x.KillX(); err != nil {
		t.Fatal(err)
	}
	for range calls {
		if a := <-answers; !isWhy(a.err, driver.WhyLost) {
			t.Errorf("%s says %v", a.what, a.err)
		}
	}
	if err := k.d.Begin(t.Context()); !isWhy(err, driver.WhyLost) {
		t.Errorf("Begin says %v", err)
	}
	if err := k.d.End(t.Context()); err != nil && !isWhy(err, driver.WhyLost) {
		t.Errorf("End says %v", err)
	}
	if k.d.canvas.shm.mem != nil {
		t.Error("a picture is kept after the server went")
	}
}

// forever repeats f until it fails.
func forever(f func() error) error {
	for {
		if err := f(); err != nil {
			return err
		}
	}
}

func isWhy(err error, why driver.Why) bool {
	var u *driver.Unready
	return errors.As(err, &u) && u.Why == why && u.Say != "" && u.Next != ""
}

// A program that holds the server must not hold us past our time.
func TestServerHeldByAnother(t *testing.T) {
	k := newDesk(t, xserver.Options{})
	a := newArtist(k)
	k.look(driver.Shot{})
	xproto.GrabServer(a.conn.Conn)
	a.sync()
	for what, call := range map[string]func(context.Context) error{
		"Look":    func(ctx context.Context) error { _, err := k.d.Look(ctx, driver.Shot{}); return err },
		"Windows": func(ctx context.Context) error { _, err := k.d.Windows(ctx); return err },
		"Ready":   k.d.Ready,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if err := call(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s says %v", what, err)
		}
		cancel()
	}
	xproto.UngrabServer(a.conn.Conn)
	a.sync()
	k.look(driver.Shot{})
}
