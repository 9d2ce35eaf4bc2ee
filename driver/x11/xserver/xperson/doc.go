// Package xperson is the person at a private desktop: what they do comes from the server's own mouse and keyboard,
// as it does on a real computer, and not from XTEST's devices. It is for tests only.
package xperson
