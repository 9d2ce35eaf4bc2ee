// Package desktopfile reads the .desktop files that say which applications are installed and how each is
// started: as a list of arguments, never as a line for a shell.
//
// It never starts anything.
//
// Facts: Desktop Entry Specification 1.5 (freedesktop.org), XDG Base Directory Specification 0.8.
package desktopfile
