package xraw

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
)

// Classes of a device's state (XI.h).
const (
	classKeys    = 0
	classButtons = 1
)

var errShortState = errors.New("the state of an input device is cut short")

// Down lists the key codes and buttons that are down on one device, whoever pressed them.
func (x *XI) Down(ctx context.Context, device uint16) (keys, buttons []byte, err error) {
	r, err := x.c.Request(ctx, []byte{x.major, 30, 0, 0, byte(device), 0, 0, 0})
	if err != nil {
		return nil, nil, fmt.Errorf("ask what is down on an input device: %w", err)
	}
	return parseDown(r)
}

// parseDown reads the answer: 32 bytes with the number of classes, then each with its kind and its length.
func parseDown(r []byte) (keys, buttons []byte, err error) {
	if len(r) < 32 || uint64(len(r)) < 32+4*uint64(binary.LittleEndian.Uint32(r[4:])) {
		return nil, nil, errShortState
	}
	rest := r[32:]
	for range int(r[8]) {
		if len(rest) < 2 || int(rest[1]) < 2 || int(rest[1]) > len(rest) {
			return nil, nil, errShortState
		}
		one := rest[:rest[1]]
		rest = rest[rest[1]:]
		if one[0] != classKeys && one[0] != classButtons {
			continue
		}
		if len(one) < 36 {
			return nil, nil, errShortState
		}
		down := set(one[4:36])
		if one[0] == classKeys {
			keys = down
		} else {
			buttons = down
		}
	}
	return keys, buttons, nil
}

// set lists the bits that are set.
func set(bits []byte) (out []byte) {
	for i, b := range bits {
		for bit := range 8 {
			if b&(1<<bit) != 0 {
				out = append(out, byte(8*i+bit))
			}
		}
	}
	return out
}
