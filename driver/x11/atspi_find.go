//go:build linux

package x11

import (
	"context"

	"conch/driver"
)

// search looks for a name in a tree.
type search struct {
	want string
	seen int
	hits []driver.Control
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
			c, bits, ok := t.describe(ctx, n, in.scale)
			if !ok || (!bits.shown() && depth > 0) {
				continue
			}
			if c.Name == "" && driver.Usable(c.Role) {
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
	if _, ok := driver.NameFits(c.Name, s.want); ok {
		s.hits = append(s.hits, c)
	}
}

// best puts the hits in order, as controls of the window w.
func (s *search) best(w driver.WindowID) []driver.Control {
	out := driver.BestControls(s.hits, s.want)
	for i := range out {
		out[i].Window = w
	}
	return out
}

const rolePassword = 40

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
