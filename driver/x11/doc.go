// Package x11 is the driver for an X11 display.
//
// Seeing and doing are apart. Seeing (this connection): displays by RandR, the window list as the server has
// it, pictures that are composed window by window so that our own windows are not in them and kept-away ones
// are never read, and a count of changes from XDamage. Doing (hands): XTEST. Apps come from .desktop files,
// accessible names from AT-SPI.
//
// It never grabs the root window's pixels (a compositor's screen lags behind the list of windows, so a moving
// window would be read where it no longer is), never hides or moves a window, holds a server grab only while
// it lists, draws and reads, and writes nothing of the screen anywhere.
package x11
