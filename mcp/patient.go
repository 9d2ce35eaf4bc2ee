package mcp

import (
	"net/http"
	"time"
)

// sendWithin is how long one write to an app may take before it counts as gone.
const sendWithin = 10 * time.Second

// patient is a writer for answers that may wait for the person. The server allows a time for the whole of an answer,
// which a question outlasts; here each write has its own, and what lies between two has none.
type patient struct {
	http.ResponseWriter
	rc *http.ResponseController
}

func newPatient(w http.ResponseWriter) *patient {
	p := &patient{w, http.NewResponseController(w)}
	_ = p.rc.SetWriteDeadline(time.Time{})
	return p
}

// Unwrap is for http.ResponseController.
func (p *patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// Write writes within sendWithin.
func (p *patient) Write(data []byte) (int, error) {
	p.hurry()
	return p.ResponseWriter.Write(data)
}

// Flush sends what was written; then there is no hurry until something else is.
func (p *patient) Flush() {
	p.hurry()
	_ = p.rc.Flush()
	_ = p.rc.SetWriteDeadline(time.Time{})
}

// hurry is for what is sent now, and once more at the end, for what the server still has.
func (p *patient) hurry() { _ = p.rc.SetWriteDeadline(time.Now().Add(sendWithin)) }
