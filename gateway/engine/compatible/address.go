package compatible

import (
	"net/netip"
	"net/url"
	"strings"

	"conch/gateway/engine"
)

// Address reads the address of a server as a person writes or pastes it: "localhost:1234", "http://host:8000/v1/",
// "https://host/v1/chat/completions". What comes back ends in a version, without a slash. The error is a
// *engine.Problem.
func Address(s string) (string, error) {
	s = strings.TrimSpace(s)
	bad := &engine.Problem{
		Say: "I can't read this address.", Next: "Write it as the server shows it, such as http://127.0.0.1:1234/v1.",
	}
	if s == "" || strings.ContainsAny(s, " \t\r\n\\") {
		return "", bad
	}
	if !strings.Contains(s, "://") {
		scheme := "https://"
		if u, err := url.Parse("http://" + s); err == nil && (loopback(u.Hostname()) || u.Port() != "" && u.Port() != "443") {
			scheme = "http://"
		}
		s = scheme + s
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.Contains(u.Host, "%") {
		return "", bad
	}
	if u.User != nil {
		bad.Say, bad.Next = "This address has a name or a password in it.", "Leave that out, and put the key into its own field."
		return "", bad
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	for _, end := range []string{"/chat/completions", "/completions", "/models", "/responses"} {
		path = strings.TrimRight(strings.TrimSuffix(path, end), "/")
	}
	if path == "" {
		path = "/v1"
	}
	return u.Scheme + "://" + u.Host + path, nil
}

// local says whether an address is this computer, so that nothing leaves it.
func local(base string) bool {
	u, err := url.Parse(base)
	return err == nil && loopback(u.Hostname())
}

func loopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
