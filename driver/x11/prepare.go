//go:build linux

package x11

import (
	"context"
	"fmt"

	"conch/driver"

	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/render"
	"github.com/jezek/xgb/xfixes"
	"github.com/jezek/xgb/xproto"
)

// atoms are the names that the driver speaks of to the server.
type atoms struct {
	fence                                               xproto.Atom
	wmState, wmClass, wmName, netName, utf8             xproto.Atom
	transient, winType, opacity, opaque                 xproto.Atom
	active, clients, supporting, compositor, lockStatus xproto.Atom
	rootPixmap, esetroot                                xproto.Atom
	types                                               map[xproto.Atom]string // _NET_WM_WINDOW_TYPE_… to a role
}

var roles = map[string]string{
	"DESKTOP": "desktop", "DOCK": "dock", "NOTIFICATION": "notification", "DIALOG": "dialog", "SPLASH": "dialog",
	"MENU": "menu", "DROPDOWN_MENU": "menu", "POPUP_MENU": "menu", "TOOLTIP": "menu", "COMBO": "menu", "DND": "menu",
	"NORMAL": "normal", "UTILITY": "normal", "TOOLBAR": "normal",
}

// prepare asks the server for all that stays the same, and starts its events.
func (d *Driver) prepare(context.Context) (struct{}, error) {
	var none struct{}
	if err := d.wanted(); err != nil {
		return none, err
	}
	if err := d.internAtoms(); err != nil {
		return none, err
	}
	if err := d.findFormats(); err != nil {
		return none, err
	}
	x, root := d.conn.Conn, d.conn.Screen.Root
	// The same connection also types: an app's answer to _NET_WM_PING comes to the root with either mask.
	const mask = xproto.EventMaskStructureNotify | xproto.EventMaskSubstructureNotify | xproto.EventMaskPropertyChange
	if err := xproto.ChangeWindowAttributesChecked(x, root, xproto.CwEventMask, []uint32{mask}).Check(); err != nil {
		return none, fmt.Errorf("follow the screen: %w", err)
	}
	randr.SelectInput(x, root, randr.NotifyMaskScreenChange|randr.NotifyMaskCrtcChange|randr.NotifyMaskOutputChange)
	xfixes.SelectSelectionInput(x, root, d.atoms.compositor, xfixes.SelectionEventMaskSetSelectionOwner|
		xfixes.SelectionEventMaskSelectionWindowDestroy|xfixes.SelectionEventMaskSelectionClientClose)
	if err := d.canvas.prepare(d); err != nil {
		return none, err
	}
	pids, err := d.pids([]xproto.Window{d.canvas.helper})
	if err != nil {
		return none, err
	}
	if d.self = pids[0]; d.self == 0 && d.own == nil {
		return none, lacking("X-Resource does not say which program a window belongs to", nil)
	}
	return none, d.follow.open(d)
}

// wanted says what the server lacks. Without these a picture would show our own windows or kept-away ones, so
// there is no lesser way.
func (d *Driver) wanted() error {
	for _, name := range []string{"Composite", "DAMAGE", "RANDR", "RENDER", "SHAPE", "XFIXES", "X-Resource", "XTEST"} {
		if !d.conn.Has(name) {
			return lacking("no extension "+name, nil)
		}
	}
	if d.conn.Has("XWAYLAND") {
		return wayland()
	}
	if d.conn.Setup.ImageByteOrder != xproto.ImageOrderLSBFirst {
		return lacking("pixels come highest byte first", nil)
	}
	return nil
}

func lacking(what string, err error) error {
	return &driver.Unready{
		Why: driver.WhyNoDisplay, Say: "This screen's display server is too old or too plain for Conch: " + what + ".",
		Next: "Use an X.Org desktop, or try the practice desktop.", Err: err,
	}
}

func (d *Driver) internAtoms() error {
	a := &d.atoms
	names := map[string]*xproto.Atom{
		"_CONCH_FENCE": &a.fence, "WM_STATE": &a.wmState, "WM_CLASS": &a.wmClass, "WM_NAME": &a.wmName,
		"_NET_WM_NAME": &a.netName, "UTF8_STRING": &a.utf8, "WM_TRANSIENT_FOR": &a.transient,
		"_NET_WM_WINDOW_TYPE": &a.winType, "_NET_WM_WINDOW_OPACITY": &a.opacity, "_NET_WM_OPAQUE_REGION": &a.opaque,
		"_NET_ACTIVE_WINDOW": &a.active, "_NET_CLIENT_LIST": &a.clients, "_NET_SUPPORTING_WM_CHECK": &a.supporting,
		"_SCREENSAVER_STATUS": &a.lockStatus, "_XROOTPMAP_ID": &a.rootPixmap, "ESETROOT_PMAP_ID": &a.esetroot,
		fmt.Sprintf("_NET_WM_CM_S%d", d.conn.DefaultScreen): &a.compositor,
	}
	cookies := map[string]xproto.InternAtomCookie{}
	for n := range names {
		cookies[n] = xproto.InternAtom(d.conn.Conn, false, uint16(len(n)), n)
	}
	kinds := map[string]xproto.InternAtomCookie{}
	for n := range roles {
		full := "_NET_WM_WINDOW_TYPE_" + n
		kinds[n] = xproto.InternAtom(d.conn.Conn, false, uint16(len(full)), full)
	}
	for n, c := range cookies {
		r, err := c.Reply()
		if err != nil {
			return err
		}
		*names[n] = r.Atom
	}
	a.types = map[xproto.Atom]string{}
	for n, c := range kinds {
		r, err := c.Reply()
		if err != nil {
			return err
		}
		a.types[r.Atom] = roles[n]
	}
	return nil
}

// formats are the Render formats of visuals, and of the canvas that pictures are drawn on.
type formats struct {
	visual map[xproto.Visualid]render.Pictformat
	rgb    render.Pictformat // 24 bit deep, 0xRRGGBB
	depth  map[render.Pictformat]byte
}

func (d *Driver) findFormats() error {
	r, err := render.QueryPictFormats(d.conn.Conn).Reply()
	if err != nil {
		return err
	}
	f := formats{visual: map[xproto.Visualid]render.Pictformat{}, depth: map[render.Pictformat]byte{}}
	for _, p := range r.Formats {
		f.depth[p.Id] = p.Depth
		g := p.Direct
		if p.Type == render.PictTypeDirect && p.Depth == 24 && g.AlphaMask == 0 &&
			g.RedShift == 16 && g.GreenShift == 8 && g.BlueShift == 0 && g.RedMask == 255 && g.GreenMask == 255 && g.BlueMask == 255 {
			f.rgb = p.Id
		}
	}
	for _, s := range r.Screens {
		for _, dep := range s.Depths {
			for _, v := range dep.Visuals {
				f.visual[v.Visual] = v.Format
			}
		}
	}
	if f.rgb == 0 {
		return lacking("no 24 bit colours", nil)
	}
	for _, p := range d.conn.Setup.PixmapFormats {
		if p.Depth == 24 && p.BitsPerPixel == 32 {
			d.formats = f
			return nil
		}
	}
	return lacking("24 bit colours are not kept in 32 bits", nil)
}
