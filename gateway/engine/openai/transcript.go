package openai

import (
	"encoding/base64"
	"strings"

	"github.com/openai/openai-go/v3/responses"

	"conch/gateway/engine"
	"conch/gateway/tool"
)

// tooMuch is how many bytes of pictures stay where the model is better off with all of them: a request has 50 MB at
// most. From then on older ones are taken out, and the reasoning about them is withheld from the model.
const tooMuch = 30 << 20

// transcript is what a request's input holds: the chat so far, then the rounds of this turn. It only grows at its end,
// but for pictures that are taken out where the model allows it.
type transcript struct {
	detail responses.ResponseInputImageContentDetail
	chat   [][]byte
	rounds []round
	album  engine.Album
	last   *tool.Picture // the newest one
	lastNo int           // its number in the album
	bytes  int           // of all pictures so far, as they are sent
}

// round is one answer of the model and what it got back.
type round struct {
	items []item
	// joined says that its picture can't be taken out alone, since a call of OpenAI's computer tool must have one: the
	// round is told in short instead, which is what the model said, the functions it called, and a note.
	joined bool
	// dropped says that the round is told in short from the beginning.
	dropped bool
	spoken  []byte // nil for nothing
	note    []byte
}

// item is one item of the input.
type item struct {
	full    []byte
	gone    []byte // what stands there once the picture is out
	picture int    // its number in the album; noPicture for none
	// alone is the item of a round that is told in short, without what came with it; nil: it isn't there. With a
	// picture it is as above.
	alone []byte
}

const noPicture = -1

func plainItem(full []byte) item { return item{full: full, picture: noPicture} }

func newTranscript(t engine.Turn) transcript {
	said := transcript{album: engine.Album{Forgets: t.Model.Forgets}, detail: detailOf(t.Model.ID)}
	for _, m := range t.Messages {
		switch {
		case m.Picture != nil && m.Role == engine.Person:
			said.chat = append(said.chat, seen(m, said.detail))
		case strings.TrimSpace(m.Text) == "": // an empty message is refused
		case m.Role == engine.Assistant:
			said.chat = append(said.chat, message(responses.EasyInputMessageRoleAssistant, m.Text))
		default:
			said.chat = append(said.chat, message(responses.EasyInputMessageRoleUser, m.Text))
		}
	}
	return said
}

// add counts a picture in.
func (s *transcript) add(p *tool.Picture) int {
	s.bytes += base64.StdEncoding.EncodedLen(len(p.Data))
	s.album.Forgets = s.album.Forgets || s.bytes > tooMuch
	s.last, s.lastNo = p, s.album.Add()
	return s.lastNo
}

// same says that a picture shows what the newest one in the transcript shows.
func (s *transcript) same(p *tool.Picture) bool {
	return p != nil && p.Same && s.last != nil && s.album.Kept(s.lastNo)
}

// answered is the answer to a function's call.
func (s *transcript) answered(call string, res tool.Result) item {
	text := res.Text
	if s.same(res.Picture) {
		res.Picture, text = nil, text+"\n"+engine.Unchanged
	}
	if res.Picture == nil {
		full := output(call, text, nil, s.detail)
		return item{full: full, picture: noPicture, alone: full}
	}
	full := output(call, text, res.Picture, s.detail)
	return item{full: full, gone: output(call, text+"\n"+engine.Gone, nil, s.detail), picture: s.add(res.Picture), alone: full}
}

// items are all of the input, in order.
func (s *transcript) items() [][]byte {
	out := s.chat[:len(s.chat):len(s.chat)]
	for _, r := range s.rounds {
		short := r.dropped || r.joined && s.forgot(r)
		if short && r.spoken != nil {
			out = append(out, r.spoken)
		}
		for _, it := range r.items {
			switch {
			case short && it.alone == nil:
			case it.picture != noPicture && !s.album.Kept(it.picture):
				out = append(out, it.gone)
			case short:
				out = append(out, it.alone)
			default:
				out = append(out, it.full)
			}
		}
		if short {
			out = append(out, r.note)
		}
	}
	return out
}

func (s *transcript) forgot(r round) bool {
	for _, it := range r.items {
		if it.picture != noPicture && !s.album.Kept(it.picture) {
			return true
		}
	}
	return false
}
