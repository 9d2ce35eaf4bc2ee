package raster

import (
	"encoding/binary"
	"fmt"
	"image"
	"math/bits"
	"runtime"
	"sync"
)

var le = binary.LittleEndian

// ScaleBGRX box-scales an X server's picture into dst and turns it into opaque RGBA on the way. A row of src
// is stride bytes and holds sw pixels of four bytes: blue, green, red, unused (24 or 32 bit deep, least byte
// first). Each pixel of dst is the mean of the area it covers; weights sum to exactly one, so a flat area
// keeps its colour. It panics when src is shorter than sh rows.
func ScaleBGRX(dst *image.RGBA, src []byte, stride, sw, sh int) {
	scale(dst, src, stride, sw, sh, 16)
}

// ScaleRGBA is ScaleBGRX for an RGBA source. The result is opaque.
func ScaleRGBA(dst, src *image.RGBA) {
	scale(dst, src.Pix, src.Stride, src.Rect.Dx(), src.Rect.Dy(), 0)
}

// parallelFrom is the number of pixels read and written from which a second goroutine pays.
const parallelFrom = 1 << 18

// scale works in two steps for each row of dst: the rows of src that it covers are mixed into one line, then
// the pixels of that line into the row. rotate is 16 to swap red and blue.
func scale(dst *image.RGBA, src []byte, stride, sw, sh, rotate int) {
	dw, dh := dst.Rect.Dx(), dst.Rect.Dy()
	if dw <= 0 || dh <= 0 {
		return
	}
	if sw <= 0 || sh <= 0 || stride < 4*sw || len(src) < stride*(sh-1)+4*sw {
		panic(fmt.Sprintf("raster: %d bytes are no picture of %d by %d with rows of %d bytes", len(src), sw, sh, stride))
	}
	cols, rows := newPlan(dw, sw), newPlan(dh, sh)
	cols.pad(sw)
	part := func(y0, y1 int) {
		buf, _ := lines.Get().(*[]byte)
		if buf == nil || cap(*buf) < 4*sw {
			b := make([]byte, 4*sw)
			buf = &b
		}
		line := (*buf)[:4*sw]
		for y := y0; y < y1; y++ {
			from := line
			if at, w := rows.tap(y); len(w) == 1 {
				from = src[at*stride:][:4*sw]
			} else {
				mixRows(line, src[at*stride:], stride, w)
			}
			mixColumns(dst.Pix[y*dst.Stride:][:4*dw], from, &cols, rotate)
		}
		clear(line)
		lines.Put(buf)
	}
	if dw*dh+sw*sh < parallelFrom || dh < 2 || runtime.GOMAXPROCS(0) < 2 {
		part(0, dh)
		return
	}
	var other sync.WaitGroup
	other.Go(func() { part(0, dh/2) })
	part(dh/2, dh)
	other.Wait()
}

var lines sync.Pool

// plan says which of n source pixels each target pixel is made of, with weights that sum to 256.
type plan struct {
	at    []int    // first source pixel of each target
	off   []int    // its weights are weights[off[i]:off[i+1]]
	w     []uint32 // 1 to 256
	width int      // taps of each target after pad, 0 before
}

func newPlan(dst, src int) plan {
	p := plan{at: make([]int, dst), off: make([]int, 1, dst+1), w: make([]uint32, 0, dst*(src/dst+2))}
	for i := range dst {
		a, b := i*src, (i+1)*src // in dst-ths of a source pixel
		before := 0
		p.at[i] = a / dst
		for k := a / dst; k*dst < b; k++ {
			upTo := ((min(b, (k+1)*dst)-a)*256 + src/2) / src
			switch w := upTo - before; {
			case w > 0:
				p.w = append(p.w, uint32(w))
			case len(p.w) == p.off[i]:
				p.at[i]++ // a share too small to count, in front
			case upTo < 256:
				p.w = append(p.w, 0) // keeps the taps side by side
			}
			before = upTo
		}
		p.off = append(p.off, len(p.w))
	}
	return p
}

