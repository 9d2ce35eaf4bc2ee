package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
)

//go:embed templates static
var embedded embed.FS

// Assets returns the templates and static files that are part of the program.
func Assets() fs.FS { return embedded }

// Renderer renders pages and parts. It is safe for several goroutines.
type Renderer struct {
	tmpl   *template.Template
	static *staticFiles
}

// New reads assets (folders "templates" and "static"); Assets() gives the program's own. An error is a mistake
// in the assets.
func New(assets fs.FS) (*Renderer, error) {
	static, err := newStatic(assets)
	if err != nil {
		return nil, fmt.Errorf("web: read the static files: %w", err)
	}
	r := &Renderer{static: static}
	tmpl := template.New("").Option("missingkey=error").Funcs(r.funcs())
	names, err := fs.Glob(assets, "templates/*.html")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(assets, name)
		if err != nil {
			return nil, err
		}
		if _, err := tmpl.New(name).Parse(string(text)); err != nil {
			return nil, fmt.Errorf("web: %w", err)
		}
	}
	r.tmpl = tmpl
	return r, nil
}

// Page writes a whole page, or nothing and an error. Its headers (Content-Type, CSP, no-store) are the
// caller's; see Headers.
func (r *Renderer) Page(w io.Writer, v PageView) error {
	var b bytes.Buffer
	name := "page-" + v.page()
	if err := r.tmpl.ExecuteTemplate(&b, name, newPage(v)); err != nil {
		return fmt.Errorf("web: render %s: %w", name, err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Headers sets the headers that every page has.
func Headers(h http.Header) {
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", CSP)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}

// Part renders a live part.
func (r *Renderer) Part(v PartView) ([]byte, error) {
	var b bytes.Buffer
	if err := r.tmpl.ExecuteTemplate(&b, "part-"+v.part(), v); err != nil {
		return nil, fmt.Errorf("web: render %s: %w", v.part(), err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// Append is an update that adds a part to the end of an element: IDStream or StepsID(turn).
func (r *Renderer) Append(to string, v PartView, seq uint64) (Update, error) {
	html, err := r.Part(v)
	return Update{Op: OpAppend, ID: to, HTML: string(html), Seq: seq}, err
}

// Prepend is an update that puts a part at the start of an element: ActivityDayID(date).
func (r *Renderer) Prepend(to string, v PartView, seq uint64) (Update, error) {
	html, err := r.Part(v)
	return Update{Op: OpPrepend, ID: to, HTML: string(html), Seq: seq}, err
}

// Replace is an update that puts a part in the place of its former self.
func (r *Renderer) Replace(v PartView, seq uint64) (Update, error) {
	html, err := r.Part(v)
	return Update{Op: OpReplace, ID: v.ElementID(), HTML: string(html), Seq: seq}, err
}

// Remove is an update that takes out an element.
func Remove(id string, seq uint64) Update { return Update{Op: OpRemove, ID: id, Seq: seq} }

// Static serves PathStatic.
func (r *Renderer) Static() http.Handler { return r.static }

// page is what a page's template is given.
type page struct {
	Title   string // of the tab
	Heading string
	Name    string
	Chat    string // the chat whose live updates it follows; may be empty
	Frame   Frame
	Follow  *Follow // what the page shows of Activity; nil is another page
	View    PageView
}

func newPage(v PageView) page {
	p := page{Title: v.title() + " · Conch", Heading: v.title(), Name: v.page(), View: v}
	if in, ok := v.(interface{ frame() Frame }); ok {
		p.Frame = in.frame()
	}
	if a, ok := v.(Activity); ok && !a.Past {
		p.Follow = &Follow{a.Filter.query()}
	}
	if c, ok := v.(Chat); ok {
		p.Chat = c.ID
		p.Frame.Rail = p.Frame.Rail.at(c.ID)
	}
	return p
}
