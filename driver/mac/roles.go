package mac

// ariaRole says in ARIA's words (WAI-ARIA 1.2; Core AAM 1.2 maps them to AXRoles) what a control is. A subrole
// says more than its role does. What has no such word is "generic".
func ariaRole(role, subrole string) string {
	if r, ok := subroles[subrole]; ok {
		return r
	}
	if r, ok := roles[role]; ok {
		return r
	}
	return "generic"
}

var roles = map[string]string{
	"AXApplication": "application", "AXBrowser": "tree", "AXBusyIndicator": "progressbar", "AXButton": "button",
	"AXCell": "gridcell", "AXCheckBox": "checkbox", "AXColorWell": "button", "AXColumn": "generic", "AXComboBox": "combobox",
	"AXDateField": "textbox", "AXDisclosureTriangle": "button", "AXDockItem": "button", "AXDrawer": "dialog", "AXGrid": "grid",
	"AXGroup": "group", "AXHeading": "heading", "AXHelpTag": "tooltip", "AXImage": "img", "AXIncrementor": "spinbutton",
	"AXLevelIndicator": "meter", "AXLink": "link", "AXList": "list", "AXMenu": "menu", "AXMenuBar": "menubar",
	"AXMenuBarItem": "menuitem", "AXMenuButton": "button", "AXMenuItem": "menuitem", "AXOutline": "tree", "AXPage": "document",
	"AXPopUpButton": "combobox", "AXPopover": "dialog", "AXProgressIndicator": "progressbar", "AXRadioButton": "radio",
	"AXRadioGroup": "radiogroup", "AXRow": "row", "AXScrollArea": "group", "AXScrollBar": "scrollbar", "AXSheet": "dialog",
	"AXSlider": "slider", "AXSplitGroup": "group", "AXSplitter": "separator", "AXStaticText": "text", "AXTabGroup": "tablist",
	"AXTable": "table", "AXTextArea": "textbox", "AXTextField": "textbox", "AXTimeField": "textbox", "AXToolbar": "toolbar",
	"AXValueIndicator": "slider", "AXWebArea": "document", "AXWindow": "window",
}

var subroles = map[string]string{
	"AXCloseButton": "button", "AXContentList": "list", "AXDefinitionList": "list", "AXDescriptionList": "list",
	"AXDialog": "dialog", "AXSystemDialog": "dialog", "AXFloatingWindow": "window", "AXOutlineRow": "treeitem",
	"AXSearchField": "searchbox", "AXSecureTextField": "textbox", "AXSwitch": "switch", "AXTabButton": "tab", "AXToggle": "button",
	"AXApplicationAlert": "alert", "AXApplicationAlertDialog": "alertdialog", "AXApplicationDialog": "dialog",
	"AXApplicationLog": "log", "AXApplicationMarquee": "marquee", "AXApplicationStatus": "status", "AXApplicationTimer": "timer",
	"AXDocument": "document", "AXDocumentArticle": "article", "AXDocumentMath": "math", "AXDocumentNote": "note",
	"AXUserInterfaceTooltip": "tooltip", "AXLandmarkBanner": "banner", "AXLandmarkComplementary": "complementary",
	"AXLandmarkContentInfo": "contentinfo", "AXLandmarkForm": "form", "AXLandmarkMain": "main", "AXLandmarkNavigation": "navigation",
	"AXLandmarkRegion": "region", "AXLandmarkSearch": "search",
}
