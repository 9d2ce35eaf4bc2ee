package gemini_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"

	"conch/gateway/tool"
)

// screen is a picture of a size, another one for each n.
func screen(w, h, n int) *tool.Picture {
	img := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.Black, color.White, color.RGBA{uint8(n), 0, 0, 255}})
	img.Pix[n%len(img.Pix)] = uint8(1 + n%2)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return &tool.Picture{MIME: "image/png", Data: b.Bytes(), W: w, H: h}
}
