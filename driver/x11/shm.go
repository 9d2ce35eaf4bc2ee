//go:build linux

package x11

import (
	"fmt"
	"image"

	"github.com/jezek/xgb/shm"
	"github.com/jezek/xgb/xproto"
	"golang.org/x/sys/unix"
)

// segment is memory that the server writes pictures into. It is marked for removal as soon as both sides hold
// it, so a crash leaves nothing behind. Where the server is on another computer, or may not, the picture comes
// through the connection instead.
type segment struct {
	id     shm.Seg
	mem    []byte
	denied bool
	socket []byte // used instead
}

// room makes the segment hold n bytes and says whether there is one.
func (s *segment) room(d *Driver, n int) bool {
	if len(s.mem) >= n {
		return true
	}
	if s.denied || !d.conn.Has("MIT-SHM") {
		return false
	}
	if err := s.free(d); err != nil {
		d.log.Debug("x11: shared memory", "error", err)
	}
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, n, unix.IPC_CREAT|0o600)
	if err != nil {
		s.denied = true
		return false
	}
	mem, err := unix.SysvShmAttach(id, 0, 0)
	if err == nil {
		err = shm.AttachChecked(d.conn.Conn, s.id, uint32(id), false).Check()
	}
	_, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	if err != nil {
		if mem != nil {
			_ = unix.SysvShmDetach(mem)
		}
		d.log.Debug("x11: no shared memory with the server", "error", err)
		s.denied = true
		return false
	}
	s.mem = mem
	return true
}

// free blanks the memory and lets go of it on both sides.
func (s *segment) free(d *Driver) error {
	clear(s.socket[:cap(s.socket)])
	s.socket = nil
	if s.mem == nil {
		return nil
	}
	shm.Detach(d.conn.Conn, s.id)
	clear(s.mem)
	err := unix.SysvShmDetach(s.mem)
	s.mem = nil
	if err != nil {
		return fmt.Errorf("let go of shared memory: %w", err)
	}
	return nil
}

// pixels is a picture under way.
type pixels struct {
	wait func() ([]byte, error)
}

// bandBytes bounds one answer of the server when pictures come through the connection.
const bandBytes = 1 << 20

// read asks for the top left size of the canvas: rows of size.X times four bytes, blue first.
func (c *canvas) read(d *Driver, size image.Point) pixels {
	x, n := d.conn.Conn, 4*size.X*size.Y
	if c.shm.room(d, n) {
		cookie := shm.GetImage(x, xproto.Drawable(c.pixmap), 0, 0, uint16(size.X), uint16(size.Y), ^uint32(0),
			xproto.ImageFormatZPixmap, c.shm.id, 0)
		return pixels{func() ([]byte, error) {
			_, err := cookie.Reply()
			return c.shm.mem[:n], err
		}}
	}
	rows := max(1, bandBytes/(4*size.X))
	var bands []xproto.GetImageCookie
	for y := 0; y < size.Y; y += rows {
		bands = append(bands, xproto.GetImage(x, xproto.ImageFormatZPixmap, xproto.Drawable(c.pixmap), 0, int16(y),
			uint16(size.X), uint16(min(rows, size.Y-y)), ^uint32(0)))
	}
	return pixels{func() ([]byte, error) {
		if cap(c.shm.socket) < n {
			c.shm.socket = make([]byte, n)
		}
		buf, at := c.shm.socket[:n], 0
		for _, b := range bands {
			r, err := b.Reply()
			if err != nil {
				return nil, err
			}
			at += copy(buf[at:], r.Data)
		}
		if at != n {
			return nil, fmt.Errorf("the server sent %d bytes of %d", at, n)
		}
		return buf, nil
	}}
}
