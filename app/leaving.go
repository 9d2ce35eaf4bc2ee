package main

import "sync"

// leaving is how Conch ends on a Mac, where both the program and macOS can begin it: Quit in the menu, ⌘Q, a
// log-out, a signal. Either way a turn is ended first, and only then is macOS told that the app may go.
type leaving struct {
	quit      func() // ends the program cleanly; may be called again
	reply     func() // tells macOS that now is fine, after it was told to wait
	terminate func() // has macOS end the app

	mu      sync.Mutex
	waits   bool // macOS was told to wait
	ended   bool
	code    int
	leaving bool // reply or terminate was called
}

// asked answers macOS's question whether the app may end: now, or once the program has ended.
func (l *leaving) asked() (now bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return true
	}
	l.waits = true
	l.quit()
	return false
}

// programEnded says that all is let go of, and with which code.
func (l *leaving) programEnded(code int) {
	l.mu.Lock()
	waits := l.waits
	done := l.leaving
	l.ended, l.code, l.leaving = true, code, true
	l.mu.Unlock()
	switch {
	case done:
	case waits:
		l.reply()
	default:
		l.terminate()
	}
}

// exitCode is what the process ends with.
func (l *leaving) exitCode() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.code
}
