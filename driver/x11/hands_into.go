//go:build linux

package x11

import (
	"context"
	"errors"
	"os"

	"conch/driver"
)

// An event lands where the server says at that moment, and any program may raise a window or take the focus between
// our look and our event. So both happen while the server listens to nobody else (GrabServer, X protocol section 9).
// That lasts for an answer or two, and nothing that another program has to do is waited for meanwhile: it couldn't.

// Requests of the core protocol, and what their answers say.
const (
	opGetWindowAttributes  = 3
	opGrabServer           = 36
	opUngrabServer         = 37
	opTranslateCoordinates = 40

	classInputOutput = 1
	mapViewable      = 2
)

// landing is a look that said yes: keys that go to focus go into window.
type landing struct{ focus, window uint32 }

// hold keeps all other programs waiting, unless an event may land anywhere, and asks where the next one would land.
// When it may land there, what is queued until letGo is sent before anybody else is heard. On an error nobody waits.
func (h *hands) hold(ctx context.Context, into driver.Into, lands func(context.Context, uint32) (bool, error)) (err error) {
	if into.Anywhere() {
		return nil
	}
	window, known := into.Window()
	if !known {
		return driver.ErrElsewhere
	}
	h.queue(request(opGrabServer, 0))
	h.grabbed = true
	defer func() {
		if err != nil {
			err = errors.Join(err, h.letGo())
		}
	}()
	if err := h.flush(); err != nil {
		return err
	}
	ok, err := lands(ctx, uint32(window))
	if err == nil && !ok {
		err = driver.ErrElsewhere
	}
	return err
}

// letGo sends what is queued and lets other programs go on.
func (h *hands) letGo() error {
	if h.grabbed {
		h.queue(request(opUngrabServer, 0))
		h.grabbed = false
	}
	return h.flush()
}

// keysLand says whether keys go into a window now. Some apps give the keys to a window of theirs that nobody sees,
// which is told by its process, as findFocus does.
func (h *hands) keysLand(ctx context.Context, window uint32) (bool, error) {
	focus, err := h.focus(ctx)
	if err != nil && !errors.Is(err, errNoFocus) {
		return false, err
	}
	if (landing{focus, window}) == h.landed && focus != 0 {
		return true, nil
	}
	ok, err := h.inside(ctx, focus, window)
	if ok && err == nil {
		h.landed = landing{focus, window}
	}
	return ok, err
}

func (h *hands) inside(ctx context.Context, focus, window uint32) (bool, error) {
	of, err := h.topOf(ctx, focus)
	if err != nil {
		return false, err
	}
	top, err := h.topOf(ctx, window)
	switch {
	case err != nil:
		return false, err
	case window != 0 && top == 0: // it has gone
		return false, nil
	case of == top:
		return true, nil
	case of == 0:
		return false, nil
	}
	seen, _, err := h.shown(ctx, of)
	if err != nil || seen {
		return false, err
	}
	pid := h.owner(ctx, focus)
	return window == 0 || pid != 0 && pid == h.owner(ctx, window), nil
}

// pointerLands says whether what is pressed where the pointer is goes into a window.
func (h *hands) pointerLands(ctx context.Context, window uint32) (bool, error) {
	got, err := h.conn.Request(ctx, request(opQueryPointer, 0, h.root))
	if err != nil {
		return false, err
	}
	return h.overLands(ctx, u32(got, 12), window)
}

// pointLands says the same of a point.
func (h *hands) pointLands(x, y int) func(context.Context, uint32) (bool, error) {
	return func(ctx context.Context, window uint32) (bool, error) {
		got, err := h.conn.Request(ctx, request(opTranslateCoordinates, 0, h.root, h.root, uint32(uint16(x))|uint32(uint16(y))<<16))
		if err != nil {
			return false, err
		}
		return h.overLands(ctx, u32(got, 8), window)
	}
}

// overLands compares the child of the root that takes a press with the window that should. What is in no list of
// windows is looked through, as there: windows without pixels, with which window managers line the screen's edges,
// and ours.
func (h *hands) overLands(ctx context.Context, child, window uint32) (bool, error) {
	top, err := h.topOf(ctx, window)
	switch {
	case err != nil || window != 0 && top == 0:
		return false, err
	case child == top:
		return true, nil
	case child == 0:
		return false, nil
	}
	seen, known, err := h.shown(ctx, child)
	if err != nil || !known {
		return false, err
	}
	return !seen || h.owner(ctx, child) == os.Getpid(), nil
}

// topOf climbs from a window to the child of the root that holds it; 0 for the root, and for one that isn't there.
func (h *hands) topOf(ctx context.Context, w uint32) (uint32, error) {
	for range 32 {
		if w == 0 || w == h.root {
			return 0, nil
		}
		got, err := h.conn.Request(ctx, request(opQueryTree, 0, w))
		if gone(err) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		parent := u32(got, 12)
		if parent == h.root {
			return w, nil
		}
		w = parent
	}
	return 0, nil
}

// shown says whether a window is one that is listed: on the screen and with pixels. known is false when it has gone.
func (h *hands) shown(ctx context.Context, w uint32) (shown, known bool, err error) {
	got, err := h.conn.Request(ctx, request(opGetWindowAttributes, 0, w))
	if gone(err) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	return u16(got, 12) == classInputOutput && got[26] == mapViewable, true, nil
}
