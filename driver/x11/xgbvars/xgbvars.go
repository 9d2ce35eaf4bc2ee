//go:build linux

package xgbvars

import (
	"fmt"
	"log"
	"log/slog"
	"strings"
	"sync"

	"github.com/jezek/xgb"
)

// Set sets them. Whoever opens a connection with xgb calls it first; calling it again is free.
var Set = sync.OnceFunc(func() {
	xgb.Logger = log.New(debugLog{}, "", 0)
	for n := firstExtensionEvent; n <= 127; n++ {
		xgb.NewEventFuncs[n] = func(b []byte) xgb.Event { return Raw(b) }
	}
	for n := firstExtensionError; n <= 255; n++ {
		xgb.NewErrorFuncs[n] = func(b []byte) xgb.Error { return Error(b) }
	}
})

// Numbers that the protocol sets aside for extensions.
const (
	firstExtensionEvent = 64
	firstExtensionError = 128
)

// Raw is an extension's event as it came.
type Raw []byte

// Bytes are all of it.
func (r Raw) Bytes() []byte  { return r }
func (r Raw) String() string { return fmt.Sprintf("event %d", r[0]&0x7f) }

// Error is an extension's error as it came.
type Error []byte

// SequenceId is the number of the request.
func (e Error) SequenceId() uint16 { return xgb.Get16(e[2:]) } //nolint:revive // xgb's name

// BadId is the resource that the error is about.
func (e Error) BadId() uint32 { return xgb.Get32(e[4:]) } //nolint:revive // xgb's name

func (e Error) Error() string {
	return fmt.Sprintf("X error %d on request %d.%d (0x%x)", e[1], e[10], xgb.Get16(e[8:]), e.BadId())
}

// debugLog is xgb's log as ours. It may hold what a program wrote, so it is for debugging only.
type debugLog struct{}

func (debugLog) Write(b []byte) (int, error) {
	slog.Debug("x11", "xgb", strings.TrimSpace(string(b)))
	return len(b), nil
}
