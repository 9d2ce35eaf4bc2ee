package main

// #include <stdlib.h>
// #include "page_darwin.h"
import "C"

import (
	"net/url"
	"unsafe"

	"github.com/progrium/darwinkit/macos/appkit"
	"github.com/progrium/darwinkit/macos/foundation"
	"github.com/progrium/darwinkit/macos/webkit"
	"github.com/progrium/darwinkit/objc"
)

// pageWindow is Conch's own window, with one page in it. Only the main thread touches it.
type pageWindow struct {
	window appkit.Window
	keeper unsafe.Pointer // cn_page_keeper
}

const (
	windowWidth, windowHeight = 1040, 780
	windowLeast               = 390 // the narrowest that pages are made for
)

//export cn_page_rule
func cn_page_rule(origin, address *C.char, from C.int32_t) C.int32_t { //nolint:revive // C knows it by this name
	return C.int32_t(pageRule(C.GoString(origin), C.GoString(address), int(from)))
}

// newPageWindow makes the window for the pages of address's origin. It is kept when it is closed: what the
// person typed and didn't send is there when it comes back.
func newPageWindow(address string) *pageWindow {
	frame := foundation.Rect{Size: foundation.Size{Width: windowWidth, Height: windowHeight}}
	style := appkit.WindowStyleMaskTitled | appkit.WindowStyleMaskClosable | appkit.WindowStyleMaskMiniaturizable | appkit.WindowStyleMaskResizable
	w := appkit.NewWindowWithContentRectStyleMaskBackingDefer(frame, style, appkit.BackingStoreBuffered, false)
	w.Retain()
	w.SetReleasedWhenClosed(false)
	w.SetTitle("Conch")
	w.SetMinSize(foundation.Size{Width: windowLeast, Height: windowLeast})
	w.Center()
	objc.Call[uint64](w, objc.Sel("setFrameAutosaveName:"), "Conch")

	config := webkit.NewWebViewConfiguration()
	// Nothing of a page is written down: each window proves itself anew, with a code of its own.
	config.SetWebsiteDataStore(webkit.WebsiteDataStore_NonPersistentDataStore())
	view := webkit.NewWebViewWithFrameConfiguration(frame, config)
	view.SetAllowsBackForwardNavigationGestures(true)
	origin := C.CString(originOf(address))
	defer C.free(unsafe.Pointer(origin))
	p := &pageWindow{window: w, keeper: C.cn_page_keeper(origin)}
	C.cn_page_keep(p.keeper, view.Ptr())
	w.SetContentView(view)
	setMainMenu(objc.ObjectFrom(p.keeper))
	return p
}

// originOf is where a page comes from. The address is one of ours, so it can be read.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

func (p *pageWindow) show(address string) {
	to := C.CString(address)
	defer C.free(unsafe.Pointer(to))
	C.cn_page_load(p.keeper, to)
	p.front()
}

// front brings the window to the person, who asked for it.
func (p *pageWindow) front() {
	p.window.MakeKeyAndOrderFront(nil)
	objc.Call[objc.Void](appkit.Application_SharedApplication(), objc.Sel("activateIgnoringOtherApps:"), true)
}

// setMainMenu gives Conch the main menu of mainmenu.go.
func setMainMenu(keeper objc.Object) {
	bar := appkit.NewMenuWithTitle("")
	for _, menu := range mainMenu() {
		sub := appkit.NewMenuWithTitle(menu.Name)
		for _, c := range menu.Items {
			if c.Title == "" {
				sub.AddItem(appkit.MenuItem_SeparatorItem())
				continue
			}
			item := appkit.NewMenuItemWithTitleActionKeyEquivalent(c.Title, objc.Sel(c.Selector), c.Key)
			if c.Shift {
				item.SetKeyEquivalentModifierMask(appkit.EventModifierFlagCommand | appkit.EventModifierFlagShift)
			}
			if c.Page {
				item.SetTarget(keeper)
			}
			sub.AddItem(item)
		}
		top := appkit.NewMenuItemWithTitleActionKeyEquivalent(menu.Name, objc.Selector{}, "")
		top.SetSubmenu(sub)
		bar.AddItem(top)
	}
	appkit.Application_SharedApplication().SetMainMenu(bar)
}
