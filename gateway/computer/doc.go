// Package computer is the tool with which an assistant uses the apps of this computer while the person
// watches: decision 0110.
//
// One call is one step: it is read once (Parse), judged (package policy) on a fresh list of windows, asked
// about where the person has to say yes, judged again right before each event, carried out by a gesture,
// and answered with one sentence and a fresh picture in which kept-away windows are painted over. It holds
// the computer for one chat at a time, counts steps, and lets go of everything when the turn ends.
//
// It never writes anything of the screen to a file or a log, never presses anything while its judge says
// no, and never says that something was done when that was not seen.
package computer
