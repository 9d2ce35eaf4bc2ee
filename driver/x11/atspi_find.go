//go:build linux

package x11

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"conch/driver"
)

// search looks for a name in a tree.
type search struct {
	want string
	seen int
	hits []hit
}

// hit is something that fits.
type hit struct {
	driver.Control
	rank int // 0 the same, 1 begins with it, 2 contains it
}

// Bounds of a search: a page in a browser can have a hundred thousand objects.
const (
	mostNodes    = 4000
	mostChildren = 500
	mostHits     = 50
)

// walk goes through what is shown of a window, level by level, until the time or the bounds are reached. What
// was found by then counts.
func (s *search) walk(ctx context.Context, t *tongue, in frame) {
	level := []node{in.node}
	for depth := 0; depth < deepest && len(level) > 0; depth++ {
		var next []node
		for _, n := range level {
			if s.seen++; s.seen > mostNodes || len(s.hits) >= mostHits || ctx.Err() != nil {
				return
			}
			c, shown, ok := t.describe(ctx, n, in.scale)
			if !ok || (!shown && depth > 0) {
				continue
			}
			if c.Name == "" && usable(c.Role) {
				c.Name = t.label(ctx, n)
			}
			s.weigh(c, depth)
			kids := t.children(ctx, n)
			next = append(next, kids[:min(len(kids), mostChildren)]...)
		}
		level = next
	}
}

func (s *search) weigh(c driver.Control, depth int) {
	if depth == 0 || c.Bounds.Empty() {
		return // the window itself, or nothing that could be pointed at
	}
	name := plainName(c.Name)
	rank := 0
	switch {
	case name == s.want:
	case strings.HasPrefix(name, s.want):
		rank = 1
	case strings.Contains(name, s.want):
		rank = 2
	default:
		return
	}
	s.hits = append(s.hits, hit{c, rank})
}

// best puts the hits in order: how well the name fits, then what can be used before mere words, then the order
// of the window. The words inside something that fits as well are left out.
func (s *search) best(w driver.WindowID) []driver.Control {
	hits := slices.Clone(s.hits)
	slices.SortStableFunc(hits, func(a, b hit) int {
		if a.rank != b.rank {
			return a.rank - b.rank
		}
		return int(weight(a.Role)) - int(weight(b.Role))
	})
	var out []driver.Control
	for _, h := range hits {
		inside := slices.ContainsFunc(out, func(c driver.Control) bool {
			return usable(c.Role) && !usable(h.Role) && c.Bounds.Intersect(h.Bounds) == h.Bounds
		})
		if !inside {
			h.Window = w
			out = append(out, h.Control)
		}
	}
	return out
}

func weight(role string) byte {
	if usable(role) {
		return 0
	}
	return 1
}

// plainName makes names comparable: small letters, single spaces, no mark of an access key and no dots that
// say a dialog will follow.
func plainName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '_' || r == '&' {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	return strings.TrimSpace(strings.TrimRight(s, "….:"))
}

const rolePassword = 40

// usable says whether a person does something with what has this role, rather than read it.
func usable(role string) bool {
	switch role {
	case "button", "checkbox", "combobox", "gridcell", "link", "listbox", "menuitem", "menuitemcheckbox",
		"menuitemradio", "option", "radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox",
		"treeitem", "columnheader", "rowheader", "scrollbar":
		return true
	}
	return false
}

// roleOf says a role in ARIA's words (WAI-ARIA 1.2; core AAM 1.2 maps them to AtspiRole). A role that has no
// such word is "generic".
func roleOf(number uint32) string {
	if r, ok := roleWords[number]; ok {
		return r
	}
	return "generic"
}

var roleWords = map[uint32]string{
	2: "alert", 7: "checkbox", 8: "menuitemcheckbox", 10: "columnheader", 11: "combobox", 12: "textbox",
	13: "option", 15: "slider", 16: "dialog", 19: "dialog", 22: "dialog", 23: "window", 26: "img", 27: "img",
	29: "text", 31: "list", 32: "option", 33: "menuitem", 34: "menubar", 35: "menuitem", 37: "tab", 38: "tablist",
	39: "group", rolePassword: "textbox", 41: "menu", 42: "progressbar", 43: "button", 44: "radio",
	45: "menuitemradio", 47: "rowheader", 48: "scrollbar", 50: "separator", 51: "slider", 52: "spinbutton",
	54: "status", 55: "table", 56: "gridcell", 57: "columnheader", 58: "rowheader", 59: "menuitem", 60: "textbox",
	61: "textbox", 62: "button", 63: "toolbar", 64: "tooltip", 65: "tree", 66: "treegrid", 69: "window",
	73: "paragraph", 75: "application", 76: "combobox", 79: "textbox", 82: "document", 83: "heading", 87: "form",
	88: "link", 90: "row", 91: "treeitem", 92: "document", 94: "document", 95: "document", 96: "document",
	98: "listbox", 99: "group", 101: "alert", 103: "meter", 105: "blockquote", 109: "article", 110: "region",
	111: "log", 112: "marquee", 113: "math", 115: "timer", 116: "text", 129: "button", 130: "switch",
}
