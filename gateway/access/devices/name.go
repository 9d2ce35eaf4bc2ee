package devices

import "strings"

// browsers and systems, each found by the first word of its list that a browser says of itself. The order counts:
// nearly every browser says that it is Safari too, and Android says Linux.
var (
	browsers = [][2]string{
		{"Edg", "Edge"},
		{"OPR/", "Opera"},
		{"SamsungBrowser", "Samsung Internet"},
		{"Firefox/", "Firefox"},
		{"FxiOS", "Firefox"},
		{"CriOS", "Chrome"},
		{"Chromium", "Chromium"},
		{"Chrome/", "Chrome"},
		{"Safari/", "Safari"},
	}
	systems = [][2]string{
		{"iPhone", "iPhone"},
		{"iPad", "iPad"},
		{"Android", "Android"},
		{"CrOS", "a Chromebook"},
		{"Windows", "Windows"},
		{"Macintosh", "a Mac"},
		{"Linux", "Linux"},
	}
)

// Name reads from User-Agent what a person would call a browser: "Safari on iPhone". Nothing of the text itself is
// taken over, so whoever signs in can't write on the person's page.
func Name(userAgent string) string {
	browser, system := "A browser", ""
	for _, b := range browsers {
		if strings.Contains(userAgent, b[0]) {
			browser = b[1]
			break
		}
	}
	for _, s := range systems {
		if strings.Contains(userAgent, s[0]) {
			system = " on " + s[1]
			break
		}
	}
	return browser + system
}
