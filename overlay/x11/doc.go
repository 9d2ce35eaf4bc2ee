// Package x11 shows the overlay on an X11 desktop and holds the Stop key there.
//
// The edge is four thin windows per monitor, never one over the whole screen. They let every press through
// (an empty input shape), a window manager has no say in them (override-redirect), and the server removes
// them with our connection, so they end with the process however it ends. With a compositor they fade
// inwards; without one they are a plain rim. The card is one more such window, and only it takes presses,
// without ever taking the focus.
//
// The Stop key is held twice over: a passive grab keeps the chord away from the app in front, and raw XInput2
// events hear it even while a menu holds the keyboard. Both only while the overlay is lit.
//
// What other programs inject by XTEST is not a person's press unless an option says so: see HearOthers.
//
// It never reads or moves a window of another program, apart from asking what lies above ours, and never
// raises ours above a lock screen.
package x11
