package main

import (
	"io"
	"os"
	"path/filepath"
	"syscall"

	"conch/mcp/connect/apps"
)

// argsMost bounds what is read of a program's arguments: its name and what it runs come first.
const argsMost = 4 << 10

func (programs) Programs() (out []apps.Program, err error) {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil {
			continue // it has ended
		}
		if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Getuid() {
			continue
		}
		p := apps.Program{Args: argsOf(dir)}
		p.File, _ = os.Readlink(filepath.Join(dir, "exe"))
		if p.File != "" || len(p.Args) > 0 {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		return nil, errNoPrograms
	}
	return out, nil
}

func argsOf(dir string) []string {
	f, err := os.Open(filepath.Join(dir, "cmdline")) // #nosec G304 -- of a process
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	line, err := io.ReadAll(io.LimitReader(f, argsMost))
	if err != nil || len(line) == 0 {
		return nil
	}
	return words(line)
}
