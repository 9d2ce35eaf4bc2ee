package xraw

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ErrNoDisplay says that no X display is named at all.
var ErrNoDisplay = errors.New("no X display is named: DISPLAY is not set")

// address is a parsed DISPLAY: host:number.screen, /path/to/socket:number, or unix:number.
type address struct {
	network, host string // network is "unix" or "tcp"
	socket        string // for "unix"
	number        int
	screen        int
	text          string
}

func (a address) String() string { return a.text }

// maxDisplay keeps a display's number within what a TCP port can carry (6000 + number).
const maxDisplay = 65535 - 6000

func parseDisplay(s string) (address, error) {
	if s == "" {
		return address{}, ErrNoDisplay
	}
	bad := func() (address, error) {
		return address{}, fmt.Errorf("DISPLAY is %q, which does not name an X display; one looks like “:0”", s)
	}
	colon := strings.LastIndexByte(s, ':')
	if colon < 0 {
		return bad()
	}
	a := address{text: s}
	host, rest := s[:colon], s[colon+1:]
	num, scr, hasScreen := strings.Cut(rest, ".")
	var err error
	if a.number, err = strconv.Atoi(num); err != nil || a.number < 0 || a.number > maxDisplay {
		return bad()
	}
	if hasScreen {
		if a.screen, err = strconv.Atoi(scr); err != nil || a.screen < 0 || a.screen > 255 {
			return bad()
		}
	}
	switch {
	case strings.HasPrefix(host, "/"): // launchd's way: the path ends in the display itself
		a.network, a.socket = "unix", host+":"+num
	case host == "" || host == "unix" || strings.HasPrefix(host, "unix/"):
		a.network, a.socket = "unix", "/tmp/.X11-unix/X"+strconv.Itoa(a.number)
	default:
		a.network = "tcp"
		a.host = strings.Trim(strings.TrimPrefix(host, "tcp/"), "[]")
		if a.host == "" {
			return bad()
		}
	}
	return a, nil
}

func (a address) dial(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	if a.network == "tcp" {
		c, err := d.DialContext(ctx, "tcp", net.JoinHostPort(a.host, strconv.Itoa(6000+a.number)))
		if err != nil {
			return nil, fmt.Errorf("connect to X display %s: %w", a, err)
		}
		return c, nil
	}
	c, err := d.DialContext(ctx, "unix", a.socket)
	if err == nil {
		return c, nil
	}
	// The server listens on Linux's abstract name too, which is there when /tmp is not shared.
	if c, again := d.DialContext(ctx, "unix", "@"+a.socket); again == nil {
		return c, nil
	}
	return nil, fmt.Errorf("connect to X display %s: %w", a, err)
}

// shake does the connection set-up. The connection speaks little-endian, whatever the machine.
func shake(w io.Writer, r io.Reader, a address, cookie []byte) (Setup, error) {
	if _, err := w.Write(greeting(cookie)); err != nil {
		return Setup{}, err
	}
	head := make([]byte, 8)
	if _, err := io.ReadFull(r, head); err != nil {
		return Setup{}, err
	}
	body := make([]byte, 4*int(binary.LittleEndian.Uint16(head[6:])))
	if _, err := io.ReadFull(r, body); err != nil {
		return Setup{}, err
	}
	if head[0] != 1 {
		reason := body[:min(int(head[1]), len(body))]
		return Setup{}, fmt.Errorf("the X server refused: %s", strings.TrimSpace(string(reason)))
	}
	return parseSetup(body, a.screen)
}

var errShortSetup = errors.New("the X server's greeting is cut short")

// greeting is the first thing a client sends: byte order, version 11.0, and the cookie if there is one.
func greeting(cookie []byte) []byte {
	name := ""
	if cookie != nil {
		name = cookieName
	}
	req := make([]byte, 12, 64)
	req[0] = 'l'
	binary.LittleEndian.PutUint16(req[2:], 11)
	binary.LittleEndian.PutUint16(req[6:], uint16(len(name)))
	binary.LittleEndian.PutUint16(req[8:], uint16(len(cookie)))
	return pad4(append(pad4(append(req, name...)), cookie...))
}

// parseSetup reads what follows the first eight bytes of the server's greeting.
func parseSetup(b []byte, screen int) (Setup, error) {
	if len(b) < 32 {
		return Setup{}, errShortSetup
	}
	s := Setup{
		IDBase:     binary.LittleEndian.Uint32(b[4:]),
		IDMask:     binary.LittleEndian.Uint32(b[8:]),
		MaxRequest: 4 * int(binary.LittleEndian.Uint16(b[18:])),
		MinKeycode: b[26],
		MaxKeycode: b[27],
	}
	vendor, roots, formats := int(binary.LittleEndian.Uint16(b[16:])), int(b[20]), int(b[21])
	if screen >= roots {
		return Setup{}, fmt.Errorf("the X server has %d screens, and number %d is asked for", roots, screen)
	}
	at := 32 + (vendor+3)&^3 + 8*formats
	for i := 0; ; i++ {
		if at+40 > len(b) {
			return Setup{}, errShortSetup
		}
		if i == screen {
			s.Root = binary.LittleEndian.Uint32(b[at:])
			return s, nil
		}
		depths := int(b[at+39])
		at += 40
		for range depths {
			if at+8 > len(b) {
				return Setup{}, errShortSetup
			}
			at += 8 + 24*int(binary.LittleEndian.Uint16(b[at+2:]))
		}
	}
}

func pad4(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

const cookieName = "MIT-MAGIC-COOKIE-1"

// cookieFor returns the display's cookie, or nil where none is known: many servers let their own user in
// without one, so a missing file is not an error, and a refusal comes from the server in its own words.
func cookieFor(a address, getenv func(string) string) []byte {
	path := getenv("XAUTHORITY")
	if path == "" {
		home := getenv("HOME")
		if home == "" {
			return nil
		}
		path = filepath.Join(home, ".Xauthority")
	}
	b, err := os.ReadFile(path) // #nosec G304 -- the person's own setting
	if err != nil {
		return nil
	}
	name := a.host
	if a.network == "unix" || name == "localhost" {
		name, _ = os.Hostname()
	}
	return findCookie(b, name, strconv.Itoa(a.number))
}

// Families of an Xauthority entry (Xauth.h).
const (
	familyIP4   = 0
	familyIP6   = 6
	familyLocal = 256
	familyWild  = 65535
)

// findCookie returns the first cookie in an Xauthority file that is meant for this host and display.
func findCookie(b []byte, host, number string) []byte {
	field := func() ([]byte, bool) {
		if len(b) < 2 {
			return nil, false
		}
		n := int(binary.BigEndian.Uint16(b))
		if len(b) < 2+n {
			return nil, false
		}
		f := b[2 : 2+n]
		b = b[2+n:]
		return f, true
	}
	for len(b) >= 2 {
		family := binary.BigEndian.Uint16(b)
		b = b[2:]
		var f [4][]byte // address, display number, name, data
		for i := range f {
			var ok bool
			if f[i], ok = field(); !ok {
				return nil
			}
		}
		if string(f[2]) != cookieName || len(f[3]) != 16 || (len(f[1]) > 0 && string(f[1]) != number) {
			continue
		}
		if family == familyWild || sameHost(family, f[0], host) {
			return f[3]
		}
	}
	return nil
}

func sameHost(family uint16, addr []byte, host string) bool {
	switch family {
	case familyLocal:
		return string(addr) == host
	case familyIP4, familyIP6:
		ip := net.ParseIP(host)
		return ip != nil && ip.Equal(net.IP(addr))
	}
	return false
}
