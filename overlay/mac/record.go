package mac

import (
	"encoding/binary"
	"math"
	"time"

	"conch/driver"
)

// recordSize is the size of one record in the pipe (cn_event), whose numbers are little-endian on every Mac.
const recordSize = 24

// What a record tells; the same numbers as in stopkeys_darwin.h.
const (
	toldHotKey  = 1
	toldChord   = 2
	toldPerson  = 3
	toldTapLost = 4
	toldButton  = 5
	toldScreens = 6
	toldMotion  = 7
)

// record is one of the pipe's.
type record struct {
	kind, id uint32
	at       driver.ScreenPoint
}

func parseRecord(b [recordSize]byte) record {
	le := binary.LittleEndian
	return record{
		le.Uint32(b[:]), le.Uint32(b[4:]),
		driver.ScreenPoint{X: math.Float64frombits(le.Uint64(b[8:])), Y: math.Float64frombits(le.Uint64(b[16:]))},
	}
}

// ear makes what a person does out of records: they carry where the pointer is, not how far it went.
type ear struct{ stride driver.Stride }

// hear returns what a person did; ok is false for a record that tells nothing of the kind.
func (e *ear) hear(r record, now time.Time) (did driver.PersonEvent, ok bool) {
	deed := driver.Deed(r.id)
	if r.kind != toldPerson || deed < driver.DeedMove || deed > driver.DeedKey {
		return driver.PersonEvent{}, false
	}
	did = driver.PersonEvent{Deed: deed, At: now}
	if deed == driver.DeedMove {
		did.Move = e.stride.To(r.at, now)
	}
	return did, true
}
