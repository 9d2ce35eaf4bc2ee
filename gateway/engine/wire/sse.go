package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
)

// Event is one event of a stream of server-sent events.
type Event struct {
	Name string // of its "event" field; may be empty
	Data []byte // of its "data" fields, joined by new lines; good until the next event
}

// Events reads server-sent events. An event that its empty line doesn't end isn't one. An event longer than
// MaxEvent, or a body that fails, is the last pair's error: ErrStrange, or what reading said.
func Events(body io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		var name string
		var data []byte
		some := false
		for line, err := range lines(body, true) {
			if err != nil {
				yield(Event{}, err)
				return
			}
			if len(line) == 0 {
				if some && !yield(Event{name, bytes.TrimSuffix(data, []byte("\n"))}, nil) {
					return
				}
				name, data, some = "", data[:0], false
				continue
			}
			field, value, _ := bytes.Cut(line, []byte(":"))
			value = bytes.TrimPrefix(value, []byte(" "))
			switch string(field) {
			case "event":
				name = string(value)
			case "data":
				if len(data)+len(value) > MaxEvent {
					yield(Event{}, ErrStrange)
					return
				}
				data, some = append(append(data, value...), '\n'), true
			}
		}
	}
}

// Lines reads lines of JSON, each good until the next. Empty ones are left out, and so is a last one without its
// end: it may be half of one.
func Lines(body io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for line, err := range lines(body, false) {
			if err == nil && len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			if !yield(line, err) || err != nil {
				return
			}
		}
	}
}

// lines reads lines that end in "\n" or "\r\n", in server-sent events also in "\r" alone. A byte order mark before
// the first is left out.
func lines(body io.Reader, loneCR bool) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		s := bufio.NewScanner(body)
		s.Buffer(make([]byte, 0, 16<<10), MaxEvent+1<<10)
		sp := splitter{loneCR: loneCR}
		s.Split(sp.split)
		first := true
		for s.Scan() {
			line := s.Bytes()
			if first {
				line, first = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")), false
			}
			if !yield(line, nil) {
				return
			}
		}
		switch err := s.Err(); {
		case err == nil:
		case errors.Is(err, bufio.ErrTooLong):
			yield(nil, ErrStrange)
		default:
			yield(nil, err)
		}
	}
}

// splitter splits at line ends and never gives out what no line end follows.
type splitter struct {
	loneCR bool
	skipLF bool // the line before ended in "\r", so that a "\n" belongs to it
}

func (p *splitter) split(data []byte, atEOF bool) (int, []byte, error) {
	start := 0
	if p.skipLF && len(data) > 0 {
		if data[0] == '\n' {
			start = 1
		}
		p.skipLF = false
	}
	ends := "\n"
	if p.loneCR {
		ends = "\r\n"
	}
	i := bytes.IndexAny(data[start:], ends)
	if i < 0 {
		if atEOF {
			return len(data), nil, nil
		}
		return start, nil, nil
	}
	i += start
	p.skipLF = data[i] == '\r'
	line := data[start:i]
	if !p.loneCR {
		line = bytes.TrimSuffix(line, []byte("\r"))
	}
	return i + 1, line, nil
}
