package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// readDict reads a property list's outer dictionary: texts, "true" or "false", and "…" for anything deeper.
func readDict(t *testing.T, file string) map[string]string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	dict, key, depth := map[string]string{}, "", 0
	for dec := xml.NewDecoder(f); ; {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return dict
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		switch tok := tok.(type) {
		case xml.EndElement:
			depth--
		case xml.StartElement:
			depth++
			if depth != 3 { // plist, dict, then what is in it
				continue
			}
			switch tok.Name.Local {
			case "key", "string":
				var text string
				if err := dec.DecodeElement(&text, &tok); err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				depth--
				if tok.Name.Local == "string" {
					dict[key] = text
				} else if key = text; dict[key] != "" {
					t.Errorf("%s: %s is there twice", file, key)
				}
			case "true", "false":
				dict[key] = tok.Name.Local
			default:
				dict[key] = "…"
			}
		}
	}
}

// What macOS ties the person's two switches to, and what the menu-bar program relies on.
func TestInfoPlist(t *testing.T) {
	got := readDict(t, "../Info.plist")
	for key, want := range map[string]string{
		"CFBundleIdentifier": "app.conch.Conch", "CFBundleExecutable": "conch", "CFBundlePackageType": "APPL",
		"CFBundleShortVersionString": version, "LSMinimumSystemVersion": "14.0",
		"LSUIElement": "true", "LSMultipleInstancesProhibited": "true", "NSHighResolutionCapable": "true",
		"NSSupportsAutomaticTermination": "false", "NSSupportsSuddenTermination": "false", "NSAppTransportSecurity": "…",
	} {
		if got[key] != want {
			t.Errorf("%s is %q, want %q", key, got[key], want)
		}
	}
	if !strings.Contains(got["NSScreenCaptureUsageDescription"], "screen") {
		t.Error("nothing says why the screen is looked at")
	}
}

// Seeing and clicking need no entitlement, so any that turns up here widens what a fault could do.
func TestNoEntitlements(t *testing.T) {
	if got := readDict(t, "../entitlements.plist"); len(got) != 0 {
		t.Errorf("entitlements: %v", got)
	}
}
