// Package xkb reads and changes an X server's keyboard map: which symbols each key code makes in which group
// and at which level, which modifiers lead there, and which codes are free.
//
// It speaks the few requests of the X Keyboard Extension that typing needs, over an xraw connection. It
// never presses a key, and it changes nothing but what SetSyms and Lock are told to.
//
// Facts: The X Keyboard Extension: Protocol Specification, X11R7, sections 4, 7 and 12 and its encoding.
package xkb
