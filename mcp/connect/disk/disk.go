// Package disk reads and replaces the settings files of other programs. A reader sees the old file or the new
// one whole, whatever happens in between; the file as it was before Conch is kept beside it once; links,
// mode and owner stay. It never follows a name to something that isn't a plain file, never reads more than
// MaxSize, and never replaces a file that changed since it was read.
package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"syscall"
)

// MaxSize is the most that a settings file may have.
const MaxSize = 10 << 20

// Kept is what the copy of the old file is called: the file's name and this.
const Kept = ".before-conch"

const tempSuffix = ".conch-new"

// Step is a moment while a file is replaced.
type Step string

// The steps in their order. BackupWritten and BackupKept are only there when a copy is made.
const (
	BackupWritten Step = "backup written" // under a name of ours
	BackupKept    Step = "backup kept"
	Written       Step = "written" // under a name of ours
	Checked       Step = "checked" // that nobody changed the file meanwhile
	Replaced      Step = "replaced"
)

// File is a settings file as it was when it was read.
type File struct {
	Path string // where the program looks
	Real string // where the text is: the end of a link
	Data []byte
	Info fs.FileInfo // nil when there is no file yet
}

// RefusedError is a file that isn't touched, as half a sentence about it.
type RefusedError struct{ Why string }

func (e *RefusedError) Error() string { return "it " + e.Why }

// ErrChanged says that the file changed since it was read. Nothing was written.
var ErrChanged = errors.New("the file changed meanwhile")

// ErrOverwritten says that the file was written, and that somebody wrote over it at once.
var ErrOverwritten = errors.New("the file was written over at once")

// Read reads the file at path. One that isn't there is no error.
func Read(path string) (File, error) {
	f := File{Path: path, Real: path}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		switch f.Real, err = filepath.EvalSymlinks(path); {
		case errors.Is(err, fs.ErrPermission):
			return f, refuse(err)
		case err != nil:
			return f, &RefusedError{Why: "is a link that leads nowhere"}
		}
		info, err = os.Stat(f.Real)
	}
	if err != nil {
		return f, refuse(err)
	}
	if err := regular(info); err != nil {
		return f, err
	}
	// Should a pipe have taken its place just now, opening must not wait for a writer.
	h, err := os.OpenFile(f.Real, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return f, refuse(err)
	}
	defer func() { _ = h.Close() }() // it was only read
	if f.Info, err = h.Stat(); err != nil {
		return f, refuse(err)
	}
	if err := regular(f.Info); err != nil {
		return f, err
	}
	if f.Data, err = io.ReadAll(io.LimitReader(h, MaxSize+1)); err != nil {
		return f, refuse(err)
	}
	if len(f.Data) > MaxSize {
		return f, &RefusedError{Why: "is larger than 10 MB"}
	}
	return f, nil
}

func regular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return &RefusedError{Why: "is a folder"}
	case !info.Mode().IsRegular():
		return &RefusedError{Why: "is not a plain file"}
	case info.Size() > MaxSize:
		return &RefusedError{Why: "is larger than 10 MB"}
	}
	return nil
}

func refuse(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return &RefusedError{Why: "may not be opened by Conch"}
	}
	return &RefusedError{Why: fmt.Sprintf("can't be opened (%v)", cause(err))}
}

// cause is an error without the path in it, which the sentence around it names already.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		return le.Err
	}
	return err
}

// Writable says whether the file may be replaced. One that a person marked read-only is theirs to open, and
// replacing a file that has two names would leave the other name with the old text.
func (f File) Writable() error {
	switch {
	case f.Info == nil:
		return nil
	case f.Info.Mode()&0o200 == 0:
		return &RefusedError{Why: "is marked read-only"}
	case links(f.Info) > 1:
		return &RefusedError{Why: "has two names on the disk (a hard link), which replacing it would break"}
	}
	return nil
}

// Writer replaces files. Its zero value is ready.
type Writer struct {
	// At is called after each step, for tests that cut off there: an error ends the writing on the spot, as
	// a crash would. nil is no call.
	At func(Step) error
}

type cutOff struct{ err error }

func (c *cutOff) Error() string { return c.err.Error() }

func (w Writer) at(s Step) error {
	if w.At == nil {
		return nil
	}
	if err := w.At(s); err != nil {
		return &cutOff{err}
	}
	return nil
}

// Replace writes data in place of f, which must be as it was read. A file that is new gets mode 0600.
func (w Writer) Replace(f File, data []byte) error {
	if err := f.Writable(); err != nil {
		return err
	}
	if f.Info == nil {
		if err := os.MkdirAll(filepath.Dir(f.Real), 0o700); err != nil {
			return refuse(err)
		}
	}
	temp := f.Real + tempSuffix
	err := w.fresh(temp, f.Info, data)
	if err == nil {
		err = w.at(Written)
	}
	if err == nil {
		err = w.unchanged(f)
	}
	if err == nil {
		err = os.Rename(temp, f.Real)
	}
	if err != nil {
		return clean(temp, err)
	}
	if err := w.at(Replaced); err != nil {
		return err
	}
	syncDir(filepath.Dir(f.Real))
	return confirm(f.Path, data)
}

