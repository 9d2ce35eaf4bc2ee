// Package e2e proves what a person is promised, with the program as it is shipped, on real X11 desktops and with
// the pages in a real browser. Its tests judge by what applications received, by what the X server says is
// held or shown, and by what the pages show; never by what Conch says about itself.
//
// It holds tests only. Nothing imports it, and it never touches the display or the folder of whoever runs it.
package e2e
