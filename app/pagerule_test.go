package main

import (
	"net/url"
	"testing"
)

const testOrigin = "http://localhost:4778"

func TestPageRule(t *testing.T) {
	for _, c := range []struct {
		address string
		from    int
		want    int
	}{
		{testOrigin + "/", fromPage, pageStays},
		{testOrigin + "/chats/c1#here=code", fromPage, pageStays},
		{testOrigin + "/settings?x=1", fromPerson, pageStays},
		{testOrigin + "/settings", fromNew, pageInstead},
		{testOrigin + "/", fromFrame, pageRefused},
		{"https://example.com/", fromPerson, pageOutside},
		{"https://example.com/", fromNew, pageOutside},
		{"https://example.com/", fromPage, pageRefused},
		{"https://example.com/", fromFrame, pageRefused},
		{"mailto:someone@example.com", fromPerson, pageOutside},
		{"http://localhost:4779/", fromPage, pageRefused},
		{"http://localhost/", fromPage, pageRefused},
		{"http://127.0.0.1:4778/", fromPage, pageRefused}, // another origin, whose cookie is another
		{"http://localhost:4778@evil.test/", fromPage, pageRefused},
		{"http://user@localhost:4778/", fromPage, pageRefused},
		{"https://localhost:4778/", fromPage, pageRefused},
		{"http://localhost:4778.evil.test/", fromPage, pageRefused},
		{"file:///etc/passwd", fromPerson, pageRefused},
		{"javascript:alert(1)", fromPerson, pageRefused},
		{"data:text/html,x", fromPage, pageRefused},
		{"about:blank", fromPage, pageRefused},
		{"blob:http://localhost:4778/x", fromPerson, pageRefused},
		{"x-apple.systempreferences:com.apple.preference.security", fromPerson, pageRefused},
		{"/settings", fromPage, pageRefused},
		{"", fromPage, pageRefused},
		{"https:///x", fromPerson, pageRefused},
		{testOrigin + "/\r\nx", fromPage, pageRefused},
		{"https://example.com/", 7, pageRefused},
		{testOrigin, 7, pageRefused},
	} {
		if got := pageRule(testOrigin, c.address, c.from); got != c.want {
			t.Errorf("%q from %d: %d, want %d", c.address, c.from, got, c.want)
		}
	}
	if got := pageRule("", "http:///x", fromPage); got != pageRefused {
		t.Errorf("without an origin: %d", got)
	}
}

// FuzzPageRule looks for an address that is loaded though it isn't Conch's, or handed to another program
// though nobody pressed it.
func FuzzPageRule(f *testing.F) {
	f.Add(testOrigin+"/", 0)
	f.Add("https://example.com", 1)
	f.Add("http://localhost:4778\\@evil.test/", 0)
	f.Fuzz(func(t *testing.T, address string, from int) {
		got := pageRule(testOrigin, address, from)
		u, err := url.Parse(address)
		if (got == pageStays || got == pageInstead) && (err != nil || u.Scheme != "http" || u.Host != "localhost:4778" || u.User != nil) {
			t.Errorf("%q is loaded", address)
		}
		if got == pageOutside && (from != fromPerson && from != fromNew || err != nil || (u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto")) {
			t.Errorf("%q from %d goes outside", address, from)
		}
	})
}
