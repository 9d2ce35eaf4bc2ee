package raster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/jpeg"
	"runtime"
	"sync"
)

// JPEG markers (ITU-T T.81, table B.1) and the edge of an image/jpeg MCU, which subsamples 4:2:0.
const (
	markSOF0 = 0xc0
	markRST0 = 0xd0
	markEOI  = 0xd9
	markSOS  = 0xda
	markDRI  = 0xdd
	mcu      = 16
	// stripMCUs is the least that is worth a strip of its own.
	stripMCUs = 512
)

// encodeJPEG is jpeg.Encode on all processors. The image is cut into strips of whole MCU rows that are encoded
// side by side; image/jpeg's tables are fixed for a quality, so the strips make one JPEG with restart markers
// between them (ITU-T T.81, section E.1.4). It decodes to the very pixels of jpeg.Encode.
func encodeJPEG(out *bytes.Buffer, img *image.RGBA, quality int) error {
	opt := &jpeg.Options{Quality: quality}
	across, down := (img.Rect.Dx()+mcu-1)/mcu, (img.Rect.Dy()+mcu-1)/mcu
	parts := min(runtime.GOMAXPROCS(0), across*down/stripMCUs, down)
	if parts < 2 {
		return jpeg.Encode(out, img, opt)
	}
	rows := (down + parts - 1) / parts
	interval := rows * across
	if interval > 0xffff {
		return jpeg.Encode(out, img, opt)
	}
	strips := make([]*bytes.Buffer, (down+rows-1)/rows)
	errs := make([]error, len(strips))
	var wg sync.WaitGroup
	for i := range strips {
		strips[i] = newBuffer()
		defer freeBuffer(strips[i])
		r := img.Rect
		r.Min.Y += i * rows * mcu
		r.Max.Y = min(r.Max.Y, r.Min.Y+rows*mcu)
		wg.Go(func() { errs[i] = jpeg.Encode(strips[i], img.SubImage(r), opt) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return joinStrips(out, strips, img.Rect.Dy(), interval)
}

// joinStrips writes the first strip's header with the whole height and the restart interval, then the coded
// data of all.
func joinStrips(out *bytes.Buffer, strips []*bytes.Buffer, height, interval int) error {
	for i, s := range strips {
		b := s.Bytes()
		sof, sos, data, err := findScan(b)
		if err != nil {
			return err
		}
		if i == 0 {
			at := out.Len()
			out.Write(b[:sos])
			// Frame header: marker, length, precision, then the number of lines (section B.2.2).
			binary.BigEndian.PutUint16(out.Bytes()[at+sof+5:], uint16(height))
			out.Write([]byte{0xff, markDRI, 0, 4, byte(interval >> 8), byte(interval)})
			out.Write(b[sos:data])
		} else {
			out.Write([]byte{0xff, markRST0 + byte((i-1)%8)})
		}
		out.Write(b[data : len(b)-2])
	}
	out.Write([]byte{0xff, markEOI})
	return nil
}

// findScan returns where a baseline JPEG of one scan has its frame header, its scan header and its coded data.
func findScan(b []byte) (sof, sos, data int, err error) {
	for at := 2; at+4 <= len(b) && b[at] == 0xff; {
		next := at + 2 + int(binary.BigEndian.Uint16(b[at+2:]))
		switch b[at+1] {
		case markSOF0:
			sof = at
		case markSOS:
			if sof == 0 || next+2 > len(b) || b[len(b)-1] != markEOI {
				return 0, 0, 0, errors.New("image/jpeg wrote a JPEG of another shape")
			}
			return sof, at, next, nil
		}
		at = next
	}
	return 0, 0, 0, errors.New("image/jpeg wrote a JPEG without a scan")
}
