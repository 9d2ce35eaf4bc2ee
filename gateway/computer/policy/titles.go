package policy

import (
	"strings"

	"conch/driver"
)

// browsers by program, WM_CLASS or the last part of an id. A browser's window shows one page, so its title
// says what the page is. No other program's title does: a text file may be called anything.
var browsers = newMatcher(strings.Fields(`
	chrome google-chrome google-chrome-* chromium chromium-* ungoogled-chromium chrome-* firefox firefox-* firefoxdeveloperedition nightly
	navigator librewolf waterfox floorp zen zen-* zen_browser icecat iceweasel palemoon basilisk seamonkey torbrowser tor-browser mullvadbrowser
	brave brave-browser brave-browser-* brave-* microsoft-edge microsoft-edge-* edgemac msedge opera opera-* vivaldi vivaldi-* yandex-browser yandex-browser-*
	safari safaritechnologypreview arc thebrowser dia comet atlas epiphany epiphany-* org.gnome.epiphany web midori falkon konqueror qutebrowser
	nyxt luakit surf vimb badwolf eolie ephemeral min ferdium orion kagi duckduckgo webcatalog minibrowser netsurf dillo otter-browser viper
	gnome-web tangram *browser* *webkit* *webview* *chromium* *firefox*`))

// browserNames are what browsers put after a page's title, folded.
var browserNames = []string{
	"google chrome", "chromium", "chromium web browser", "mozilla firefox", "firefox", "firefox developer edition", "firefox nightly", "nightly",
	"mozilla firefox private browsing", "firefox private browsing", "microsoft edge", "microsoft edge beta", "microsoft edge dev", "brave", "opera", "opera gx",
	"vivaldi", "safari", "librewolf", "waterfox", "floorp", "zen browser", "tor browser", "mullvad browser", "pale moon", "seamonkey",
	"web", "gnome web", "epiphany", "falkon", "konqueror", "qutebrowser", "midori", "yandex browser", "incognito", "inprivate", "private browsing",
	"personal", "work", "private", "guest", "profile 1", "profile 2", "original profile",
}

// byTitle judges a browser window by its page.
func byTitle(w driver.Window, ms []mark) (Kept, bool) {
	title := fold(w.Title)
	if title == "" {
		return Kept{}, false
	}
	if !isBrowser(ms) {
		// A page can also be in a window of a program that no table names, so our own mark always counts.
		if strings.HasSuffix(title, "· conch") {
			return kept(Conch, "Conch", "title"), true
		}
		return Kept{}, false
	}
	if hasWord(title, "· conch") {
		return kept(Conch, "Conch", "title"), true
	}
	parts := pageParts(title)
	if len(parts) == 0 {
		return Kept{}, false
	}
	if len(parts) == 1 && parts[0] == "conch" {
		return kept(Conch, "Conch", "title"), true
	}
	if isReader(parts) {
		return Kept{}, false
	}
	for _, word := range foldedVaults {
		if hasWord(title, word) {
			return kept(Passwords, "this page", "title"), true
		}
	}
	for _, word := range foldedSites {
		if hasWord(title, word) {
			return kept(Money, "this page", "title"), true
		}
	}
	for _, part := range parts {
		if foldedNames[part] || namesBank(part) {
			return kept(Money, "this page", "title"), true
		}
	}
	return Kept{}, false
}

func isBrowser(ms []mark) bool {
	for _, m := range ms {
		if browsers.match(m.value) {
			return true
		}
	}
	return false
}

// pageParts splits a folded title where pages join their own name, and drops what the browser added.
func pageParts(title string) []string {
	cut := title
	for _, sep := range []string{" - ", " | ", " · ", " : ", ": ", " » ", " / ", " :: ", " > ", " ~ ", " _ ", " • "} {
		cut = strings.ReplaceAll(cut, sep, "\x00")
	}
	parts := strings.Split(cut, "\x00")
	for len(parts) > 0 && foldedBrowsers[strings.TrimSpace(parts[len(parts)-1])] {
		parts = parts[:len(parts)-1]
	}
	out := parts[:0]
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

func isReader(parts []string) bool {
	if len(parts) < 2 {
		return strings.HasSuffix(parts[0], " at duckduckgo")
	}
	last := parts[len(parts)-1]
	return foldedReaders[last] || strings.HasSuffix(last, " at duckduckgo")
}

// namesBank says whether a part of a title is a bank's name: at most four words, the last of them "bank", or
// one of the words that banks alone begin with.
func namesBank(part string) bool {
	words := strings.Fields(part)
	if len(words) < 2 || len(words) > 4 {
		return false
	}
	if pair := strings.Join(words[len(words)-2:], " "); pair == "credit union" || pair == "building society" {
		return true
	}
	if words[0] == "bank" && words[1] == "of" || words[0] == "banco" || words[0] == "banque" || words[0] == "banca" {
		return true
	}
	return words[len(words)-1] == "bank" && !banksNot[words[len(words)-2]]
}

var (
	foldedSites    = foldAll(siteWords)
	foldedVaults   = foldAll(vaultWords)
	foldedNames    = foldSet(siteNames)
	foldedReaders  = foldSet(readers)
	foldedBrowsers = foldSet(browserNames)
)

func foldAll(in []string) []string {
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = fold(s)
	}
	return out
}

func foldSet(in []string) map[string]bool {
	out := make(map[string]bool, len(in))
	for _, s := range in {
		out[fold(s)] = true
	}
	return out
}
