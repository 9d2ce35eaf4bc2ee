package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"log/slog"
	"path"

	"conch/driver/x11/xserver"
)

// practiceFiles are the settings of the practice desktop's apps and a few things to work with.
//
//go:embed practice
var practiceFiles embed.FS

// practicePlaces says where in the practice desktop's home each of practiceFiles goes.
var practicePlaces = map[string]string{
	"rc.xml":            ".config/openbox/rc.xml",
	"gtk.ini":           ".config/gtk-3.0/settings.ini",
	"libfm.conf":        ".config/libfm/libfm.conf",
	"settings.ini":      ".config/glib-2.0/settings/keyfile",
	"Letter.txt":        "Documents/Letter.txt",
	"Shopping list.txt": "Documents/Shopping list.txt",
}

// practiceApps are the apps that stand open on the practice desktop. The terminal is there to be kept away
// from. The ground colour is opposite to the apps' white, so that a window's edge can be seen in a picture.
var practiceApps = [][]string{
	{"xterm", "-fa", "DejaVu Sans Mono", "-fs", "10", "-geometry", "59x13", "-title", "Terminal"},
	{"pcmanfm", "--no-desktop", "Documents"},
	{"galculator"},
	{"mousepad"},
}

// practiceNeeds are what there is no practice desktop without.
var practiceNeeds = []string{"Xvfb", "openbox", "dbus-daemon"}

const practiceGround = 0xC9D3DA

// startPractice starts a desktop of its own for trying Conch. Its home folder is new and goes with it, nothing
// reaches the person's own screen, and all of it ends with this process, however that ends. It is no prison:
// its apps run as the person, so they can open the person's files by name, as any app can.
func startPractice(ctx context.Context, log *slog.Logger) (*xserver.Server, error) {
	if err := xserver.Have(practiceNeeds...); err != nil {
		return nil, err
	}
	o := xserver.Options{
		Width: 1280, Height: 800, WindowManager: "openbox", Bus: true, Auth: true, Background: practiceGround,
		ExtraEnv: []string{"GSETTINGS_BACKEND=keyfile"}, // in the desktop's own home
	}
	for name, place := range practicePlaces {
		text, err := fs.ReadFile(practiceFiles, path.Join("practice", name))
		if err != nil {
			return nil, fmt.Errorf("read the practice desktop's files: %w", err)
		}
		o.Files = append(o.Files, xserver.File{Path: place, Text: string(text)})
	}
	s, err := xserver.Start(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, app := range practiceApps {
		// One app fewer is a poorer desktop, and still one to try Conch on.
		if err := xserver.Have(app[0]); err != nil {
			log.Warn("an app of the practice desktop is missing", "app", app[0], "error", err)
			continue
		}
		cmd := s.Command(app[0], app[1:]...)
		cmd.Dir = s.Getenv("HOME")
		if err := s.Start(cmd); err != nil {
			log.Warn("an app of the practice desktop did not start", "app", app[0], "error", err)
		}
	}
	return s, nil
}
