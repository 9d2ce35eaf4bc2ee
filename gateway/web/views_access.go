package web

import "time"

// PathDevices is Settings → Other devices.
const PathDevices = "/settings/devices"

// DevicesPage is Settings → Other devices: the address, the devices that wait, and those that were let in.
type DevicesPage struct {
	Frame
	Address Address
	Devices Devices
}

// Address is the row with Conch's HTTPS address, "address-row".
type Address struct {
	On     bool
	URL    string // https://conch.example.org:4779; empty while there is none
	Broken string // why nobody comes in although it is on; empty when they can
	// Proxy says that a TLS proxy on this computer stands before Conch.
	Proxy bool
	// Ends is when the certificate ends; zero isn't shown.
	Ends time.Time
	// Password says that a Conch password is set, without which nobody could sign in.
	Password bool
	// Local says that the page is on this computer, where alone it is turned on.
	Local bool

	// What was typed last; where the files are is known on this computer only.
	Name, Certificate, Key string
	Port                   int // 0 isn't shown
}

// Devices is the list, "devices".
type Devices struct {
	Waiting []Device // oldest first; only on this computer
	In      []Device
	Broken  string // why the list can't be shown
	Local   bool
}

// Device is a browser elsewhere.
type Device struct {
	ID     string
	Name   string // "Safari on iPhone"
	Number string // four digits, on the device too
	From   string // the address that it signed in from; only while it waits
	Since  time.Time
	Seen   string // "Today", "3 November"
	This   bool   // it is the one that shows the page
}

// SignIn is the page for a browser elsewhere, until it was let in, 401.
type SignIn struct {
	Waiting bool   // it signed in, and waits
	Number  string // of one that waits
}

func (DevicesPage) page() string   { return "devices" }
func (DevicesPage) title() string  { return "Other devices" }
func (p DevicesPage) frame() Frame { return p.Frame }
func (SignIn) page() string        { return "signin" }
func (SignIn) title() string       { return "Sign in" }
func (Address) part() string       { return "address-row" }
func (Address) ElementID() string  { return "address-row" }
func (Devices) part() string       { return "devices" }
func (Devices) ElementID() string  { return "devices" }
