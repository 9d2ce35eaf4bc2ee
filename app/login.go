package main

// login is whether Conch starts when the person logs in.
type login interface {
	// State looks how it stands now, as the system has it.
	State() loginState
	// Set turns it on or off, and has looked that it is so when it returns nil.
	Set(on bool) error
}
