// Package npm brings programs of npm, and a Node to run them, for what judges Conch or is compared with it. Nothing that
// is shipped uses it, and no package may run anything while it is installed.
package npm
