package main

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"
)

// The service that shows notifications (Desktop Notifications Specification 1.2).
const (
	noticesName = "org.freedesktop.Notifications"
	noticesPath = "/org/freedesktop/Notifications"
)

// busNotices shows notifications on a desktop, over the session bus.
type busNotices struct {
	conn    *dbus.Conn
	obj     dbus.BusObject
	pressed chan struct{}
	done    chan struct{} // closed when no press is heard any more

	mu sync.Mutex
	id uint32 // of the one that is shown; 0 is none
}

// newNotifier connects to the session's bus, where there is one.
func newNotifier(ctx context.Context, getenv func(string) string) (notifier, error) {
	if !haveBus(getenv) {
		return nil, errNoNotices
	}
	conn, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	n := &busNotices{
		conn: conn, obj: conn.Object(noticesName, noticesPath), pressed: make(chan struct{}, 1), done: make(chan struct{}),
	}
	invoked := make(chan *dbus.Signal, 8)
	conn.Signal(invoked)
	err = conn.AddMatchSignalContext(ctx, dbus.WithMatchInterface(noticesName), dbus.WithMatchMember("ActionInvoked"))
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	go n.hear(invoked)
	return n, nil
}

// hear waits for presses; the channel is closed with the connection.
func (n *busNotices) hear(invoked <-chan *dbus.Signal) {
	defer close(n.done)
	for s := range invoked {
		if s.Name != noticesName+".ActionInvoked" || len(s.Body) < 1 {
			continue
		}
		n.mu.Lock()
		id := n.id
		n.mu.Unlock()
		if which, ok := s.Body[0].(uint32); !ok || which != id || id == 0 {
			continue
		}
		select {
		case n.pressed <- struct{}{}:
		default: // one that waits says as much
		}
	}
}

// Allowed: nobody is asked on such a desktop.
func (n *busNotices) Allowed(context.Context) error { return nil }

// Pressed is told of presses on the one that is shown.
func (n *busNotices) Pressed() <-chan struct{} { return n.pressed }

// plainText keeps a service that reads markup from finding any.
var plainText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// Notify shows n in place of the one that is shown, or takes that away.
func (n *busNotices) Notify(ctx context.Context, what *notice) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if what == nil {
		id := n.id
		n.id = 0
		if id == 0 {
			return nil
		}
		return n.obj.CallWithContext(ctx, noticesName+".CloseNotification", dbus.FlagNoAutoStart, id).Err
	}
	hints := map[string]dbus.Variant{"urgency": dbus.MakeVariant(byte(2)), "category": dbus.MakeVariant("im.received")}
	// It stays until it is answered; a press on it opens the page, and answers nothing.
	err := n.obj.CallWithContext(ctx, noticesName+".Notify", 0, "Conch", n.id, "", what.Title, plainText.Replace(what.Text),
		[]string{"default", "Open Conch"}, hints, int32(0)).Store(&n.id)
	if nobodyShows(err) {
		return errNoNotices
	}
	return err
}

// nobodyShows says that the desktop has no program that shows notifications, as many small ones have none (D-Bus
// Specification, "Message Bus Messages": the bus answers for a name that nobody owns and nothing can start).
func nobodyShows(err error) bool {
	var answer dbus.Error
	return errors.As(err, &answer) && (answer.Name == "org.freedesktop.DBus.Error.ServiceUnknown" ||
		answer.Name == "org.freedesktop.DBus.Error.NameHasNoOwner")
}

// Close takes away what is shown, and hears no more.
func (n *busNotices) Close() error {
	_ = n.Notify(context.Background(), nil)
	err := n.conn.Close()
	<-n.done
	return err
}
