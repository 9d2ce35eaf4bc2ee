// Package mcpb builds the file that Claude Desktop installs by a double click. The bundle only says where
// Conch's launcher is; it holds no key and no program but a two-line script that starts the launcher.
package mcpb

import (
	"archive/zip"
	"bytes"
	"errors"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Bundle is what goes into the file.
type Bundle struct {
	Version  string // of Conch, as in 1.2.3
	Launcher string // absolute path
	Args     []string
	Platform string // darwin or linux
	Icon     []byte // a PNG; may be empty
}

const (
	manifestVersion = "0.3"
	script          = "server/conch"
	icon            = "icon.png"
)

// manifest has the members that the format knows; it refuses others.
type manifest struct {
	ManifestVersion string        `json:"manifest_version"`
	Name            string        `json:"name"`
	DisplayName     string        `json:"display_name"`
	Version         string        `json:"version"`
	Description     string        `json:"description"`
	Author          author        `json:"author"`
	Icon            string        `json:"icon,omitzero"`
	Server          server        `json:"server"`
	ToolsGenerated  bool          `json:"tools_generated"`
	Compatibility   compatibility `json:"compatibility"`
}

type author struct {
	Name string `json:"name"`
}

type server struct {
	Type       string `json:"type"`
	EntryPoint string `json:"entry_point"`
	Config     start  `json:"mcp_config"`
}

type start struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

type compatibility struct {
	Platforms []string `json:"platforms"`
}

// Build gives the bytes of the file.
func (b Bundle) Build() ([]byte, error) {
	if !filepath.IsAbs(b.Launcher) || strings.ContainsAny(b.Launcher, "\x00\n\r") || strings.Contains(b.Launcher, "${") || len(b.Args) == 0 {
		return nil, errors.New("mcpb: a launcher without a plain absolute path, or without words")
	}
	m := manifest{
		ManifestVersion: manifestVersion, Name: "conch", DisplayName: "Conch", Version: b.Version,
		Description:    "What you set up in Conch, in Claude Desktop too.",
		Author:         author{Name: "Conch"},
		Server:         server{Type: "binary", EntryPoint: script, Config: start{Command: b.Launcher, Args: b.Args, Env: map[string]string{}}},
		ToolsGenerated: true,
		Compatibility:  compatibility{Platforms: []string{b.Platform}},
	}
	if len(b.Icon) > 0 {
		m.Icon = icon
	}
	text, err := json.Marshal(m, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	add := func(name string, mode uint32, data []byte) {
		if err != nil {
			return
		}
		h := &zip.FileHeader{Name: name, Method: zip.Deflate}
		h.ExternalAttrs = (0o100000 | mode) << 16 // a plain file of that mode
		h.CreatorVersion = 3 << 8                 // as Unix writes it
		w, cerr := z.CreateHeader(h)
		if cerr == nil {
			_, cerr = w.Write(data)
		}
		err = cerr
	}
	add("manifest.json", 0o644, append(text, '\n'))
	add(script, 0o755, b.script())
	if len(b.Icon) > 0 {
		add(icon, 0o644, b.Icon)
	}
	if err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// script starts the launcher for a reader of bundles that runs the entry point rather than the command.
func (b Bundle) script() []byte {
	words := []string{"exec", quote(b.Launcher)}
	for _, a := range b.Args {
		words = append(words, quote(a))
	}
	return []byte("#!/bin/sh\n" + strings.Join(words, " ") + "\n")
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
