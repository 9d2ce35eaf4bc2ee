package skills

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"conch/gateway/plain"
)

// Limits of a skill's folder.
const (
	filesMax  = 100
	depthMax  = 6
	totalMax  = 1 << 20 // bytes of all files
	fileMax   = 256 << 10
	skillsMax = 200
)

// mainFile is the one file that a chat is given.
const mainFile = "SKILL.md"

// finderFile is what a Mac leaves in every folder that is looked at. It holds where windows stood, nothing of
// it is ever given to a chat, and counting it would switch a skill off because somebody looked at it.
const finderFile = ".DS_Store"

// File is one file of a skill, as it was read.
type File struct {
	Name   string // from the skill's folder, with slashes
	Size   int
	Text   string
	IsText bool
	Exec   bool
}

// FolderError says why a folder is no skill.
type FolderError struct{ Say string }

func (e *FolderError) Error() string { return e.Say }

func folderError(format string, args ...any) error { return &FolderError{fmt.Sprintf(format, args...)} }

// readFolder reads every file below dir and works out the hash over all of them: names, order, bytes, and
// whether they may be run. Anything but plain files and folders is refused.
func readFolder(root *os.Root, dir string) (files []File, hash string, err error) {
	sum := sha256.New()
	_, _ = io.WriteString(sum, "conch-skill/1\n")
	total := 0
	// Only sorted names come here, so the same files always give the same hash.
	err = fs.WalkDir(root.FS(), dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(strings.TrimPrefix(at, dir), "/")
		switch {
		case d.Name() == finderFile && d.Type().IsRegular():
			return nil
		case d.IsDir() && strings.Count(name, "/") >= depthMax:
			return folderError("“%s” is nested too deep.", show(name))
		case d.IsDir():
			part(sum, "folder", name)
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			return folderError("“%s” is a link to somewhere else, which Conch doesn't follow. Put the file itself there.", show(name))
		case !d.Type().IsRegular():
			return folderError("“%s” isn't a plain file.", show(name))
		case len(files) >= filesMax:
			return folderError("There are more than %d files in it.", filesMax)
		}
		data, exec, err := readFile(root, at, show(name))
		if err != nil {
			return err
		}
		if total += len(data); total > totalMax {
			return folderError("Its files are too big: more than %d MB together.", totalMax>>20)
		}
		part(sum, "file", name)
		part(sum, fmt.Sprint(exec), string(data))
		f := File{Name: name, Size: len(data), Exec: exec}
		if utf8.Valid(data) && !slices.Contains(data, 0) {
			f.Text, f.IsText = string(data), true
		}
		files = append(files, f)
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	return files, hex.EncodeToString(sum.Sum(nil)), nil
}

// part writes two texts so that no other two give the same bytes.
func part(w io.Writer, a, b string) {
	for _, s := range []string{a, b} {
		_ = binary.Write(w, binary.BigEndian, uint64(len(s)))
		_, _ = io.WriteString(w, s)
	}
}

func show(name string) string { return plain.Clip(plain.Show(name), 80) }

// readFile reads one plain file. What took its place since it was listed is refused.
func readFile(root *os.Root, at, shown string) (data []byte, exec bool, err error) {
	listed, err := root.Lstat(at)
	if err != nil {
		return nil, false, err
	}
	if !listed.Mode().IsRegular() {
		return nil, false, folderError("“%s” isn't a plain file.", shown)
	}
	f, err := root.Open(at)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	opened, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	if !os.SameFile(listed, opened) {
		return nil, false, folderError("“%s” changed while it was read. Load the page again.", shown)
	}
	data, err = io.ReadAll(io.LimitReader(f, fileMax+1))
	if err != nil {
		return nil, false, err
	}
	if len(data) > fileMax {
		return nil, false, folderError("“%s” is too big: %d KB are the most.", shown, fileMax>>10)
	}
	return data, opened.Mode().Perm()&0o111 != 0, nil
}

// load reads the skill in the folder called name. An error of the folder's is in the skill, for the page.
func load(root *os.Root, name string) Skill {
	sk := Skill{Folder: name}
	if !skillName.MatchString(name) || len(name) > nameMax {
		sk.Problem = "A skill's folder is called with small letters, digits and single dashes."
		return sk
	}
	info, err := root.Lstat(name)
	switch {
	case err != nil:
	case !info.IsDir():
		err = folderError("It is a link to somewhere else, which Conch doesn't follow. Put the folder itself here.")
	default:
		sk.Files, sk.Hash, err = readFolder(root, name)
	}
	if err == nil {
		i := slices.IndexFunc(sk.Files, func(f File) bool { return f.Name == mainFile })
		if i < 0 {
			err = folderError("There is no %s in it.", mainFile)
		} else if !sk.Files[i].IsText {
			err = folderError("%s isn't text that can be read.", mainFile)
		} else if sk.Matter, sk.Text, err = Parse([]byte(sk.Files[i].Text)); err == nil && sk.Name != name {
			err = folderError("The folder is called “%s” and the skill “%s”. Give both the same name.", name, sk.Name)
		}
	}
	if err != nil {
		sk.Problem = problemOf(err)
	}
	return sk
}

// problemOf puts an error into words. What the system says may name paths, so it stays out.
func problemOf(err error) string {
	var folder *FolderError
	var matter *MatterError
	switch {
	case errors.As(err, &folder):
		return folder.Say
	case errors.As(err, &matter):
		return mainFile + ", " + strings.ToLower(matter.Error()[:1]) + matter.Error()[1:]
	case errors.Is(err, fs.ErrNotExist):
		return "It is gone."
	case errors.Is(err, fs.ErrPermission):
		return "Conch isn't allowed to read it."
	}
	return "It can't be read."
}

// names lists the folders that could be skills, and what stands beside them and can't be one.
func names(root *os.Root) ([]string, error) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || !e.IsDir() && e.Type()&fs.ModeSymlink == 0 {
			continue
		}
		out = append(out, path.Clean(e.Name()))
	}
	return out[:min(len(out), skillsMax)], nil
}
