package xraw

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// Extension is where an extension's requests, events and errors start.
type Extension struct{ Major, FirstEvent, FirstError byte }

// NoExtensionError says that the server lacks an extension.
type NoExtensionError struct{ Name string }

func (e *NoExtensionError) Error() string { return "the X server has no " + e.Name }

// Extension asks for an extension by its name, such as "XInputExtension" or "XKEYBOARD".
func (c *Conn) Extension(ctx context.Context, name string) (Extension, error) {
	req := make([]byte, 8, 8+len(name))
	req[0] = 98
	binary.LittleEndian.PutUint16(req[4:], uint16(len(name)))
	r, err := c.Request(ctx, append(req, name...))
	if err != nil {
		return Extension{}, fmt.Errorf("ask for %s: %w", name, err)
	}
	if r[8] == 0 {
		return Extension{}, &NoExtensionError{name}
	}
	return Extension{r[9], r[10], r[11]}, nil
}

// XIType is the type of an XInput2 event.
type XIType uint16

// XInput2 events (XI2proto).
const (
	DeviceChanged    XIType = 1
	KeyPress         XIType = 2
	KeyRelease       XIType = 3
	ButtonPress      XIType = 4
	ButtonRelease    XIType = 5
	Motion           XIType = 6
	Enter            XIType = 7
	Leave            XIType = 8
	HierarchyChanged XIType = 11
	RawKeyPress      XIType = 13
	RawKeyRelease    XIType = 14
	RawButtonPress   XIType = 15
	RawButtonRelease XIType = 16
	RawMotion        XIType = 17
)

// Devices that a selection may name besides a real one.
const (
	AllDevices       uint16 = 0
	AllMasterDevices uint16 = 1
)

// Use is what kind a device is.
type Use uint16

// Kinds of devices.
const (
	MasterPointer Use = iota + 1
	MasterKeyboard
	SlavePointer
	SlaveKeyboard
	FloatingSlave
)

// Device is one input device.
type Device struct {
	ID      uint16
	Use     Use
	Master  uint16 // the master it is attached to; of a master, its other half
	Name    string
	Enabled bool
}

// Synthetic says whether the device is the one that XTEST's made-up events come from. The server names
// it itself ("Virtual core XTEST pointer", ids 4 and 5 on every server seen).
func (d Device) Synthetic() bool {
	return strings.HasSuffix(d.Name, " XTEST pointer") || strings.HasSuffix(d.Name, " XTEST keyboard")
}

// XI is XInput2 on one connection.
type XI struct {
	c     *Conn
	major byte
}

// XI starts XInput2 on the connection. Version 2.2 at least is needed: before 2.1 raw events stayed away
// while another program held a grab.
func (c *Conn) XI(ctx context.Context) (*XI, error) {
	e, err := c.Extension(ctx, "XInputExtension")
	if err != nil {
		return nil, err
	}
	r, err := c.Request(ctx, []byte{e.Major, 47, 0, 0, 2, 0, 2, 0})
	if err != nil {
		return nil, fmt.Errorf("start XInput2: %w", err)
	}
	major, minor := binary.LittleEndian.Uint16(r[8:]), binary.LittleEndian.Uint16(r[10:])
	if major < 2 || major == 2 && minor < 2 {
		return nil, fmt.Errorf("the X server has XInput %d.%d, and 2.2 is needed", major, minor)
	}
	return &XI{c, e.Major}, nil
}

// Select asks for events of the devices on a window; none stops them. Raw events and HierarchyChanged are
// for the root window only.
func (x *XI) Select(ctx context.Context, window uint32, device uint16, events ...XIType) error {
	req := make([]byte, 20)
	req[0], req[1] = x.major, 46
	le := binary.LittleEndian
	le.PutUint32(req[4:], window)
	le.PutUint16(req[8:], 1)
	le.PutUint16(req[12:], device)
	le.PutUint16(req[14:], 1)
	for _, t := range events {
		req[16+t/8] |= 1 << (t % 8)
	}
	if err := x.c.Do(ctx, req); err != nil {
		return fmt.Errorf("select XInput2 events: %w", err)
	}
	return nil
}

