package skills

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"conch/gateway/plain"
)

var (
	markdownLink = plain.NewPattern(`\[([^\]]{1,400})\]\(\s*<?([^)\s>]+)`)
	htmlLink     = plain.NewPattern(`(?i)<a\s[^>]*href\s*=\s*["']?([^"'\s>]+)[^>]*>([^<]{1,400})`)
	address      = plain.NewPattern("(?i)\\b(?:https?|ftp)://[^\\s<>\"'`\\]]+")
	// A name with a dot and a known ending, as a person reads it in a link's words.
	shownHost = plain.NewPattern(`(?i)\b((?:[\pL\pN-]+\.)+(?:com|net|org|io|dev|app|ai|co|gov|edu|info|eu|de|uk|fr|es|it|nl|se|no|dk|fi|pl|cz|ru|cn|jp|ch|at|us|ca|au|br|in))\b`)
	odd       = plain.NewPattern(`(?i)^(javascript|data|vbscript|file|blob):`)
)

// shorteners lead somewhere that nobody can see before.
var shorteners = []string{"bit.ly", "tinyurl.com", "t.co", "goo.gl", "is.gd", "ow.ly", "buff.ly", "cutt.ly", "rebrand.ly", "rb.gy", "shorturl.at", "tiny.cc", "lnkd.in", "s.id", "v.gd"}

// links finds addresses that lead elsewhere than they seem to.
func (s *scanner) links(at Finding, line string) {
	say := func(words string) {
		at.Rule, at.Say = "link", words
		s.add(at, line)
	}
	shown := func(words, target string) {
		if odd().MatchString(target) {
			say("A link in it does something else than open a page.")
			return
		}
		m := shownHost().FindStringSubmatch(words)
		if m == nil {
			return
		}
		if host := hostOf(target); host != "" && !within(host, m[1]) {
			say("A link in it shows one address and leads to another: " + host + ".")
		}
	}
	for _, m := range markdownLink().FindAllStringSubmatch(line, 50) {
		shown(m[1], m[2])
	}
	for _, m := range htmlLink().FindAllStringSubmatch(line, 50) {
		shown(m[2], m[1])
	}
	for _, raw := range address().FindAllString(line, 50) {
		if why := disguised(strings.TrimRight(raw, ".,;:!?)")); why != "" {
			say(why)
		}
	}
}

// disguised says in which way an address hides where it leads; empty when it doesn't.
func disguised(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "An address in it can't be read."
	}
	host := strings.ToLower(u.Hostname())
	switch {
	case u.User != nil:
		return "An address in it begins with a name that isn't where it leads: it leads to " + host + "."
	case strings.Contains(host, "xn--") || strings.ContainsFunc(host, func(r rune) bool { return r >= 0x80 }):
		return "An address in it has letters that can look like others: " + host + "."
	case slices.Contains(shorteners, strings.TrimPrefix(host, "www.")):
		return "A short address in it hides where it leads: " + host + "."
	}
	if ip, err := netip.ParseAddr(host); err == nil && !ip.IsLoopback() {
		return "An address in it is only numbers: " + host + "."
	}
	return ""
}

func hostOf(target string) string {
	u, err := url.Parse(target)
	if err != nil || u.Scheme == "" {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// within says that host is the shown one, or a part of it.
func within(host, shown string) bool {
	host, shown = strings.TrimPrefix(host, "www."), strings.TrimPrefix(strings.ToLower(shown), "www.")
	return host == shown || strings.HasSuffix(host, "."+shown)
}
