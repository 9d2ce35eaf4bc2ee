package computer

import (
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"conch/driver"
	"conch/gateway/computer/policy"
	"conch/gateway/guard"
)

// target is one thing that a step touches, and the app that the person is asked about for it.
type target struct {
	touch  guard.Touch
	window driver.WindowID // 0: none
	app    driver.AppID
	name   string // for a person
	sure   bool   // the app is known by what it can't choose itself, so "always" can mean it
}

// theDesktop is what is under every window.
var theDesktop = target{app: "desktop", name: "the desktop", sure: true}

// targetOf says whose window windows[i] is. A menu, a dialog or what is being dragged, without an identity, is
// its owner's. A window may claim any owner, so where its process is known the owner must be of the same one.
func targetOf(windows []driver.Window, i int, kept map[driver.WindowID]policy.Kept) target {
	w := windows[i]
	t := target{touch: guard.Touch{Kept: kept[w.ID]}, window: w.ID}
	for range windows {
		if w.App != "" {
			break
		}
		owner := policy.Owner(windows, i)
		if owner < 0 || w.Exe != "" && windows[owner].PID != w.PID {
			break
		}
		i, w = owner, windows[owner]
	}
	t.app, t.name, t.sure = identify(w)
	return t
}

// targetOfApp is what opening an app touches.
func targetOfApp(a driver.App) target {
	k, _ := policy.KeptApp(a)
	name := plain(a.Name)
	if name == "" {
		name = capital(plain(lastPart(string(a.ID))))
	}
	return target{touch: guard.Touch{Kept: k}, app: a.ID, name: name, sure: true}
}

// identify names the app of a window. WM_CLASS is what a window says of itself, so it can be asked about but
// never always allowed; a window that says nothing is asked about by itself.
func identify(w driver.Window) (id driver.AppID, name string, sure bool) {
	name = plain(w.AppName)
	switch {
	case w.App != "":
		id, sure = w.App, true
	case w.Exe != "":
		id, sure = driver.AppID("program:"+w.Exe), true
		if name == "" {
			name = capital(plain(path.Base(w.Exe)))
		}
	case w.Class != "":
		id = driver.AppID("class:" + w.Class)
		if name == "" {
			name = capital(plain(w.Class))
		}
	default:
		id = driver.AppID("window:" + strconv.FormatUint(uint64(w.ID), 10))
	}
	if name == "" {
		name = capital(plain(lastPart(string(w.App))))
	}
	if name == "" {
		name = "an app I can't name"
	}
	return id, name, sure
}

func lastPart(id string) string { return id[strings.LastIndexByte(id, '.')+1:] }

// plain keeps a name that another program chose from looking like anything but a short name.
func plain(s string) string {
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, ""), func(r rune) bool {
		return !unicode.IsGraphic(r) || unicode.IsSpace(r)
	}), " ")
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60]) + "…"
	}
	return s
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}
