package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"

	"conch/mcp/connect/apps"
)

// programs tells what runs on this computer as the person; how is up to the system.
type programs struct{}

var _ apps.Processes = programs{}

// errNoPrograms says that the system doesn't tell what runs: this program would be among it.
var errNoPrograms = errors.New("the system lists no programs")

// words are the arguments of a program as systems keep them: each ends with a zero byte. One that gave itself another
// name leaves zero bytes behind.
func words(line []byte) (out []string) {
	for word := range bytes.SplitSeq(bytes.TrimRight(line, "\x00"), []byte{0}) {
		out = append(out, string(word))
	}
	return out
}

// macProgram reads what macOS answers about a process (kern.procargs2): how many arguments there are, the path of the
// program, zero bytes, then the arguments, and the environment, which is left alone.
func macProgram(answer []byte) (p apps.Program, ok bool) {
	const size = 4
	if len(answer) < size {
		return apps.Program{}, false
	}
	n := int(binary.LittleEndian.Uint32(answer))
	file, rest, found := strings.Cut(string(answer[size:]), "\x00")
	if !found || file == "" || n < 0 {
		return apps.Program{}, false
	}
	p.File = file
	rest = strings.TrimLeft(rest, "\x00")
	for range n {
		arg, more, found := strings.Cut(rest, "\x00")
		if !found {
			break
		}
		p.Args, rest = append(p.Args, arg), more
	}
	return p, true
}
