package disk

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// A lock is a folder beside the file, as proper-lockfile (a library that programs in JavaScript use) makes
// it. One that nobody touched for staleAfter belongs to a program that is gone.
const (
	lockSuffix = ".lock"
	staleAfter = 10 * time.Second
	lockTries  = 40
	lockPause  = 50 * time.Millisecond
)

// Lock takes the lock beside the file, so that a program which honours it doesn't write meanwhile. A program
// that holds it is waited for, about two seconds. What f is must still be checked, as Replace does.
func Lock(f File) (unlock func(), err error) {
	path := f.Path + lockSuffix
	for range lockTries {
		switch err := os.Mkdir(path, 0o700); {
		case err == nil:
			return func() { _ = os.Remove(path) }, nil // a lock that somebody took for stale is gone already
		case errors.Is(err, fs.ErrNotExist):
			return func() {}, nil // the folder isn't there yet, so no program writes into it
		case !errors.Is(err, fs.ErrExist):
			return nil, refuse(err)
		}
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, refuse(err)
		case info.IsDir() && time.Since(info.ModTime()) > staleAfter:
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, refuse(err)
			}
		default:
			time.Sleep(lockPause)
		}
	}
	return nil, &RefusedError{Why: "is being written by another program"}
}
