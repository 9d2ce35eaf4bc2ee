package address

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"conch/gateway/access"
	"conch/gateway/access/keep"
	"conch/gateway/state"
)

func TestCheck(t *testing.T) {
	own := func(name string) keep.Address {
		return keep.Address{On: true, Name: name, Cert: "/c.pem", Key: "/k.pem"}
	}
	for name, want := range map[string]string{
		"conch.example.org": "https://conch.example.org:4779", " Conch.Example.ORG ": "https://conch.example.org:4779",
		"mac.local": "https://mac.local:4779", "mac": "https://mac:4779", "192.168.1.5": "https://192.168.1.5:4779", "xn--bcher-kva.test": "https://xn--bcher-kva.test:4779",
	} {
		if a, err := Check(own(name)); err != nil || URL(a) != want {
			t.Errorf("%q: %q, %v", name, URL(a), err)
		}
	}
	for _, name := range []string{
		"", " ", ".", "a..b", "-a.test", "a-.test", "a_b.test", "https://a.test", "a.test/x", "a.test:1", "a.test.", "bücher.test", "user@a.test",
		"localhost", "x.localhost", "127.0.0.1", "0.0.0.0", "::1", "[::1]", "224.0.0.1", "1.2.3", "0x7f.1", "127.0x1", "127.0X1", "0x7f000001", "conch.0x", "127.1.09", "*.a.test", "a.test\n", "a.test\x00", "a b",
		strings.Repeat("a", 64) + ".test", strings.Repeat("a.", 140) + "test",
	} {
		a, err := Check(own(name))
		var said *Error
		if name == "a.test\n" { // a person who pressed Return
			if err != nil || a.Name != "a.test" {
				t.Errorf("%q: %v", name, err)
			}
			continue
		}
		if !errors.As(err, &said) || said.Say == "" || said.Next == "" {
			t.Errorf("%q is taken as %q: %v", name, a.Name, err)
		}
	}
	for _, a := range []keep.Address{
		{Name: "a.test", Port: -1, Cert: "/c", Key: "/k"},
		{Name: "a.test", Port: 65536, Cert: "/c", Key: "/k"},
		{Name: "a.test"},
		{Name: "a.test", Cert: "c", Key: "/k"},
		{Name: "a.test", Cert: "/c", Key: "/k\x00"},
	} {
		if _, err := Check(a); err == nil {
			t.Errorf("%+v is taken", a)
		}
	}
	a, err := Check(keep.Address{On: true, Name: "a.test", Proxy: true, Cert: "/c", Key: "/k"})
	if err != nil || URL(a) != "https://a.test" || a.Cert != "" || a.Key != "" {
		t.Errorf("behind a proxy: %+v, %v", a, err)
	}
	a.On = false
	if Host(a) != "" || URL(a) != "" {
		t.Error("one that is off has an address")
	}
}

// FuzzName looks for a name that is taken and isn't one that a browser would go to by that very name.
func FuzzName(f *testing.F) {
	for _, s := range []string{"conch.example.org", "192.168.1.5", "a.test:1", "evil.test/..", "127.1", "xn--a", "127.A", "127.0x1", "0x7f000001", "a.0X", "0B0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		a, err := Check(keep.Address{On: true, Name: name, Proxy: true})
		if err != nil {
			return
		}
		if a.Name == "" || strings.ContainsAny(a.Name, "/:@?#[]\\ %\r\n\t\x00") || strings.HasSuffix(a.Name, "localhost") {
			t.Errorf("%q is taken as %q", name, a.Name)
		}
		// What ends in a number is an IPv4 address to a browser, however it is written.
		last := a.Name[strings.LastIndexByte(a.Name, '.')+1:]
		hex, is := strings.CutPrefix(last, "0x")
		if strings.Trim(last, "0123456789") == "" || is && strings.Trim(hex, "0123456789abcdef") == "" {
			if ip, err := netip.ParseAddr(a.Name); err != nil || ip.IsLoopback() {
				t.Errorf("%q is taken, which a browser reads as an address of its own: %v", a.Name, err)
			}
		}
		if again, err := Check(a); err != nil || again.Name != a.Name {
			t.Errorf("%q isn't taken as it was: %v", a.Name, err)
		}
	})
}

type nobody struct{}

func (nobody) Known(string) (string, bool) { return "", false }

// What a hand wrote into the file is checked as what was typed on a page.
func TestOutside(t *testing.T) {
	d, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	file := keep.Open(d, nil)
	out := &Outside{file, nobody{}}
	for _, tt := range []struct {
		doc  string
		want access.Address
	}{
		{`{}`, access.Address{}},
		{`{"address":{"on":true,"name":"a.test","proxy":true}}`, access.Address{Host: "a.test", Proxy: true}},
		{`{"address":{"on":true,"name":"a.test","certificate":"/c","key":"/k"}}`, access.Address{Host: "a.test:4779"}},
		{`{"address":{"on":false,"name":"a.test","proxy":true}}`, access.Address{}},
		{`{"address":{"name":"a.test","proxy":true}}`, access.Address{}},
		{`{"address":{"on":true,"proxy":true}}`, access.Address{}},
		{`{"address":{"on":true,"name":"localhost","proxy":true}}`, access.Address{}},
		{`{"address":{"on":true,"name":"a.test"}}`, access.Address{}},
		{`{"version":9,"address":{"on":true,"name":"a.test","proxy":true}}`, access.Address{}},
		{`{"address":{"on":true,"name":"a.test"`, access.Address{}},
	} {
		if err := d.Put(keep.Name, []byte(tt.doc)); err != nil {
			t.Fatal(err)
		}
		if got := out.Address(); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.doc, got, tt.want)
		}
	}
}
