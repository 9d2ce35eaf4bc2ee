// Package keep is access.json: the one document about who may come in. It holds whether confirming is asked for,
// the hash of the Conch password, the devices that were let in, and the address that they come to.
//
// Absent and unreadable both mean that nobody comes in from elsewhere. The package decides nothing and keeps no
// secret: of a password and of a cookie there is only the hash.
package keep

import (
	"log/slog"
	"time"

	"conch/gateway/state"
)

// Name is the name of the document in Conch's folder.
const Name = "access.json"

// How is the way in which a person confirms that it's them before something is widened.
type How string

// The ways. The zero value is that nothing is asked.
const (
	Off        How = ""
	BySystem   How = "system"
	ByPassword How = "password"
)

// Doc is the document.
type Doc struct {
	state.Versioned
	Confirm How    `json:"confirm,omitempty"`
	Hash    string `json:"password,omitempty"` // argon2id, in its text form
	// Devices were let in from this computer.
	Devices []Device `json:"devices,omitempty"`
	Address Address  `json:"address,omitzero"`
}

// Device is a browser elsewhere that was let in.
type Device struct {
	state.Versioned
	ID   string    `json:"id"`
	Name string    `json:"name"`   // what the browser says that it is: "Safari on iPhone"
	Hash string    `json:"cookie"` // SHA-256 of its cookie, in hexadecimal
	In   time.Time `json:"in"`     // when it was let in
	Seen time.Time `json:"seen,omitzero"`
}

// Address is where devices come to. The zero value is none.
type Address struct {
	state.Versioned
	On   bool   `json:"on"`
	Name string `json:"name,omitempty"` // conch.example.org, as a browser is given it
	Port int    `json:"port,omitempty"` // as a browser is given it
	// Proxy says that a TLS proxy on this computer stands before Conch. Otherwise Conch answers the port itself,
	// with the certificate and the key in these two PEM files.
	Proxy bool   `json:"proxy,omitempty"`
	Cert  string `json:"certificate,omitempty"`
	Key   string `json:"key,omitempty"`
}

// Password says whether a Conch password is set.
func (d *Doc) Password() bool { return d.Hash != "" }

// File is the document on disk; its Change is the only writer.
type File struct{ doc *state.File[Doc] }

// Open declares the document in d.
func Open(d *state.Dir, log *slog.Logger) *File { return &File{state.NewFile[Doc](d, Name, 1, log)} }

// Read returns the document; with an error it is zero.
func (f *File) Read() (Doc, error) { return f.doc.Read() }

// Change edits the document. One that can't be read stays as it is: it may ask for confirming, and a document that
// took its place would ask for nothing.
func (f *File) Change(change func(*Doc) error) error {
	if _, err := f.doc.Read(); err != nil {
		return err
	}
	return f.doc.Change(change)
}
