package main

import (
	"net/url"
	"strings"
)

// How a page of Conch's window came to want an address.
const (
	fromPage   = 0 // the page itself goes there: a form, a script, a redirect
	fromPerson = 1 // the person pressed a link
	fromFrame  = 2 // a part of the page
	fromNew    = 3 // for a window of its own
)

// What Conch's window does with an address.
const (
	pageStays    = 0 // it is loaded
	pageOutside  = 1 // the person's browser, or mail program, opens it
	pageRefused  = 2 // nothing happens
	pageInstead  = 3 // it is loaded here, in the place of the window that was asked for
	longestOther = 4096
)

// pageRule decides about an address in Conch's own window. Only pages of the running Conch are ever loaded;
// what leads elsewhere goes to the browser when a person pressed it, and nowhere otherwise.
func pageRule(origin, address string, from int) int {
	own, err := url.Parse(origin)
	if err != nil || own.Host == "" {
		return pageRefused
	}
	to, err := url.Parse(address)
	if err != nil || len(address) > longestOther || strings.ContainsAny(address, "\x00\r\n") {
		return pageRefused
	}
	ours := to.Scheme == own.Scheme && to.Host == own.Host && to.User == nil && to.Opaque == ""
	switch {
	case ours && from == fromNew:
		return pageInstead
	case ours && (from == fromPage || from == fromPerson):
		return pageStays
	case from != fromPerson && from != fromNew:
		return pageRefused
	}
	switch to.Scheme {
	case "https", "http":
		if to.Host != "" && !ours {
			return pageOutside
		}
	case "mailto":
		return pageOutside
	}
	return pageRefused
}
