package care

import (
	"context"
	"fmt"
)

// Pages that findings lead to.
const (
	pageSettings = "/settings"
	pageComputer = "/settings/computer"
	pageDevices  = "/settings/devices"
)

// Use is the person's choice about using apps.
type Use interface {
	On() bool
	Pauses() bool
	SetPauses(bool) error
	Problem() error
}

// Apps says whether apps may be used. off turns that off, and stops what uses them.
func Apps(u Use, off func(context.Context) error) Check {
	return Check{ID: "computer-use", Title: "Use your apps", Area: Security, Run: func(context.Context) Finding {
		if err := u.Problem(); err != nil {
			return Finding{Level: OK, Say: "Off, because its file can’t be read. Repair says more.", Open: pageComputer}
		}
		if !u.On() {
			return Finding{Level: OK, Say: "Off. Nothing on this screen is seen or touched.", Open: pageComputer}
		}
		return Finding{
			Level: Info, Say: "On. Your assistant may see this screen and use your apps while you watch.", Open: pageComputer,
			Fix: &Fix{Title: "Turn off", Done: "Using your apps is off now.", Do: off},
		}
	}}
}

// Pausing says whether the person's mouse and keyboard pause what uses the computer.
func Pausing(u Use) Check {
	return Check{ID: "pausing", Title: "Pause when you take over", Area: Security, Run: func(context.Context) Finding {
		if u.Pauses() {
			return Finding{Level: OK, Say: "On. When you use your mouse or keyboard, it stops and asks.", Open: pageComputer}
		}
		return Finding{
			Level: Warn, Say: "Off. Your assistant goes on beside your own mouse and keyboard.", Open: pageComputer,
			Fix: &Fix{Title: "Turn on", Done: "It pauses again when you take over.", Do: func(context.Context) error { return u.SetPauses(true) }},
		}
	}}
}

// Thing is one of those that a person allowed.
type Thing struct{ ID, Name, Say string }

// Things are what a person allowed, and how each is taken back.
type Things struct {
	List func(context.Context) ([]Thing, error)
	Take func(ctx context.Context, id string) error
	// None and Some say how it stands: nothing is allowed, or n things are.
	None string
	Some func(n int) string
	// Button takes one back; Done is said with its name once that was seen.
	Button, Done string
	Level        Level // with any
	Open         string
}

// Allowed lists things that a person allowed, each to be taken back with one press.
func Allowed(id, title string, t Things) Check {
	return Check{ID: id, Title: title, Area: Security, Run: func(ctx context.Context) Finding {
		things, err := t.List(ctx)
		if err != nil {
			return Finding{Level: Warn, Say: "The list can’t be read.", Open: t.Open, Unknown: true}
		}
		if len(things) == 0 {
			return Finding{Level: OK, Say: t.None, Open: t.Open}
		}
		f := Finding{Level: t.Level, Say: t.Some(len(things)), Open: t.Open}
		for _, one := range things {
			f.Rows = append(f.Rows, Row{ID: one.ID, Title: one.Name, Say: one.Say, Fix: &Fix{
				Title: t.Button, Done: fmt.Sprintf(t.Done, one.Name), Do: func(ctx context.Context) error { return t.Take(ctx, one.ID) },
			}})
		}
		return f
	}}
}

// Outside says whether Conch answers devices elsewhere, and where.
type Outside struct {
	Look func() (on bool, url string, err error)
	Off  func(context.Context) error
}

// Address says whether anybody elsewhere can reach Conch.
func Address(o Outside) Check {
	return Check{ID: "address", Title: "Reached from elsewhere", Area: Security, Run: func(context.Context) Finding {
		on, url, err := o.Look()
		switch {
		case err != nil:
			return Finding{Level: OK, Say: "Nobody elsewhere reaches Conch, because the file about it can’t be read. Repair says more.", Open: pageDevices}
		case !on:
			return Finding{Level: OK, Say: "Off. Conch answers only this computer.", Open: pageDevices}
		}
		return Finding{
			Level: Info, Say: "On. Devices that you let in reach Conch at " + url + ".", Open: pageDevices,
			Fix: &Fix{Title: "Turn off", Done: "Conch answers only this computer now.", Do: o.Off},
		}
	}}
}

// Confirming says whether the person is asked to show that it's them before something is widened.
func Confirming(on func() (bool, error), use Use) Check {
	return Check{ID: "confirm", Title: "Confirm that it’s you", Area: Security, Run: func(context.Context) Finding {
		is, err := on()
		switch {
		case err != nil:
			return Finding{Level: Warn, Say: "Its file can’t be read, so Conch asks each time. Repair says more.", Open: pageSettings}
		case is:
			return Finding{Level: OK, Say: "On. Conch asks before Full trust and Always.", Open: pageSettings}
		case use.On():
			return Finding{Level: Warn, Say: "Off. Whoever sits at this computer can choose Full trust or Always.", Open: pageSettings}
		}
		return Finding{Level: Info, Say: "Off. Turn it on before you let your assistant use your apps.", Open: pageSettings}
	}}
}

// Secrets says where keys and passwords are kept.
type Secrets interface {
	// InFiles names the secrets that are in files, because there is no keychain here; none are when there is one.
	InFiles(context.Context) ([]string, error)
}

// Keychain says whether secrets are in the system's keychain.
func Keychain(s Secrets) Check {
	return Check{ID: "keychain", Title: "Keys and passwords", Area: Security, Run: func(ctx context.Context) Finding {
		names, err := s.InFiles(ctx)
		switch {
		case err != nil:
			return Finding{Level: Warn, Say: "The system’s keychain doesn’t answer, so keys can’t be read or kept."}
		case len(names) > 0:
			return Finding{Level: Warn, Say: "There is no keychain here, so these are in files that only your account can read: " + list(names) + "."}
		}
		return Finding{Level: OK, Say: "They are in the system’s keychain."}
	}}
}
