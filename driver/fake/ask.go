package fake

import (
	"slices"

	"conch/driver"
	"conch/driver/key"
)

// What follows is for tests: what happened on the desk, as the desk saw it.

// Value returns what a field holds; "" for a field that isn't there.
func (d *Driver) Value(field string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c := d.control(field); c != nil {
		return c.text
	}
	return ""
}

// Clicked is how often a button or field was clicked with the left mouse button, also when its window is
// gone by now.
func (d *Driver) Clicked(control string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.clicks[control]
}

// control finds a control by its written name, in the frontmost window that has one. The lock is held.
func (d *Driver) control(name string) *control {
	_, c := d.desk.find(name)
	return c
}

// Held names the keys and buttons that are down, in the order in which they went down.
func (d *Driver) Held() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []string
	for _, h := range d.held {
		if h.button != 0 {
			out = append(out, buttonName(h.button)+" button")
		} else {
			out = append(out, key.Chord{Key: h.key}.String())
		}
	}
	return out
}

// Begun says whether the driver is between Begin and End.
func (d *Driver) Begun() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.begun
}

// Changes is the count that Changed would give.
func (d *Driver) Changes() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.change
}

// Apply does what a script would: one or more lines such as "front 9" or "unready locked". The error is a
// *SyntaxError.
func (d *Driver) Apply(fragment string) error {
	steps, err := parseSteps("fragment", fragment)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.run(steps)
	}
	return nil
}

// Events lists all events since the start, in order.
func (d *Driver) Events() []Event {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.events)
}

// Forget drops the events so far, so that a test sees only what follows.
func (d *Driver) Forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = nil
}

// Landed lists the events that arrived in a window.
func (d *Driver) Landed(id driver.WindowID) []Event {
	var out []Event
	for _, e := range d.Events() {
		if e.Window == id {
			out = append(out, e)
		}
	}
	return out
}
