package main

import (
	"io"
	"os"
	"strings"
	"unicode"
)

// isTerminal says whether f is a terminal that a person sits at.
func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Name() != "null"
}

// plain takes out of a text what would steer a terminal instead of being read: an answer may repeat words
// that came from anywhere.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
}

// lines reads a person's answers line by line. The channel closes at the end of the input. What waits for a
// line can't be called back from a terminal, so it ends with the program.
func lines(in io.Reader) <-chan string {
	out := make(chan string)
	go func() {
		defer close(out)
		var line strings.Builder
		one := make([]byte, 1)
		for {
			n, err := in.Read(one) // byte by byte: what is typed ahead belongs to the shell after us
			if n == 1 && one[0] == '\n' {
				out <- line.String()
				line.Reset()
			} else if n == 1 && line.Len() < 1000 {
				line.WriteByte(one[0])
			}
			if err != nil {
				return
			}
		}
	}()
	return out
}
