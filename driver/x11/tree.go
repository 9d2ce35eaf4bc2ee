//go:build linux

package x11

import (
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"strconv"
	"strings"

	"conch/driver"

	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/xproto"
)

// top is one mapped top-level window that can be drawn: a child of the root, so with a window manager a frame.
type top struct {
	id       xproto.Window
	rect     image.Rectangle // on the root, border included
	border   int
	depth    byte
	visual   xproto.Visualid
	override bool
	pid      uint32 // of who made this window: for a frame, the window manager
	own      bool

	client   xproto.Window // the app's own window: in a frame, or the top itself
	clientAt image.Point   // where its inside begins on the root; only known with a compositor
	opacity  uint32        // as a compositor shows it; all ones is opaque
	shape    region        // its outline on the root; nil is the whole rect
	framed   bool          // shape is only the frame of an outline with too many pieces
	hits     region        // where it takes clicks: outline and input shape
	solid    region        // where nothing below shines through
	visible  region        // hits that no solid window above covers
	win      driver.Window
}

// outline is where it has pixels.
func (t *top) outline() region {
	if t.shape != nil {
		return t.shape
	}
	return region{t.rect}
}

// tree is all top-level windows at one moment, bottom to top, ours among them.
type tree struct {
	root       image.Rectangle
	tops       []*top
	compositor bool
	focus      xproto.Window // where keys go, as the server says
	clients    []uint32      // the apps' windows, as the window manager lists them
	active     xproto.Window // the window manager's word for it
	wallpaper  xproto.Pixmap // the root's picture, where some program left one; 0 none
}

// readTops lists the mapped top-level windows with what takes two round trips to know.
func (d *Driver) readTops() (*tree, error) {
	x, root := d.conn.Conn, d.conn.Screen.Root
	kids := xproto.QueryTree(x, root)
	size := xproto.GetGeometry(x, xproto.Drawable(root))
	focus := xproto.GetInputFocus(x)
	owner := xproto.GetSelectionOwner(x, d.atoms.compositor)
	active, clients := d.askProp(root, d.atoms.active, 1), d.askProp(root, d.atoms.clients, maxClients)
	paper, eset := d.askProp(root, d.atoms.rootPixmap, 1), d.askProp(root, d.atoms.esetroot, 1)
	q, err := kids.Reply()
	if err != nil {
		return nil, fmt.Errorf("list the windows: %w", err)
	}
	g, err := size.Reply()
	if err != nil {
		return nil, fmt.Errorf("read the screen's size: %w", err)
	}
	t := &tree{root: rectOf(g)}
	if f, err := focus.Reply(); err == nil {
		t.focus = f.Focus
	}
	if o, err := owner.Reply(); err == nil {
		t.compositor = o.Owner != xproto.WindowNone
	}
	t.active, t.clients = active.window(), clients.card32()
	if t.wallpaper = xproto.Pixmap(paper.window()); t.wallpaper == 0 {
		t.wallpaper = xproto.Pixmap(eset.window())
	}
	t.tops, err = d.readMapped(q.Children)
	return t, err
}

// readMapped keeps those of ids that are mapped and have pixels. An InputOnly window has none: a person can't
// see it, and it hides nothing.
func (d *Driver) readMapped(ids []xproto.Window) ([]*top, error) {
	x := d.conn.Conn
	attrs := make([]xproto.GetWindowAttributesCookie, len(ids))
	sizes := make([]xproto.GetGeometryCookie, len(ids))
	for i, id := range ids {
		attrs[i] = xproto.GetWindowAttributes(x, id)
		sizes[i] = xproto.GetGeometry(x, xproto.Drawable(id))
	}
	var tops []*top
	for i, id := range ids {
		a, err := attrs[i].Reply()
		g, gerr := sizes[i].Reply()
		if err := errors.Join(err, gerr); errors.Is(err, io.EOF) {
			return nil, err
		} else if err != nil || a.MapState != xproto.MapStateViewable || a.Class == xproto.WindowClassInputOnly {
			continue
		}
		tops = append(tops, &top{
			id: id, rect: rectOf(g), border: int(g.BorderWidth), depth: g.Depth, visual: a.Visual,
			override: a.OverrideRedirect, client: id, opacity: opaque32,
		})
	}
	mapped := make([]xproto.Window, len(tops))
	for i, t := range tops {
		mapped[i] = t.id
	}
	pids, err := d.pids(mapped)
	if err != nil {
		return nil, err
	}
	for i, t := range tops {
		t.pid = pids[i]
		t.own = t.id == d.canvas.back || (d.own == nil && t.pid == d.self)
	}
	return tops, nil
}

// maxClients bounds the window manager's list.
const maxClients = 1024

const opaque32 = 0xffffffff

// pids asks which process made each window, in one round trip. The server has it from the socket itself
// (SO_PEERCRED), so no program can claim another's; 0 is unknown, as for one on another computer.
func (d *Driver) pids(ids []xproto.Window) ([]uint32, error) {
	out := make([]uint32, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	specs := make([]res.ClientIdSpec, len(ids))
	for i, id := range ids {
		specs[i] = res.ClientIdSpec{Client: uint32(id), Mask: res.ClientIdMaskLocalClientPID}
	}
	r, err := res.QueryClientIds(d.conn.Conn, uint32(len(specs)), specs).Reply()
	if err != nil {
		return nil, fmt.Errorf("ask whose the windows are: %w", err)
	}
	// An answer names the client, which is the id without the client's own bits, and comes once for each.
	mask := ^d.conn.Setup.ResourceIdMask
	of := map[uint32]uint32{}
	for _, v := range r.Ids {
		if v.Spec.Mask&res.ClientIdMaskLocalClientPID != 0 && len(v.Value) > 0 {
			of[v.Spec.Client&mask] = v.Value[0]
		}
	}
	for i, id := range ids {
		out[i] = of[uint32(id)&mask]
	}
	return out, nil
}

// exeOf is the program that a process runs, or "" where we may not know.
func exeOf(pid uint32) string {
	if pid == 0 {
		return ""
	}
	p, err := os.Readlink("/proc/" + strconv.FormatUint(uint64(pid), 10) + "/exe")
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(p, " (deleted)") // replaced by an update while it runs
}
