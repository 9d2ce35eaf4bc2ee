// Package mac shows the overlay on a Mac and holds the Stop keys there.
//
// The edge is four thin panels per display, never one over the whole screen: click-through by a flag of each
// panel, and where that flag ever failed a press would still only be lost at the rim. Windows, layers and text
// are AppKit's through darwinkit, made and changed on the main thread only, in new panels each time the edge
// lights. What darwinkit has no way for is in our own C with names in cn_: the Stop button that takes the first
// press (button_darwin), the Stop keys and the listener (stopkeys_darwin). It reaches Go as records in a pipe,
// so neither the main thread nor the listener ever waits for Go.
//
// The Stop keys are held twice over: Carbon hot keys keep working while a password field is in use, and a
// listen-only tap hears the chord where macOS takes it for itself. Both only while the edge is lit. The same
// tap hears a person taking the mouse or the keyboard; which key that was never leaves the C code.
//
// This package never posts an event, never takes the keyboard away from the app in use, never touches ⌥⌘⎋, and
// listens to nothing while the edge is dark. None of it has run on a Mac yet: see docs/mac-checklist.md.
package mac
