package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"sort"
	"strings"
	"time"
)

// staticFiles serves the static files from memory. One hash over all of them is a part of their address, so
// that a browser may keep them for ever and modules can import each other by relative paths.
type staticFiles struct {
	hash  string
	files map[string]staticFile
}

type staticFile struct {
	data []byte
	mime string
	etag string
}

// mimes are the kinds that may be served. The system's own table differs from machine to machine, and a
// module with a wrong type doesn't run.
var mimes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

func newStatic(assets fs.FS) (*staticFiles, error) {
	s := &staticFiles{files: map[string]staticFile{}}
	var names []string
	err := fs.WalkDir(assets, "static", func(name string, d fs.DirEntry, err error) error {
		mime, known := mimes[path.Ext(name)]
		if err != nil || d.IsDir() || !known {
			return err
		}
		data, err := fs.ReadFile(assets, name)
		if err != nil {
			return err
		}
		short := strings.TrimPrefix(name, "static/")
		sum := sha256.Sum256(data)
		s.files[short] = staticFile{data: data, mime: mime, etag: `"` + hex.EncodeToString(sum[:12]) + `"`}
		names = append(names, short)
		return nil
	})
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
	all := sha256.New()
	for _, name := range names {
		all.Write([]byte(name + s.files[name].etag))
	}
	s.hash = hex.EncodeToString(all.Sum(nil)[:8])
	return s, nil
}

// path is the address of a static file that may be kept for ever.
func (s *staticFiles) path(name string) string { return PathStatic + s.hash + "/" + name }

func (s *staticFiles) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Only GET and HEAD.", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, PathStatic)
	name, forever := strings.CutPrefix(name, s.hash+"/")
	f, ok := s.files[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.mime)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("ETag", f.etag)
	h.Set("Cache-Control", "no-cache")
	if forever {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.data))
}
