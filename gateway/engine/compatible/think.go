package compatible

import "strings"

const (
	thinkBegin = "<think>"
	thinkEnd   = "</think>"
)

// thinking tells what a model thinks from what it says, where a server leaves both in one text: what stands between
// <think> and </think> at the very beginning is thought.
type thinking struct {
	state int // of those below
	held  string
}

const (
	atStart = iota
	inThought
	afterThought // where the new lines before the text are left out
	inText
)

// split takes the next piece of text. What may be the beginning of a mark is held until more comes.
func (t *thinking) split(piece string) (thought, said string) {
	t.held += piece
	if t.state == atStart {
		begin := strings.TrimLeft(t.held, " \r\n\t")
		switch {
		case strings.HasPrefix(begin, thinkBegin):
			t.state, t.held = inThought, begin[len(thinkBegin):]
		case strings.HasPrefix(thinkBegin, begin):
			return "", ""
		default:
			t.state = inText
		}
	}
	if t.state == inThought {
		before, after, over := strings.Cut(t.held, thinkEnd)
		if !over {
			keep := partial(t.held, thinkEnd)
			thought, t.held = t.held[:len(t.held)-keep], t.held[len(t.held)-keep:]
			return thought, ""
		}
		t.state, thought, t.held = afterThought, before, after
	}
	if t.state == afterThought {
		if t.held = strings.TrimLeft(t.held, "\r\n"); t.held != "" {
			t.state = inText
		}
	}
	said, t.held = t.held, ""
	return thought, said
}

// end gives out what is still held.
func (t *thinking) end() (thought, said string) {
	held := t.held
	t.held = ""
	if t.state == inThought {
		return held, ""
	}
	return "", held
}

// partial is how long a beginning of mark the text ends with.
func partial(text, mark string) int {
	for n := min(len(mark)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, mark[:n]) {
			return n
		}
	}
	return 0
}