func (p *plan) tap(i int) (at int, w []uint32) { return p.at[i], p.w[p.off[i]:p.off[i+1]] }

// pad gives all targets the same number of taps, so that the inner loop needs no branch.
func (p *plan) pad(src int) {
	for i := range p.at {
		p.width = max(p.width, p.off[i+1]-p.off[i])
	}
	w := make([]uint32, len(p.at)*p.width)
	for i := range p.at {
		at, taps := p.tap(i)
		first := min(at, src-p.width)
		copy(w[i*p.width+at-first:], taps)
		p.at[i] = first
	}
	p.w, p.off = w, nil
}

// Four channels are worked on at once, 16 bits each: 255 times 256, plus the half that rounds, just fits.
const (
	even = 0x00ff00ff00ff00ff
	half = 0x0080008000800080
)

// mixRows writes the weighted mean of len(w) rows of src to line.
func mixRows(line, src []byte, stride int, w []uint32) {
	n := len(line)
	switch len(w) {
	case 2:
		mix2(line, src[:n], src[stride:][:n], uint64(w[0]), uint64(w[1]))
	case 3:
		mix3(line, src[:n], src[stride:][:n], src[2*stride:][:n], uint64(w[0]), uint64(w[1]), uint64(w[2]))
	case 4:
		mix4(line, [4][]byte{src[:n], src[stride:][:n], src[2*stride:][:n], src[3*stride:][:n]}, w)
	default:
		mixMany(line, src, stride, w)
	}
}

func mix2(line, a, b []byte, wa, wb uint64) {
	i := 0
	for ; i+8 <= len(line); i += 8 {
		x, y := le.Uint64(a[i:]), le.Uint64(b[i:])
		ev := x&even*wa + y&even*wb + half
		od := x>>8&even*wa + y>>8&even*wb + half
		le.PutUint64(line[i:], ev>>8&even|od&^even)
	}
	if i < len(line) {
		x, y := uint64(le.Uint32(a[i:])), uint64(le.Uint32(b[i:]))
		ev := x&even*wa + y&even*wb + half
		od := x>>8&even*wa + y>>8&even*wb + half
		le.PutUint32(line[i:], uint32(ev>>8&even|od&^even))
	}
}

func mix3(line, a, b, c []byte, wa, wb, wc uint64) {
	i := 0
	for ; i+8 <= len(line); i += 8 {
		x, y, z := le.Uint64(a[i:]), le.Uint64(b[i:]), le.Uint64(c[i:])
		ev := x&even*wa + y&even*wb + z&even*wc + half
		od := x>>8&even*wa + y>>8&even*wb + z>>8&even*wc + half
		le.PutUint64(line[i:], ev>>8&even|od&^even)
	}
	if i < len(line) {
		x, y, z := uint64(le.Uint32(a[i:])), uint64(le.Uint32(b[i:])), uint64(le.Uint32(c[i:]))
		ev := x&even*wa + y&even*wb + z&even*wc + half
		od := x>>8&even*wa + y>>8&even*wb + z>>8&even*wc + half
		le.PutUint32(line[i:], uint32(ev>>8&even|od&^even))
	}
}

func mix4(line []byte, rows [4][]byte, w []uint32) {
	a, b, c, d := rows[0], rows[1], rows[2], rows[3]
	wa, wb, wc, wd := uint64(w[0]), uint64(w[1]), uint64(w[2]), uint64(w[3])
	i := 0
	for ; i+8 <= len(line); i += 8 {
		x, y, z, q := le.Uint64(a[i:]), le.Uint64(b[i:]), le.Uint64(c[i:]), le.Uint64(d[i:])
		ev := x&even*wa + y&even*wb + z&even*wc + q&even*wd + half
		od := x>>8&even*wa + y>>8&even*wb + z>>8&even*wc + q>>8&even*wd + half
		le.PutUint64(line[i:], ev>>8&even|od&^even)
	}
	if i < len(line) {
		x, y, z, q := uint64(le.Uint32(a[i:])), uint64(le.Uint32(b[i:])), uint64(le.Uint32(c[i:])), uint64(le.Uint32(d[i:]))
		ev := x&even*wa + y&even*wb + z&even*wc + q&even*wd + half
		od := x>>8&even*wa + y>>8&even*wb + z>>8&even*wc + q>>8&even*wd + half
		le.PutUint32(line[i:], uint32(ev>>8&even|od&^even))
	}
}

