// Package xraw is a small X11 connection that reads every kind of event.
//
// It exists because github.com/jezek/xgb reads each event as 32 bytes: one generic event (type 35, which
// is how XInput2 speaks) puts that connection out of step for good. So whatever needs XInput2 or XKB opens
// one of these beside its xgb connection. It encodes no more requests than its users need; a caller may
// send any other request as bytes.
//
// It never decides anything about input, and it never sends a request that its caller did not ask for,
// apart from the GetInputFocus that makes an answerless request's error visible.
//
// Facts: X Window System Protocol X11R7 (encoding appendix), XI2proto 2.4, Xauth(3).
package xraw
