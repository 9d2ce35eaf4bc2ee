package policy

import (
	"net/url"
	"path"
	"strings"

	"conch/driver"
)

// Own tells Conch's own folder and files by their names. The zero value knows the folder that is usual.
type Own struct {
	folder string   // its whole path, folded; empty when unknown
	files  []string // folded, with a folder or an ending: what isn't just a word
}

// NewOwn makes an Own of the folder's path and of the names that Conch keeps in it (state.Dir.Protected), so that a
// new file is protected by being there.
func NewOwn(folder string, names []string) Own {
	o := Own{folder: strings.TrimRight(slashes(fold(folder)), "/")}
	for _, n := range names {
		n = slashes(fold(n))
		base := path.Base(n)
		if strings.Contains(n, "/") {
			o.files = append(o.files, n)
		}
		if ext := path.Ext(base); ext != "" && ext != base {
			o.files = append(o.files, base)
		}
	}
	return o
}

func slashes(s string) string { return strings.ReplaceAll(s, `\`, "/") }

// usualFolder is what Conch's folder is called where nobody moved it.
const usualFolder = ".conch"

// Folder says whether text names Conch's folder, as a path does.
func (o Own) Folder(text string) bool {
	for _, t := range []string{text, unescaped(text)} {
		if t = slashes(fold(t)); hasName(t, usualFolder) || o.folder != "" && o.folder != "/" && hasName(t, o.folder) {
			return true
		}
	}
	return false
}

// unescaped is a text with what addresses write as %2E.
func unescaped(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

// hasName says whether folded text has a name in it that is no part of a longer one: ".conch" in "~/.conch/x", but not
// in "a.conch" or ".concha".
func hasName(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		before, after := text[:i], text[i+len(name):]
		if !letterBefore(before) && !letterAfter(after) {
			return true
		}
		from = i + 1
	}
}

// keptFile says whether a window shows Conch's folder or one of its files, by its title.
func (o Own) keptFile(w driver.Window) (Kept, bool) {
	if w.Title == "" {
		return Kept{}, false
	}
	title := slashes(fold(w.Title))
	hit := o.Folder(w.Title)
	for _, f := range o.files {
		hit = hit || hasName(title, f)
	}
	if !hit {
		return Kept{}, false
	}
	return kept(OwnFiles, "Conch's own files", "title"), true
}

// KeptAway is the package's, and keeps away windows that show Conch's own files too.
func (o Own) KeptAway(w driver.Window) (Kept, bool) {
	found, _ := KeptAway(w)
	if k, ok := o.keptFile(w); ok {
		found = first(found, k)
	}
	return found, found.Kind != NotKept
}

// KeptAmong is the package's, and keeps away windows that show Conch's own files too.
func (o Own) KeptAmong(windows []driver.Window) map[driver.WindowID]Kept {
	return keptAmong(windows, o.KeptAway)
}
