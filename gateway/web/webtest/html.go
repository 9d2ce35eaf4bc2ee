package webtest

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// CheckHTML fails the test for each of a page's Faults.
func CheckHTML(t *testing.T, name string, source []byte, whole bool, served func(method, path string) bool) {
	t.Helper()
	for _, fault := range Faults(source, whole, served) {
		t.Errorf("%s: %s", name, fault)
	}
}

// Faults finds all that no page of Conch may have: an address elsewhere, an inline script, style or handler,
// a control without a name, an id twice, an address that nobody serves. whole says that it is a page rather
// than a part. served answers whether a method and path are served.
func Faults(source []byte, whole bool, served func(method, path string) bool) []string {
	root, err := html.Parse(bytes.NewReader(source))
	if err != nil {
		return []string{err.Error()}
	}
	c := &checker{ids: map[string]bool{}, served: served}
	c.collect(root)
	c.walk(root)
	if whole {
		c.page(root)
	}
	return c.faults
}

type checker struct {
	faults []string
	ids    map[string]bool
	labels map[string]bool // ids that a label is for
	served func(method, path string) bool
}

func (c *checker) bad(n *html.Node, what string) {
	var b bytes.Buffer
	_ = html.Render(&b, n)
	short := b.String()
	if len(short) > 160 {
		short = short[:160] + "…"
	}
	c.faults = append(c.faults, what+": "+short)
}

func (c *checker) collect(n *html.Node) {
	if c.labels == nil {
		c.labels = map[string]bool{}
	}
	for d := range n.Descendants() {
		if d.Type != html.ElementNode {
			continue
		}
		if d.Data == "label" {
			c.labels[attr(d, "for")] = true
		}
		if id := attr(d, "id"); id != "" {
			if c.ids[id] {
				c.bad(d, "this id is there twice")
			}
			c.ids[id] = true
		}
	}
}

func (c *checker) walk(root *html.Node) {
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "style", "iframe", "object", "embed", "base":
			c.bad(n, "this element is never used")
		case "script":
			if attr(n, "src") == "" || n.FirstChild != nil {
				c.bad(n, "an inline script")
			}
		case "button", "input", "select", "textarea", "a", "summary", "img":
			if !c.named(n) {
				c.bad(n, "it has no name")
			}
			if n.Data == "button" && attr(n, "type") == "" && attr(n, "value") == "" {
				c.bad(n, "a button without a type sends its form")
			}
		}
		for _, a := range n.Attr {
			c.attribute(n, a)
		}
	}
}

func (c *checker) attribute(n *html.Node, a html.Attribute) {
	switch {
	case a.Key == "style":
		c.bad(n, "an inline style")
	case strings.HasPrefix(a.Key, "on"):
		c.bad(n, "an inline handler")
	case strings.Contains(a.Val, "ZgotmplZ"):
		c.bad(n, "a value that the template refused")
	case a.Key == "href", a.Key == "src", a.Key == "action", a.Key == "formaction", a.Key == "srcset", a.Key == "poster":
		method := http.MethodGet
		if a.Key == "action" {
			method = strings.ToUpper(attr(n, "method"))
		}
		c.address(n, method, a.Val)
	case a.Key == "aria-labelledby", a.Key == "aria-describedby", a.Key == "aria-controls":
		for _, id := range strings.Fields(a.Val) {
			if !c.ids[id] {
				c.bad(n, "it names an id that isn't there")
			}
		}
	}
}

func (c *checker) address(n *html.Node, method, to string) {
	to, inside, _ := strings.Cut(to, "#")
	if to == "" && inside != "" {
		if !c.ids[inside] {
			c.bad(n, "it leads to an id that isn't there")
		}
		return
	}
	if !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") {
		c.bad(n, "an address elsewhere")
		return
	}
	if !c.served(method, to) {
		c.bad(n, "nobody serves this address")
	}
}

// named says whether a person who can't see it is told what it is.
func (c *checker) named(n *html.Node) bool {
	if n.Data == "img" {
		for _, a := range n.Attr {
			if a.Key == "alt" {
				return true
			}
		}
		return false
	}
	if attr(n, "aria-label") != "" || attr(n, "aria-labelledby") != "" {
		return true
	}
	if n.Data == "input" || n.Data == "textarea" || n.Data == "select" {
		if c.labels[attr(n, "id")] && attr(n, "id") != "" {
			return true
		}
		for p := n.Parent; p != nil; p = p.Parent {
			if p.Data == "label" && text(p) != "" {
				return true
			}
		}
		return false
	}
	return text(n) != ""
}

func (c *checker) page(root *html.Node) {
	count := map[string]int{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		count[n.Data]++
		if n.Data == "title" && !strings.HasSuffix(text(n), "· Conch") && n.Parent.Data == "head" {
			c.bad(n, "the title doesn't end in “· Conch”")
		}
		if n.Data == "html" && attr(n, "lang") == "" {
			c.faults = append(c.faults, "the page has no language")
		}
	}
	for _, one := range []string{"title", "main", "h1"} {
		if count[one] != 1 {
			c.faults = append(c.faults, fmt.Sprintf("%d <%s>, want 1", count[one], one))
		}
	}
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Served makes a function for CheckHTML of patterns of http.ServeMux.
func Served(patterns ...string) func(method, path string) bool {
	mux := http.NewServeMux()
	for _, p := range patterns {
		mux.HandleFunc(p, func(http.ResponseWriter, *http.Request) {})
	}
	return func(method, path string) bool {
		_, pattern := mux.Handler(httptest.NewRequest(method, path, nil))
		return pattern != ""
	}
}

// Paths finds every path of ours that a script names, with its holes filled by "x".
func Paths(script string) []string {
	var found []string
	for _, m := range scriptPath.FindAllStringSubmatch(script, -1) {
		found = append(found, hole.ReplaceAllString(m[1], "x"))
	}
	return found
}

var (
	scriptPath = regexp.MustCompile("[\"'`](/(?:[a-z][^\"'`\\s]*)?)[\"'`]")
	hole       = regexp.MustCompile(`\$\{[^}]*\}`)
)