// Devices lists the devices of a kind of selection (AllDevices, or one id).
func (x *XI) Devices(ctx context.Context, which uint16) ([]Device, error) {
	req := []byte{x.major, 48, 0, 0, byte(which), byte(which >> 8), 0, 0}
	r, err := x.c.Request(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("list input devices: %w", err)
	}
	return parseDevices(r[32:], int(binary.LittleEndian.Uint16(r[8:])))
}

var errShortDevices = errors.New("the list of input devices is cut short")

func parseDevices(b []byte, n int) ([]Device, error) {
	le := binary.LittleEndian
	var out []Device
	for range n {
		if len(b) < 12 {
			return nil, errShortDevices
		}
		d := Device{ID: le.Uint16(b), Use: Use(le.Uint16(b[2:])), Master: le.Uint16(b[4:]), Enabled: b[10] != 0}
		classes, name := int(le.Uint16(b[6:])), int(le.Uint16(b[8:]))
		b = b[12:]
		if padded := (name + 3) &^ 3; len(b) < padded {
			return nil, errShortDevices
		}
		d.Name = string(b[:name])
		b = b[(name+3)&^3:]
		for range classes {
			if len(b) < 4 {
				return nil, errShortDevices
			}
			size := 4 * int(le.Uint16(b[2:]))
			if size < 4 || size > len(b) {
				return nil, errShortDevices
			}
			b = b[size:]
		}
		out = append(out, d)
	}
	return out, nil
}

// Input is one XInput2 event about a key, a button or the pointer.
type Input struct {
	Type   XIType
	Device uint16 // the device it is delivered for, mostly a master
	Source uint16 // the device that really made it
	Detail uint32 // key code or button
	Time   uint32 // server time in milliseconds
	Flags  uint32 // 1<<16: a key that repeats; a pointer event made from touch
	Window uint32 // where it was delivered; 0 for a raw event
	// Where the pointer is, in pixels of the root and of Window; 0 for a raw event, which carries movement only.
	RootX, RootY, X, Y int
}

// Repeat is the flag of a key press that the server makes while the key is held.
const Repeat = 1 << 16

// Input reads an event of XInput2; ok is false for all other events.
func (x *XI) Input(e Event) (in Input, ok bool) {
	le := binary.LittleEndian
	if len(e) < 32 || e.Code() != genericEvent || e[1] != x.major {
		return Input{}, false
	}
	in = Input{Type: XIType(le.Uint16(e[8:])), Device: le.Uint16(e[10:]), Time: le.Uint32(e[12:])}
	fixed := func(at int) int { return int(int32(le.Uint32(e[at:])) >> 16) } // 16.16
	switch t := in.Type; {
	case t >= RawKeyPress && t <= RawMotion:
		in.Detail, in.Source, in.Flags = le.Uint32(e[16:]), le.Uint16(e[20:]), le.Uint32(e[24:])
		return in, true
	case t >= KeyPress && t <= Motion:
		if len(e) < 80 {
			return Input{}, false
		}
		in.Detail, in.Window = le.Uint32(e[16:]), le.Uint32(e[24:])
		in.Source, in.Flags = le.Uint16(e[52:]), le.Uint32(e[56:])
	case t == Enter || t == Leave:
		if len(e) < 48 {
			return Input{}, false
		}
		in.Source, in.Detail, in.Window = le.Uint16(e[16:]), uint32(e[19]), le.Uint32(e[24:])
	default:
		return in, t == HierarchyChanged || t == DeviceChanged
	}
	in.RootX, in.RootY, in.X, in.Y = fixed(32), fixed(36), fixed(40), fixed(44)
	return in, true
}
