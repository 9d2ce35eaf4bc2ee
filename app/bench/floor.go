//go:build linux

package main

import (
	"encoding/base64"
	"fmt"

	"conch/driver/raster"
	"conch/gateway/computer"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/shm"
	"github.com/jezek/xgb/xproto"
	"golang.org/x/sys/unix"
)

// floor is the least that a picture can cost here: one read of the root window into shared memory, scaled and
// encoded, with no thought about windows, pointer or what is kept away.
type floor struct {
	conn *xgb.Conn
	root xproto.Drawable
	seg  shm.Seg
	mem  []byte
	w, h int
}

func newFloor(display string, w, h int) (*floor, error) {
	conn, err := xgb.NewConnDisplay(display)
	if err != nil {
		return nil, err
	}
	f := &floor{conn: conn, root: xproto.Drawable(xproto.Setup(conn).DefaultScreen(conn).Root), w: w, h: h}
	if err := f.attach(); err != nil {
		conn.Close()
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	return f, nil
}

func (f *floor) attach() error {
	if err := shm.Init(f.conn); err != nil {
		return err
	}
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, f.w*f.h*4, unix.IPC_CREAT|0o600)
	if err != nil {
		return err
	}
	defer func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) }()
	if f.mem, err = unix.SysvShmAttach(id, 0, 0); err != nil {
		return err
	}
	if f.seg, err = shm.NewSegId(f.conn); err != nil {
		return err
	}
	return shm.AttachChecked(f.conn, f.seg, uint32(id), false).Check()
}

func (f *floor) picture() (int, error) {
	const allPlanes, zPixmap = 0xffffffff, xproto.ImageFormatZPixmap
	if _, err := shm.GetImage(f.conn, f.root, 0, 0, uint16(f.w), uint16(f.h), allPlanes, zPixmap, f.seg, 0).Reply(); err != nil {
		return 0, err
	}
	img := raster.New(raster.Fit(f.w, f.h, computer.MaxEdge, computer.MaxEdge, computer.MaxArea))
	raster.ScaleBGRX(img, f.mem, f.w*4, f.w, f.h)
	_, data, err := raster.Encode(img)
	raster.Free(img)
	if err != nil {
		return 0, err
	}
	_ = base64.StdEncoding.EncodeToString(data)
	return len(data), nil
}

func (f *floor) close() {
	_ = unix.SysvShmDetach(f.mem)
	f.conn.Close()
}
