package state

import "fmt"

// NotRegularError says that something else than a plain file (a symbolic link, a folder, a pipe) is in the
// place of a document. It is neither read nor replaced.
type NotRegularError struct{ Path string }

func (e *NotRegularError) Error() string {
	return fmt.Sprintf("%s is not a plain file, so Conch neither reads nor replaces it. Move it away, then try again.", e.Path)
}

// UnreadableError says that a document can't be read; what it holds counts as off. The next change keeps it
// aside first.
type UnreadableError struct {
	Path string
	Err  error
}

func (e *UnreadableError) Error() string {
	return fmt.Sprintf("%s can't be read, so what it says counts as off: %v", e.Path, e.Err)
}

func (e *UnreadableError) Unwrap() error { return e.Err }

// NewerError says that a newer Conch wrote a document. It counts as off and is left alone.
type NewerError struct {
	Path           string
	Version, Known int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s was written by a newer Conch (%d; this one knows %d), so it is left alone and counts as off. Update Conch to use it.",
		e.Path, e.Version, e.Known)
}
