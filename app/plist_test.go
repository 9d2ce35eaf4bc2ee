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
		"CFBundleIconFile": "Conch", "CFBundleSupportedPlatforms": "…",
	} {
		if got[key] != want {
			t.Errorf("%s is %q, want %q", key, got[key], want)
		}
	}
	if !strings.Contains(got["NSScreenCaptureUsageDescription"], "screen") {
		t.Error("nothing says why the screen is looked at")
	}
}

// Only the pages of this computer may come over plain http, and nothing of another reach is asked for.
func TestInfoPlistStaysNarrow(t *testing.T) {
	text, err := os.ReadFile("../Info.plist")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), "<key>NSAllowsLocalNetworking</key>") != 1 {
		t.Error("the pages can't be loaded")
	}
	for _, never := range []string{
		"NSAllowsArbitraryLoads", "NSExceptionDomains", "NSAppleEventsUsageDescription", "NSCameraUsageDescription",
		"NSMicrophoneUsageDescription", "NSAppleScriptEnabled", "CFBundleURLTypes", "CFBundleDocumentTypes", "LSEnvironment",
	} {
		if strings.Contains(string(text), never) {
			t.Errorf("%s is there", never)
		}
	}
}

// The names that the bundle's parts know each other by.
func TestBundleNames(t *testing.T) {
	script, err := os.ReadFile("../.ci/mac-app")
	if err != nil {
		t.Fatal(err)
	}
	plist := readDict(t, "../Info.plist")
	for _, want := range []string{
		"Contents/MacOS/" + plist["CFBundleExecutable"] + `"`, "Contents/Resources/" + plist["CFBundleIconFile"] + ".icns",
		"MACOSX_DEPLOYMENT_TARGET=" + plist["LSMinimumSystemVersion"], "--options runtime", "--entitlements entitlements.plist",
		"codesign --verify --strict", "spctl --assess",
	} {
		if !strings.Contains(string(script), want) {
			t.Errorf(".ci/mac-app has no %q", want)
		}
	}
	if strings.Contains(string(script), "--deep") {
		t.Error("--deep signs what it doesn't know")
	}
	// Reopening opens the app that the program is in, which it finds by these names.
	if plist["CFBundleExecutable"] != "conch" {
		t.Error("bundleOf looks for Contents/MacOS/conch")
	}
}

// Seeing and clicking need no entitlement, so any that turns up here widens what a fault could do.
func TestNoEntitlements(t *testing.T) {
	if got := readDict(t, "../entitlements.plist"); len(got) != 0 {
		t.Errorf("entitlements: %v", got)
	}
}
