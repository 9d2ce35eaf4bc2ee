package main

import "os/exec"

// browserOpener is the program that opens a file in the person's browser, or "" without a screen to open it on.
func browserOpener(getenv func(string) string) string {
	if getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" {
		return ""
	}
	const opener = "xdg-open"
	if _, err := exec.LookPath(opener); err != nil {
		return ""
	}
	return opener
}
