package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"conch/gateway"
	"conch/gateway/state"
	"conch/mcp/otherapps"

	"fyne.io/systray"
)

// pressPatience is how long what was pressed in the menu may take.
const pressPatience = 10 * time.Second

// desk is the running program as its menu reaches it.
type desk struct {
	c       *call
	gw      *gateway.Gateway
	dir     *state.Dir
	port    int
	stopKey func() gateway.StopKey
	quit    func()
	log     *slog.Logger

	// apps says how other apps stand.
	apps func() []otherapps.Line

	look    func()        // says it on again
	again   chan struct{} // a fact changed that the gateway doesn't tell
	pressed sync.WaitGroup
}

// start puts Conch on the desktop and returns what takes it off again.
func (d *desk) start(ctx context.Context, tray bool) (stop func()) {
	end := d.c.shell.Start(ctx, d.log, tray, menuDo{
		Press: func(what do) { d.press(ctx, what) },
		Watch: d.watch,
	})
	noticing, quiet := context.WithCancel(ctx)
	d.pressed.Go(func() { d.notices(noticing) })
	return func() {
		end()
		quiet()
		d.pressed.Wait()
	}
}

// press does what a menu item is for, on the side, so that the menu never hangs.
func (d *desk) press(ctx context.Context, what do) {
	if what == doQuit {
		d.quit()
		return
	}
	d.pressed.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, pressPatience)
		defer cancel()
		if err := d.carryOut(ctx, what); err != nil {
			d.log.Warn("a press in the menu", "item", string(what), "error", err)
		}
	})
}

func (d *desk) carryOut(ctx context.Context, what do) error {
	switch what {
	case doStop:
		_, err := d.gw.Stop(ctx)
		return err
	case doOpen:
		return d.show(ctx, d.gw.Status().Page)
	case doApps:
		return d.show(ctx, pages["computer"])
	case doOther:
		return d.show(ctx, pages["apps"])
	case doCheckup:
		return d.show(ctx, pages["checkup"])
	case doRepair:
		d.gw.Repair()
		return d.show(ctx, pages["repair"])
	case doLogin:
		l := d.c.shell.Login()
		err := l.Set(l.State() != loginOn)
		d.look()
		return err
	case doQuit:
	}
	return nil
}

// show brings up a page: in Conch's own window where there is one, else in the browser.
func (d *desk) show(ctx context.Context, path string) error {
	err := d.c.shell.Show(pageURL(d.port, path, d.gw.NewCode()))
	if !errors.Is(err, errNoWindow) {
		return err
	}
	return d.c.openWith(ctx, d.dir, d.port, path, func() (string, error) { return d.gw.NewCode(), nil })
}

// watch tells the menu what is, until ctx ends. Start at login is looked up again when the menu opens, since
// it can be changed elsewhere too.
func (d *desk) watch(ctx context.Context, show func(menuFacts)) {
	status := make(chan gateway.Status, 1)
	unsubscribe := d.gw.Subscribe(func(s gateway.Status) {
		select {
		case <-status: // only the newest matters
		default:
		}
		status <- s
	})
	defer unsubscribe()
	f := menuFacts{Login: d.c.shell.Login().State(), Apps: d.apps()}
	for {
		select {
		case f.Status = <-status:
		case <-d.again:
			f.Login, f.Apps = d.c.shell.Login().State(), d.apps()
		case <-systray.TrayOpenedCh:
			f.Login, f.Apps = d.c.shell.Login().State(), d.apps()
		case <-ctx.Done():
			return
		}
		if d.stopKey != nil {
			f.StopKey = d.stopKey().Keys
		}
		show(f)
	}
}
