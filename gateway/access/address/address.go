// Package address is the HTTPS address by which devices elsewhere come to Conch: what a person types for it, checked,
// and its certificate. There are two kinds: Conch answers a port itself, with a certificate and a key in two PEM
// files, or a TLS proxy on this computer hands on to Conch's own port.
//
// The package listens nowhere and decides about no request. What it reads of a key never gets into an error.
package address

import (
	"errors"
	"net"
	"net/netip"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"conch/gateway/access"
	"conch/gateway/access/keep"
)

const (
	// Port is where Conch answers itself, unless the person says otherwise.
	Port = 4779
	// ProxyPort is where a proxy answers, unless the person says otherwise.
	ProxyPort = 443
)

// Error says why an address can't be used, in words for a person.
type Error struct{ Say, Next string }

func (e *Error) Error() string { return e.Say + " " + e.Next }

// Check completes what a person typed, or says what is wrong with it. It looks at no file.
func Check(a keep.Address) (keep.Address, error) {
	a.Name = strings.ToLower(strings.TrimSpace(a.Name))
	if err := checkName(a.Name); err != nil {
		return keep.Address{}, err
	}
	if a.Port == 0 {
		a.Port = Port
		if a.Proxy {
			a.Port = ProxyPort
		}
	}
	if a.Port < 1 || a.Port > 65535 {
		return keep.Address{}, &Error{"That is no port.", "Give a whole number from 1 to 65535."}
	}
	if a.Proxy {
		a.Cert, a.Key = "", ""
		return a, nil
	}
	a.Cert, a.Key = strings.TrimSpace(a.Cert), strings.TrimSpace(a.Key)
	for _, file := range []string{a.Cert, a.Key} {
		if !filepath.IsAbs(file) || strings.ContainsRune(file, 0) {
			return keep.Address{}, &Error{"It isn’t said where the certificate and its key are.", "Give the whole path of both files, such as /home/you/conch.pem."}
		}
	}
	return a, nil
}

var numeric = regexp.MustCompile(`^([0-9]+|0x[0-9a-f]*)$`)

func checkName(name string) error {
	if ip, err := netip.ParseAddr(name); err == nil {
		if ip.Is4() && !ip.IsLoopback() && !ip.IsUnspecified() && !ip.IsMulticast() {
			return nil
		}
		return &Error{"That address leads nowhere from another device.", "Give this computer’s name, or its IPv4 address in your network."}
	}
	bad := &Error{"That isn’t a name that a browser can go to.", "Give it as conch.example.org, without https:// and without a path."}
	if name == "" || len(name) > 253 {
		return bad
	}
	labels := strings.Split(name, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return bad
		}
	}
	last := labels[len(labels)-1]
	// A browser reads a name that ends in a number as an IPv4 address, also in hexadecimal and with parts left out: 127.0x1
	// is this computer itself (URL Standard, "ends in a number checker").
	if numeric.MatchString(last) {
		return bad
	}
	if last == "localhost" {
		return &Error{"That is this computer’s name for itself.", "Give a name that your other devices know it by."}
	}
	return nil
}

// Host is an address as a browser sends it; "" when it is off or not whole.
func Host(a keep.Address) string {
	if !a.On || a.Name == "" || a.Port < 1 || a.Port > 65535 {
		return ""
	}
	if a.Port == 443 {
		return a.Name
	}
	return net.JoinHostPort(a.Name, strconv.Itoa(a.Port))
}

// URL is an address as a person types it; "" as for Host.
func URL(a keep.Address) string {
	if host := Host(a); host != "" {
		return "https://" + host
	}
	return ""
}

// Outside is what the guard asks: the address in the document, and who knows the devices.
type Outside struct {
	File    *keep.File
	Devices interface {
		Known(cookie string) (id string, in bool)
	}
}

// Address is the address as the document says now. One that can't be read is none, and neither is one that a hand
// made into something that Check wouldn't take.
func (o *Outside) Address() access.Address {
	doc, err := o.File.Read()
	if err != nil || !doc.Address.On {
		return access.Address{}
	}
	a, err := Check(doc.Address)
	if err != nil {
		return access.Address{}
	}
	return access.Address{Host: Host(a), Proxy: a.Proxy}
}

// Known says whose a device's cookie is.
func (o *Outside) Known(cookie string) (id string, in bool) { return o.Devices.Known(cookie) }

var errNoFile = errors.New("not a plain file")
