package splice

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// maxDepth of brackets keeps a hostile file from exhausting the stack of a parser. Brackets in strings and
// comments count too, which no real settings file notices.
const maxDepth = 10_000

var utf8BOM = []byte("\xef\xbb\xbf")

func cutBOM(src []byte) (bom, body []byte) {
	if bytes.HasPrefix(src, utf8BOM) {
		return src[:len(utf8BOM)], src[len(utf8BOM):]
	}
	return nil, src
}

// checkText refuses what no syntax here takes.
func checkText(body []byte) error {
	if !utf8.Valid(body) {
		return Unreadable("isn't text in UTF-8")
	}
	depth := 0
	for i, b := range body {
		switch b {
		case '\r':
			if i+1 == len(body) || body[i+1] != '\n' {
				return Unreadable("has line ends of old Macs")
			}
		case 0:
			return Unreadable("isn't a text file")
		case '[', '{':
			if depth++; depth > maxDepth {
				return Unreadable("is nested too deeply")
			}
		case ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return nil
}

// Newline is how src ends its lines.
func Newline(src []byte) string {
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// LineStart is where the line of offset at begins.
func LineStart(src []byte, at int) int { return bytes.LastIndexByte(src[:at], '\n') + 1 }

// LineEnd is where the line of offset at ends, before its line end.
func LineEnd(src []byte, at int) int {
	end := len(src)
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		end = at + i
	}
	if end > at && src[end-1] == '\r' {
		end--
	}
	return end
}

// NextLine is where the line after the one of offset at begins.
func NextLine(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

// Indent is the white space at the start of the line of offset at, up to at.
func Indent(src []byte, at int) string {
	line := src[LineStart(src, at):at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// BackOverSpace is the end of the last thing before at that isn't a space or a line end, but not before from.
func BackOverSpace(src []byte, from, at int) int {
	for at > from && strings.IndexByte(" \t\r\n", src[at-1]) >= 0 {
		at--
	}
	return at
}

// Line is the number of the line of offset at, from 1.
func Line(src []byte, at int) int { return 1 + bytes.Count(src[:at], []byte("\n")) }

// Blank says whether b is white space only.
func Blank(b []byte) bool { return len(bytes.TrimLeft(b, " \t\r\n")) == 0 }
