package driver

import (
	"slices"
	"strings"
	"unicode"
)

// Usable says whether a person does something with what has this role (WAI-ARIA 1.2), rather than read it.
func Usable(role string) bool {
	switch role {
	case "button", "checkbox", "combobox", "gridcell", "link", "listbox", "menuitem", "menuitemcheckbox",
		"menuitemradio", "option", "radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox",
		"treeitem", "columnheader", "rowheader", "scrollbar":
		return true
	}
	return false
}

// PlainName makes the names of controls comparable: small letters, single spaces, no mark of an access key and no
// dots that say a dialog will follow.
func PlainName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '_' || r == '&' {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
	return strings.TrimRight(strings.Join(strings.Fields(s), " "), "….: ")
}

// NameFits says whether a control of this name may be meant by want: it is that, begins with it or holds it. rank
// is the less the better it fits.
func NameFits(name, want string) (rank int, ok bool) {
	name, want = PlainName(name), PlainName(want)
	switch {
	case want == "":
		return 0, false
	case name == want:
		return 0, true
	case strings.HasPrefix(name, want):
		return 1, true
	case strings.Contains(name, want):
		return 2, true
	}
	return 0, false
}

// BestControls returns those of found that may be meant by want, in order: how well the name fits, then what can
// be used before mere words, then as they came. The words inside something that fits as well are left out.
func BestControls(found []Control, want string) []Control {
	type hit struct {
		Control
		rank int
	}
	var hits []hit
	for _, c := range found {
		if rank, ok := NameFits(c.Name, want); ok {
			rank *= 2
			if !Usable(c.Role) {
				rank++
			}
			hits = append(hits, hit{c, rank})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return a.rank - b.rank })
	var out []Control
	for _, h := range hits {
		inside := slices.ContainsFunc(out, func(c Control) bool {
			return Usable(c.Role) && !Usable(h.Role) && c.Bounds.Intersect(h.Bounds) == h.Bounds
		})
		if !inside {
			out = append(out, h.Control)
		}
	}
	return out
}
