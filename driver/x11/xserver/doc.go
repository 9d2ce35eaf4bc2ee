// Package xserver starts a private X11 desktop: Xvfb, and beside it, where asked for, a window manager, a
// compositor, a session bus with accessibility, and programs. The practice desktop is one, and each test
// that needs a screen has its own.
//
// Everything it starts ends with it: on Close, and also when this process is killed. It never touches a
// display that it did not start.
package xserver