// Delete removes f, which must be as it was read.
func (w Writer) Delete(f File) error {
	if err := f.Writable(); err != nil {
		return err
	}
	if err := w.unchanged(f); err != nil {
		return err
	}
	if err := os.Remove(f.Real); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return refuse(err)
	}
	syncDir(filepath.Dir(f.Real))
	return w.at(Replaced)
}

// Backup is the file as it was before Conch; ok is false when there is none.
func Backup(f File) (data []byte, ok bool) {
	b, err := Read(f.Real + Kept)
	return b.Data, err == nil && b.Info != nil
}

// Keep keeps a copy of the file beside it, if none was kept before. It is for just before the first entry:
// later the file is no longer as it was before Conch.
func (w Writer) Keep(f File) error {
	if f.Info == nil {
		return nil
	}
	kept := f.Real + Kept
	if _, err := os.Lstat(kept); err == nil {
		return nil
	}
	temp := kept + tempSuffix
	err := w.fresh(temp, f.Info, f.Data)
	if err == nil {
		err = w.at(BackupWritten)
	}
	if err != nil {
		return clean(temp, err)
	}
	// A link never replaces a copy that came there meanwhile; some file systems have no links.
	switch err := os.Link(temp, kept); {
	case err == nil, errors.Is(err, fs.ErrExist):
		err = os.Remove(temp)
		if err != nil {
			return refuse(err)
		}
	default:
		if err := os.Rename(temp, kept); err != nil {
			return clean(temp, err)
		}
	}
	syncDir(filepath.Dir(kept))
	return w.at(BackupKept)
}

// fresh writes a new file with mode and owner of like. One that a crash left behind goes first.
func (w Writer) fresh(path string, like fs.FileInfo, data []byte) error {
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	h, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = h.Write(data)
	if err == nil && like != nil {
		err = dress(h, like)
	}
	if err == nil {
		err = h.Sync()
	}
	return errors.Join(err, h.Close())
}

// dress gives a file the owner, the group and the mode of another one.
func dress(h *os.File, like fs.FileInfo) error {
	mine, err := h.Stat()
	if err != nil {
		return err
	}
	uid, gid, known := owner(like)
	myUID, myGID, _ := owner(mine)
	if known && (uid != myUID || gid != myGID) {
		if err := h.Chown(uid, gid); err != nil {
			return &RefusedError{Why: "belongs to another account or group, and Conch can't write it without changing that"}
		}
	}
	return h.Chmod(like.Mode().Perm() | like.Mode()&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky))
}

// owner reads the account and the group out of what the system says about a file.
func owner(info fs.FileInfo) (uid, gid int, ok bool) {
	u, uok := number(info, "Uid")
	g, gok := number(info, "Gid")
	return int(u), int(g), uok && gok
}

// links is how many names a file has.
func links(info fs.FileInfo) uint64 {
	if n, ok := number(info, "Nlink"); ok {
		return n
	}
	return 1
}

// number reads one number of what the system says about a file. Systems have different types for it, with
// the same names in them, and this package is one text for all.
func number(info fs.FileInfo, name string) (uint64, bool) {
	v := reflect.ValueOf(info.Sys())
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return 0, false
	}
	n := v.Elem().FieldByName(name)
	if !n.IsValid() || !n.CanUint() {
		return 0, false
	}
	return n.Uint(), true
}

// unchanged reads the file once more.
func (w Writer) unchanged(f File) error {
	now, err := Read(f.Path)
	if err != nil {
		return err
	}
	if now.Real != f.Real || (now.Info == nil) != (f.Info == nil) || !bytes.Equal(now.Data, f.Data) ||
		now.Info != nil && now.Info.Mode() != f.Info.Mode() {
		return ErrChanged
	}
	return w.at(Checked)
}

// confirm reads what was written back.
func confirm(path string, data []byte) error {
	now, err := Read(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now.Data, data) {
		return ErrOverwritten
	}
	return nil
}

// clean removes a file that isn't needed, unless the writing was cut off: a crash doesn't tidy up either.
func clean(temp string, err error) error {
	if _, cut := errors.AsType[*cutOff](err); cut {
		return err
	}
	if errors.Is(err, fs.ErrExist) { // something of somebody else has our name
		return &RefusedError{Why: "can't be replaced: " + filepath.Base(temp) + " is in the way beside it"}
	}
	if info, lerr := os.Lstat(temp); lerr == nil && info.Mode().IsRegular() {
		err = errors.Join(err, ignoreMissing(os.Remove(temp)))
	}
	if _, ok := errors.AsType[*RefusedError](err); ok || errors.Is(err, ErrChanged) {
		return err
	}
	if errors.Is(err, fs.ErrPermission) {
		return &RefusedError{Why: "may not be changed by Conch"}
	}
	return &RefusedError{Why: fmt.Sprintf("can't be written (%v)", cause(err))}
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// syncDir makes a rename last. Systems that can't sync a folder keep it their own way.
func syncDir(dir string) {
	if h, err := os.Open(dir); err == nil {
		_ = h.Sync() // not every file system takes it
		_ = h.Close()
	}
}
