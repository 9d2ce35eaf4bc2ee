package tool

// Grid is how many cells a picture has from side to side and from top to bottom, where models name points by their
// cell, 0 to 999, whatever the picture's size.
const Grid = 1000

// CellPixel is the pixel in the middle of a cell, in a picture that is size pixels wide or high. It is always in the
// picture.
func CellPixel(cell, size int) int { return (2*cell + 1) * size / (2 * Grid) }

// PixelCell is the cell that the middle of a pixel lies in.
func PixelCell(pixel, size int) int { return (2*pixel + 1) * Grid / (2 * size) }
