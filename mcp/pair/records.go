package pair

import (
	"io/fs"
	"os"
	"time"

	"conch/mcp/wire"
)

// settled is how long a file must have been left alone when it is read for what was read to be kept: in less than the
// coarsest clock of a file system, a second change may have left the same time behind.
const settled = 3 * time.Second

// records is the document as it was read. It is shared, so nobody edits it.
type records struct {
	list      []Client
	byID      map[string]Client
	elsewhere bool

	file fs.FileInfo // as it was just before it was read; nil: this is not to be kept
}

// read returns the document as it is on disk now. The file is looked at each time, and read only when it is another one
// than last time: a change takes the old file's place with a new one.
func (r *Registry) read() *records {
	info, err := r.dir.Stat(File)
	if err != nil || !info.Mode().IsRegular() {
		info = nil
	}
	r.lastMu.Lock()
	last := r.last
	r.lastMu.Unlock()
	if last != nil && last.same(info) {
		return last
	}
	d, err := r.file.Read()
	if err != nil {
		r.opt.Log.Warn("no app is paired, since their list can't be read", "err", err)
		return &records{}
	}
	now := &records{elsewhere: d.Elsewhere, byID: map[string]Client{}}
	for _, c := range d.Clients {
		if _, twice := now.byID[c.ID]; twice || !wire.ValidID(c.ID) || c.check() != nil {
			continue
		}
		now.list = append(now.list, c)
		now.byID[c.ID] = c
	}
	if info != nil && time.Since(info.ModTime()) > settled {
		now.file = info
	}
	r.lastMu.Lock()
	r.last = now
	r.lastMu.Unlock()
	return now
}

// same says that the file is the one that was read, unchanged since.
func (r *records) same(info fs.FileInfo) bool {
	return r.file != nil && info != nil && os.SameFile(r.file, info) &&
		r.file.Size() == info.Size() && r.file.ModTime().Equal(info.ModTime())
}