// mixMany works in strips of 64 pixels, whose sums stay in the nearest cache.
func mixMany(line, src []byte, stride int, w []uint32) {
	var ev, od [32]uint64
	for x := 0; x < len(line); x += 256 {
		n := min(256, len(line)-x)
		pairs := n / 8
		for i := range ev {
			ev[i], od[i] = half, half
		}
		for k, wk := range w {
			row, wk := src[k*stride+x:][:n], uint64(wk)
			for i := range pairs {
				v := le.Uint64(row[8*i:])
				ev[i] += v & even * wk
				od[i] += v >> 8 & even * wk
			}
			if n&7 != 0 {
				v := uint64(le.Uint32(row[8*pairs:]))
				ev[pairs] += v & even * wk
				od[pairs] += v >> 8 & even * wk
			}
		}
		for i := range pairs {
			le.PutUint64(line[x+8*i:], ev[i]>>8&even|od[i]&^even)
		}
		if n&7 != 0 {
			le.PutUint32(line[x+8*pairs:], uint32(ev[pairs]>>8&even|od[pairs]&^even))
		}
	}
}

const (
	even32 = 0x00ff00ff
	half32 = 0x00800080
	opaque = 0xff000000
)

// pixel puts the two halves of a weighted sum together.
func pixel(rb, ga uint32, rotate int) uint32 {
	return bits.RotateLeft32((rb+half32)>>8&even32, rotate) | (ga+half32)&0xff00 | opaque
}

// mixColumns writes one row of dst from a line of source pixels.
func mixColumns(row, line []byte, p *plan, rotate int) {
	switch p.width {
	case 1:
		for i, at := range p.at {
			v := le.Uint32(line[4*at:])
			le.PutUint32(row[4*i:], bits.RotateLeft32(v&even32, rotate)|v&0xff00|opaque)
		}
	case 2:
		for i, at := range p.at {
			w := p.w[2*i : 2*i+2]
			v := le.Uint64(line[4*at:])
			a, b := uint32(v), uint32(v>>32)
			le.PutUint32(row[4*i:], pixel(a&even32*w[0]+b&even32*w[1], a>>8&even32*w[0]+b>>8&even32*w[1], rotate))
		}
	case 3:
		for i, at := range p.at {
			w, s := p.w[3*i:3*i+3], line[4*at:4*at+12]
			v, c := le.Uint64(s), le.Uint32(s[8:])
			a, b := uint32(v), uint32(v>>32)
			le.PutUint32(row[4*i:], pixel(a&even32*w[0]+b&even32*w[1]+c&even32*w[2],
				a>>8&even32*w[0]+b>>8&even32*w[1]+c>>8&even32*w[2], rotate))
		}
	case 4:
		for i, at := range p.at {
			w, s := p.w[4*i:4*i+4], line[4*at:4*at+16]
			v, u := le.Uint64(s), le.Uint64(s[8:])
			a, b, c, d := uint32(v), uint32(v>>32), uint32(u), uint32(u>>32)
			le.PutUint32(row[4*i:], pixel(a&even32*w[0]+b&even32*w[1]+c&even32*w[2]+d&even32*w[3],
				a>>8&even32*w[0]+b>>8&even32*w[1]+c>>8&even32*w[2]+d>>8&even32*w[3], rotate))
		}
	default:
		for i, at := range p.at {
			var rb, ga uint32
			s := line[4*at:]
			for k, w := range p.w[p.width*i:][:p.width] {
				v := le.Uint32(s[4*k:])
				rb += v & even32 * w
				ga += v >> 8 & even32 * w
			}
			le.PutUint32(row[4*i:], pixel(rb, ga, rotate))
		}
	}
}
