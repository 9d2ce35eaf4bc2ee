package mac

import (
	"encoding/binary"
	"math"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"conch/driver"
)

func packed(kind, id uint32, x, y float64) (b [recordSize]byte) {
	binary.LittleEndian.PutUint32(b[:], kind)
	binary.LittleEndian.PutUint32(b[4:], id)
	binary.LittleEndian.PutUint64(b[8:], math.Float64bits(x))
	binary.LittleEndian.PutUint64(b[16:], math.Float64bits(y))
	return b
}

func TestEar(t *testing.T) {
	now := time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC)
	var e ear
	for i, c := range []struct {
		kind, id uint32
		x, y     float64
		ok       bool
		deed     driver.Deed
		move     float64
	}{
		{toldChord, 1, 0, 0, false, 0, 0},
		{toldPerson, uint32(driver.DeedMove), 10, 10, true, driver.DeedMove, 0}, // from where is not known yet
		{toldPerson, uint32(driver.DeedMove), 13, 14, true, driver.DeedMove, 5},
		{toldPerson, uint32(driver.DeedKey), 13, 14, true, driver.DeedKey, 0},
		{toldPerson, uint32(driver.DeedButton), 16, 18, true, driver.DeedButton, 0},
		{toldPerson, uint32(driver.DeedMove), 16, 18, true, driver.DeedMove, 5},
		{toldPerson, 0, 0, 0, false, 0, 0},
		{toldPerson, 5, 0, 0, false, 0, 0},
	} {
		got, ok := e.hear(parseRecord(packed(c.kind, c.id, c.x, c.y)), now)
		if ok != c.ok || got.Deed != c.deed || got.Move != c.move || ok && !got.At.Equal(now) {
			t.Errorf("record %d: %+v, %v", i, got, ok)
		}
	}
}

// FuzzEar: whatever bytes come, what is heard is a deed that there is and a distance that is a number.
func FuzzEar(f *testing.F) {
	for _, b := range [][recordSize]byte{
		packed(toldPerson, 1, 3, 4), packed(toldPerson, 1, math.NaN(), 4), packed(toldPerson, 4, math.Inf(1), math.Inf(-1)),
		packed(toldPerson, 1, -math.MaxFloat64, math.MaxFloat64), packed(99, 99, 0, 0),
	} {
		f.Add(b[:], b[:])
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var e ear
		for _, raw := range [][]byte{first, second} {
			var b [recordSize]byte
			copy(b[:], raw)
			got, ok := e.hear(parseRecord(b), time.Time{})
			if ok && (got.Deed < driver.DeedMove || got.Deed > driver.DeedKey || math.IsNaN(got.Move) || got.Move < 0) {
				t.Errorf("%x is heard as %+v", raw, got)
			}
		}
	})
}

// TestNumbersAreTheHeaders compares the numbers here with those that C has.
func TestNumbersAreTheHeaders(t *testing.T) {
	header, err := os.ReadFile("stopkeys_darwin.h")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{
		"CN_HOTKEY": toldHotKey, "CN_CHORD": toldChord, "CN_PERSON": toldPerson, "CN_TAPLOST": toldTapLost,
		"CN_BUTTON": toldButton, "CN_SCREENS": toldScreens, "CN_MOTION": toldMotion,
		"CN_DEED_MOVE": int(driver.DeedMove), "CN_DEED_BUTTON": int(driver.DeedButton),
		"CN_DEED_SCROLL": int(driver.DeedScroll), "CN_DEED_KEY": int(driver.DeedKey),
	} {
		m := regexp.MustCompile(name + ` = (\d+)`).FindSubmatch(header)
		if m == nil {
			t.Errorf("the header has no %s", name)
			continue
		}
		if got, _ := strconv.Atoi(string(m[1])); got != want {
			t.Errorf("%s is %d in the header and %d here", name, got, want)
		}
	}
	if m := regexp.MustCompile(`CN_MAXCHORDS = (\d+)`).FindSubmatch(header); m == nil {
		t.Error("the header has no CN_MAXCHORDS")
	} else if most, _ := strconv.Atoi(string(m[1])); len(chords) > most {
		t.Errorf("%d chords, and C has room for %d", len(chords), most)
	}
}
