// Package mac is the driver for a Mac: macOS 14 or newer.
//
// What macOS has to be asked stands in Objective-C behind one plain-C header (mac.h), thin: each function asks
// one thing or does one thing. All behaviour is above it in untagged Go, over the interface system, so that
// Linux tests it on a desk of its own; native_*_darwin.go only carries values across.
//
// Rules that hold everywhere here: Text Input Sources and AppKit are asked on the main thread, which never waits
// for Go; a block that macOS calls later owns all that it touches, so a late answer changes nothing; a Go
// callback does no more than send on a channel. Pictures are ScreenCaptureKit's, taken in this process, without
// our own windows and those that are kept away. It never starts another program to look or to act, never goes
// through Spotlight or a shell, never reads the value of a field, and writes nothing of the screen anywhere.
//
// None of it has been seen on a Mac. What is compiled, linked and tested, and how, is in docs/mac-checklist.md.
package mac
