//go:build linux

package xserver

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"time"

	"conch/driver/x11/xgbvars"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// startDesktop paints the root and starts window manager and compositor, waiting for each to announce itself.
func (s *Server) startDesktop(ctx context.Context) error {
	if s.opts.WindowManager == "" && !s.opts.Compositor && s.opts.Background == 0 {
		return nil
	}
	conn, err := s.connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	root := xproto.Setup(conn).DefaultScreen(conn).Root
	xproto.ChangeWindowAttributes(conn, root, xproto.CwBackPixel, []uint32{s.opts.Background})
	xproto.ClearArea(conn, false, root, 0, 0, 0, 0)
	if wm := s.opts.WindowManager; wm != "" {
		if err := Have(wm); err != nil {
			return err
		}
		if _, err := s.Run(wm); err != nil {
			return err
		}
		if err := await(ctx, func() bool { return windowManagerIn(conn, root) }); err != nil {
			return fmt.Errorf("%s did not come up: %w", wm, err)
		}
	}
	if s.opts.Compositor {
		return s.StartCompositor(ctx)
	}
	return nil
}

// StartCompositor starts picom and waits until it owns the screen. The process id ends it again.
func (s *Server) StartCompositor(ctx context.Context) error {
	if err := Have("picom"); err != nil {
		return err
	}
	conn, err := s.connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := s.Run("picom", "--backend", "xrender", "--config", "/dev/null"); err != nil {
		return err
	}
	owned := func() bool {
		atom, err := xproto.InternAtom(conn, false, 13, "_NET_WM_CM_S0").Reply()
		if err != nil {
			return false
		}
		owner, err := xproto.GetSelectionOwner(conn, atom.Atom).Reply()
		return err == nil && owner.Owner != 0
	}
	if err := await(ctx, owned); err != nil {
		return fmt.Errorf("picom did not come up: %w", err)
	}
	return nil
}

func windowManagerIn(conn *xgb.Conn, root xproto.Window) bool {
	const name = "_NET_SUPPORTING_WM_CHECK"
	atom, err := xproto.InternAtom(conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		return false
	}
	p, err := xproto.GetProperty(conn, false, root, atom.Atom, xproto.AtomWindow, 0, 1).Reply()
	return err == nil && p.ValueLen == 1
}

func (s *Server) connect() (*xgb.Conn, error) {
	xgbvars.Set()
	if s.opts.Auth {
		// xgb reads the authority from this process's environment only.
		old, had := os.LookupEnv("XAUTHORITY")
		_ = os.Setenv("XAUTHORITY", s.Authority())
		defer func() {
			if had {
				_ = os.Setenv("XAUTHORITY", old)
			} else {
				_ = os.Unsetenv("XAUTHORITY")
			}
		}()
	}
	conn, err := xgb.NewConnDisplay(s.display)
	if err != nil {
		return nil, fmt.Errorf("connect to the private screen: %w", err)
	}
	return conn, nil
}

// await asks again every few milliseconds until is says yes or ctx ends.
func await(ctx context.Context, is func() bool) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}

// writeAuthority writes one MIT-MAGIC-COOKIE-1 entry for this host (Xau file format, Xau(3)).
func writeAuthority(path, display string, cookie []byte) error {
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("name this computer for the private screen: %w", err)
	}
	const familyLocal = 256
	b := binary.BigEndian.AppendUint16(nil, familyLocal)
	for _, f := range []string{host, display, "MIT-MAGIC-COOKIE-1", string(cookie)} {
		b = binary.BigEndian.AppendUint16(b, uint16(len(f)))
		b = append(b, f...)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		return fmt.Errorf("write the private screen's authority: %w", err)
	}
	return nil
}
