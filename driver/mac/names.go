package mac

import (
	"context"
	"errors"
	"time"

	"conch/driver"
)

// askPatience is how long one question to an app may take; mac.h's side holds to it.
const askPatience = 100 * time.Millisecond

// asker asks the questions of one look-up, none of which begins when it could end after driver.LookUp.
type asker struct {
	d    *Driver
	ctx  context.Context
	last time.Time // no question begins after it
}

func (d *Driver) asker(ctx context.Context) asker {
	return asker{d, ctx, d.now().Add(driver.LookUp - askPatience)}
}

// late says why no more is asked, or nil.
func (a asker) late() error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	if a.d.now().After(a.last) {
		return driver.ErrNoControl
	}
	return nil
}

func (a asker) element(ask func() (element, error)) (element, error) {
	if err := a.late(); err != nil {
		return 0, err
	}
	e, err := ask()
	if err != nil {
		return 0, a.d.controlError(err)
	}
	a.d.tried(ClickAndType, Tried{})
	return e, nil
}

func (a asker) describe(e element) (rawControl, error) {
	if err := a.late(); err != nil {
		return rawControl{}, err
	}
	raw, err := a.d.sys.describe(e)
	if err != nil {
		return rawControl{}, a.d.controlError(err)
	}
	return raw, nil
}

// window says whether a control is in a dialog, and which button Return presses there. What isn't told is no.
func (a asker) window(of element) (dialog bool, standard driver.Control) {
	sys := a.d.sys
	w, err := a.element(func() (element, error) { return sys.windowOf(of) })
	if err != nil {
		return false, standard
	}
	defer sys.letGo(w)
	if raw, err := a.describe(w); err == nil {
		dialog = isDialog(ariaRole(raw.role, raw.subrole))
	}
	b, err := a.element(func() (element, error) { return sys.defaultButton(w) })
	if err != nil {
		return dialog, standard
	}
	defer sys.letGo(b)
	if raw, err := a.describe(b); err == nil {
		standard = control(raw, 0)
		standard.Default, standard.Dialog = true, dialog
	}
	return dialog, standard
}

func isDialog(role string) bool { return role == "dialog" || role == "alertdialog" || role == "alert" }

// Focus says what has the keys in the app that has them.
func (d *Driver) Focus(ctx context.Context) (driver.Focus, error) {
	if err := d.open(ctx); err != nil {
		return driver.Focus{}, err
	}
	k, err := d.desk()
	if err != nil {
		return driver.Focus{}, err
	}
	w, ok := driver.Focused(k.windows)
	if !ok || w.PID == 0 {
		return driver.Focus{}, driver.ErrNoControl
	}
	a := d.asker(ctx)
	e, err := a.element(func() (element, error) { return d.sys.focusedControl(w.PID) })
	if err != nil {
		return driver.Focus{}, err
	}
	defer d.sys.letGo(e)
	raw, err := a.describe(e)
	if err != nil {
		return driver.Focus{}, err
	}
	f := driver.Focus{Control: control(raw, w.ID), Lines: raw.role == "AXTextArea"}
	f.Control.Dialog, f.Default = a.window(e)
	if f.Default.Role != "" {
		f.Default.Window = w.ID
		f.Control.Default = f.Default.Bounds == f.Control.Bounds
	}
	return f, nil
}

// mostSecretNodes bounds what is looked through for password fields in one app.
const mostSecretNodes = 600

// Secrets lists the parts of password fields that can be seen. The app that has the keys is asked first: each
// app that hangs costs a tenth of a second of all.
func (d *Driver) Secrets(ctx context.Context) ([]driver.ScreenRect, error) {
	if err := d.open(ctx); err != nil {
		return nil, err
	}
	k, err := d.desk()
	if err != nil {
		return nil, err
	}
	if fields, ok := d.secrets.get(d.follow.count()); ok {
		return seen(fields, k.windows), nil
	}
	count, begun := d.follow.count(), d.now()
	a := d.asker(ctx)
	var fields []secret
	whole := true
	for _, pid := range pidsOf(k.windows) {
		more, err := a.secrets(pid)
		if errors.Is(err, ctx.Err()) && ctx.Err() != nil {
			return nil, err
		}
		fields, whole = append(fields, more...), whole && err == nil
	}
	if !whole { // what was there a moment ago may be there still
		fields = append(fields, d.secrets.last()...)
	}
	d.secrets.put(fields, count, begun, whole && d.follow.on())
	return seen(fields, k.windows), nil
}

// pidsOf lists the apps with windows that can be seen, the one that has the keys first.
func pidsOf(ws []driver.Window) []int {
	var out []int
	add := func(w driver.Window) {
		for _, pid := range out {
			if pid == w.PID {
				return
			}
		}
		if w.PID != 0 && len(w.Visible) > 0 && (w.Role == "normal" || w.Role == "dialog") {
			out = append(out, w.PID)
		}
	}
	if w, ok := driver.Focused(ws); ok {
		add(w)
	}
	for _, w := range ws {
		add(w)
	}
	return out
}

// secrets looks through an app for password fields.
func (a asker) secrets(pid int) (found []secret, err error) {
	sys := a.d.sys
	top, err := a.element(func() (element, error) { return sys.wholeApp(pid) })
	if err != nil {
		return nil, err
	}
	level := []element{top}
	for n := 0; len(level) > 0; n++ {
		e := level[0]
		level = level[1:]
		raw, err := a.describe(e)
		if err == nil && raw.secure && !raw.hidden {
			found = append(found, secret{pid, raw.bounds})
		}
		var kids []element
		if err == nil && !raw.hidden && !leafRole(raw.role) {
			kids, err = sys.children(e, mostChildren)
		}
		sys.letGo(e)
		level = append(level, kids...)
		if late := a.late(); late != nil || n >= mostSecretNodes {
			sys.letGo(level...)
			return found, errors.Join(late, err)
		}
	}
	return found, nil
}

// leafRole says that no password field is inside.
func leafRole(role string) bool {
	switch role {
	case "AXMenuBar", "AXMenu", "AXButton", "AXStaticText", "AXImage", "AXTextField", "AXTextArea", "AXTable", "AXOutline":
		return true
	}
	return false
}
