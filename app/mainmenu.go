package main

// menuCommand is one item of the Mac's main menu. The bar itself isn't shown, since Conch lives in the menu bar's
// corner; its keys work all the same while Conch's window is in front, and without an Edit menu there would be
// no ⌘C and ⌘V in a page. ⌘K isn't in it: that is the page's own.
type menuCommand struct {
	Title    string // empty is a separator
	Selector string
	Key      string // with ⌘
	Shift    bool
	Page     bool // the page's keeper does it, whoever has the keys; others go to what has them
}

// mainMenu is the main menu: each menu's name and its items. Selectors that begin with "cn" are our own, in
// page_darwin.m.
func mainMenu() []struct {
	Name  string
	Items []menuCommand
} {
	type menu = struct {
		Name  string
		Items []menuCommand
	}
	return []menu{
		{"Conch", []menuCommand{
			{Title: "Hide Conch", Selector: "hide:", Key: "h"},
			{},
			{Title: "Quit Conch", Selector: "terminate:", Key: "q"},
		}},
		{"File", []menuCommand{
			{Title: "New Chat", Selector: "cnNewChat:", Key: "n", Page: true},
			{},
			{Title: "Close Window", Selector: "performClose:", Key: "w"},
		}},
		{"Edit", []menuCommand{
			{Title: "Undo", Selector: "undo:", Key: "z"},
			{Title: "Redo", Selector: "redo:", Key: "z", Shift: true},
			{},
			{Title: "Cut", Selector: "cut:", Key: "x"},
			{Title: "Copy", Selector: "copy:", Key: "c"},
			{Title: "Paste", Selector: "paste:", Key: "v"},
			{Title: "Select All", Selector: "selectAll:", Key: "a"},
		}},
		{"View", []menuCommand{
			{Title: "Reload", Selector: "cnReload:", Key: "r", Page: true},
			{},
			{Title: "Actual Size", Selector: "cnZoomReset:", Key: "0", Page: true},
			{Title: "Zoom In", Selector: "cnZoomIn:", Key: "+", Page: true},
			{Title: "Zoom Out", Selector: "cnZoomOut:", Key: "-", Page: true},
		}},
		{"Window", []menuCommand{
			{Title: "Minimize", Selector: "performMiniaturize:", Key: "m"},
		}},
	}
}
