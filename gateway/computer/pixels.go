package computer

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"image"
	"strconv"
	"sync"

	"conch/driver"
	"conch/driver/raster"
	"conch/gateway/computer/policy"
	"conch/gateway/tool"
)

// A picture has about a megapixel, which is what models are made for, and no edge that makes one refuse it.
const (
	MaxArea = 1366 * 769
	MaxEdge = 1568
)

var errRestless = errors.New("windows that are kept away keep moving")

// shown is a picture as it was given out.
type shown struct {
	id      string
	picture tool.Picture
}

// pixels is the one latest picture. It lives in memory until its turn ends.
type pixels struct {
	mu     sync.Mutex
	n      uint64
	frame  driver.Frame
	last   *image.RGBA
	latest *shown
	to     func(*driver.Picture) (tool.Picture, error) // how pictures are encoded
}

func (p *pixels) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last != nil {
		clear(p.last.Pix)
	}
	p.last, p.latest = nil, nil
}

// encode encodes a picture, or returns the last one again when not a pixel is different.
func (p *pixels) encode(pic *driver.Picture) (*shown, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.latest != nil && p.frame == pic.Frame && bytes.Equal(p.last.Pix, pic.Pix.Pix) {
		raster.Free(pic.Pix)
		return p.latest, nil
	}
	enc, err := p.to(pic)
	if err != nil {
		return nil, err
	}
	raster.Free(p.last)
	p.n++
	p.frame, p.last = pic.Frame, pic.Pix
	p.latest = &shown{strconv.FormatUint(p.n, 36) + "-" + rand.Text(), enc}
	return p.latest, nil
}

func encoded(pic *driver.Picture) (tool.Picture, error) {
	mime, data, err := raster.Encode(pic.Pix)
	if err != nil {
		return tool.Picture{}, err
	}
	return tool.Picture{MIME: mime, Data: data, W: pic.W, H: pic.H}, nil
}

// picture takes a picture in which every kept-away window is painted over. Cover is asked window by window,
// so what only the whole list tells (a menu of a kept-away window) is checked afterwards on the very list
// that the picture was made of; a picture in which such a window was seen is thrown away and taken again.
func (c *Computer) picture(ctx context.Context, shot driver.Shot) (*driver.Picture, map[driver.WindowID]policy.Kept, error) {
	s, err := c.scene(ctx)
	if err != nil {
		return nil, nil, err
	}
	known, own := s.kept, c.cfg.Own()
	before := c.changesNow(ctx)
	secrets, err := c.secrets(ctx)
	if err != nil {
		return nil, nil, err
	}
	for range 4 {
		shot.Cover = func(w driver.Window) string {
			if k, ok := own.KeptAway(w); ok {
				return k.Label()
			}
			return known[w.ID].Label()
		}
		pic, err := c.drv.Look(ctx, shot)
		if err != nil {
			return nil, nil, err
		}
		kept := own.KeptAmong(pic.Windows)
		if covered(pic, kept) {
			if pic.Change != before {
				more, err := c.secrets(ctx)
				if err != nil {
					raster.Free(pic.Pix)
					return nil, nil, err
				}
				secrets = append(secrets, more...)
			}
			coverSecrets(pic, secrets)
			return pic, kept, nil
		}
		raster.Free(pic.Pix)
		known = kept
	}
	return nil, nil, errRestless
}

// secrets lists where password fields are seen. What can't be told in time isn't known, and holds up nothing.
func (c *Computer) secrets(ctx context.Context) ([]driver.ScreenRect, error) {
	out, err := c.drv.Secrets(ctx)
	if err != nil && (ctx.Err() != nil || errors.Is(err, errStuck)) {
		return nil, err
	}
	return out, nil
}

// coverSecrets paints over the password fields in a picture.
func coverSecrets(pic *driver.Picture, fields []driver.ScreenRect) {
	for _, f := range fields {
		if px := pic.Around(f); !px.Empty() {
			raster.Cover(pic.Pix, []image.Rectangle{px}, "Password")
		}
	}
}

// covered says whether every kept-away window that the picture would show was painted over.
func covered(pic *driver.Picture, kept map[driver.WindowID]policy.Kept) bool {
	painted := make(map[driver.WindowID]bool, len(pic.Covered))
	for _, id := range pic.Covered {
		painted[id] = true
	}
	for _, w := range pic.Windows {
		if _, ok := kept[w.ID]; !ok || painted[w.ID] {
			continue
		}
		for _, part := range w.Visible {
			if !part.Intersect(pic.Area).Empty() {
				return false
			}
		}
	}
	return true
}
