//go:build linux

package x11

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

// lockBus asks the desktop whether it is locked, where there is a bus to ask on. It starts no service and no bus,
// and what it can't find out is left to what can be seen of the screen itself.
type lockBus struct {
	env environ
	mu  sync.Mutex // guards all below
	bus map[string]*dbus.Conn
}

// savers answer GetActive while the screen is locked or blanked.
var savers = []struct {
	name string
	path dbus.ObjectPath
}{
	{"org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver"},
	{"org.gnome.ScreenSaver", "/org/gnome/ScreenSaver"},
	{"org.cinnamon.ScreenSaver", "/org/cinnamon/ScreenSaver"},
	{"org.mate.ScreenSaver", "/org/mate/ScreenSaver"},
	{"org.xfce.ScreenSaver", "/org/xfce/ScreenSaver"},
}

// busPatience bounds all questions of one look at the desktop.
const busPatience = 200 * time.Millisecond

// locked says whether the desktop says that it is.
func (l *lockBus) locked(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, busPatience)
	defer cancel()
	return l.saverActive(ctx) || l.sessionLocked(ctx)
}

func (l *lockBus) saverActive(ctx context.Context) bool {
	c := l.connect(ctx, sessionBus(l.env))
	if c == nil {
		return false
	}
	calls := make([]*dbus.Call, len(savers))
	for i, s := range savers {
		calls[i] = c.Object(s.name, s.path).GoWithContext(ctx, s.name+".GetActive", dbus.FlagNoAutoStart, make(chan *dbus.Call, 1))
	}
	active := false
	for _, call := range calls {
		<-call.Done
		on := false
		if call.Err == nil && call.Store(&on) == nil {
			active = active || on
		}
	}
	return active
}

// sessionLocked asks logind about the session that the environment names.
func (l *lockBus) sessionLocked(ctx context.Context) bool {
	id := l.env.get("XDG_SESSION_ID")
	if id == "" {
		return false
	}
	c := l.connect(ctx, systemBus(l.env))
	if c == nil {
		return false
	}
	const logind = "org.freedesktop.login1"
	var path dbus.ObjectPath
	if c.Object(logind, "/org/freedesktop/login1").CallWithContext(ctx, logind+".Manager.GetSession", dbus.FlagNoAutoStart, id).Store(&path) != nil {
		return false
	}
	var v dbus.Variant
	err := c.Object(logind, path).CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", dbus.FlagNoAutoStart,
		logind+".Session", "LockedHint").Store(&v)
	on, _ := v.Value().(bool)
	return err == nil && on
}

// connect returns a connection that is kept, or nil. One that broke is made anew.
func (l *lockBus) connect(ctx context.Context, address string) *dbus.Conn {
	if address == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.bus[address]; c != nil && c.Connected() {
		return c
	}
	c, err := dialBus(ctx, address)
	if err != nil {
		return nil
	}
	if l.bus == nil {
		l.bus = map[string]*dbus.Conn{}
	}
	l.bus[address] = c
	return c
}

func (l *lockBus) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.bus {
		_ = c.Close()
	}
	l.bus = nil
}

// sessionBus is the address of the session bus. dialBus takes sockets only, so that none is ever started.
func sessionBus(env environ) string {
	if a := env.get("DBUS_SESSION_BUS_ADDRESS"); a != "" {
		return a
	}
	if dir := env.get("XDG_RUNTIME_DIR"); dir != "" {
		return "unix:path=" + dbus.EscapeBusAddressValue(filepath.Join(dir, "bus"))
	}
	return ""
}

func systemBus(env environ) string {
	if a := env.get("DBUS_SYSTEM_BUS_ADDRESS"); a != "" {
		return a
	}
	return "unix:path=/run/dbus/system_bus_socket"
}
