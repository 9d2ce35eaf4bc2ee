// Package overlay is the pearl edge around every screen and the Stop card: what a person sees while their
// computer is used. It is a state machine (what should be shown) and a painter per platform (showing it).
// It never decides whether the computer may be used, and it never touches another window.
package overlay
