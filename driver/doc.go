// Package driver is one computer's screen, mouse and keyboard.
//
// It holds the values that everything above a platform speaks in (displays, windows, pictures, points
// that know their space) and the Driver interface that each platform satisfies: driver/x11 for X11,
// driver/mac for a Mac, driver/fake for a desktop that is written down in a text file.
//
// A Driver does physical things and nothing else. It has no opinion about what may be clicked: that is
// decided above it, on parsed values, right before each event. What it owes in return is in the comment
// of each method, and driver/drivertest holds every driver to the same suite.
package driver
