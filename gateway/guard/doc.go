// Package guard is the one decision about what may go ahead: every call of every engine, every step on the
// computer, every call through the door and every wish of a page is judged by Decide, on facts that the caller
// gathers. It is a pure package: it has no clock, no file, no driver and no state, it asks nobody and does nothing.
//
// Zero values refuse. Rules are a list with names; the name of the one that decided goes to Activity and to the
// tests. What no mode lifts stands above what a mode decides.
package guard
