// Package stakes says which controls do what can't be taken back, by what they are called: they send, pay, order,
// delete, publish, sign or grant something.
//
// Names are compared as a person reads them, in fourteen languages at once, since an app's language isn't known.
// Languages that put spaces between words are matched by whole words, so that “Sender” isn't “Send”. The package
// only reads names: it never asks, refuses or looks at the screen, and a name that it doesn't know tells nothing.
package stakes
