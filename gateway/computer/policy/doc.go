// Package policy says what the computer tool may do: which windows and apps are kept away, which keys are
// never pressed, and whether one step goes ahead, asks first or is refused.
//
// It is pure. It has no clock, opens no file and knows no driver: the caller gathers Facts and does what the
// Verdict says. A fact that nobody filled in refuses, and so does a step that no rule allows. It never reads
// what a model wrote: it judges parsed values only, the very ones that the driver is then given.
package policy
