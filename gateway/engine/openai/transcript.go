package openai

import (
	"strings"

	"github.com/openai/openai-go/v3/responses"

	"conch/gateway/engine"
	"conch/gateway/tool"
)

// transcript is what a request's input holds: the chat so far, then the rounds of this turn. It only grows at its end,
// but for pictures that are taken out where the model allows it.
type transcript struct {
	detail responses.ResponseInputImageContentDetail
	chat   [][]byte
	rounds []round
	album  engine.Album
	last   *tool.Picture // the newest one
	lastNo int           // its number in the album
}

// round is one answer of the model and what it got back.
type round struct {
	items []item
	// joined says that its picture can't be taken out alone, since a call of OpenAI's computer tool must have one: the
	// round is told in short instead.
	joined bool
	// dropped says that the round is told in short from the beginning.
	dropped bool
	short   []byte
	spoken  []byte // what the model said in it, which stays when it is told in short; nil for nothing
}

// item is one item of the input.
type item struct {
	full    []byte
	gone    []byte // what stands there once the picture is out
	picture int    // its number in the album; noPicture for none
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
	switch {
	case res.Picture == nil:
		return plainItem(output(call, text, nil, s.detail))
	case s.same(res.Picture):
		return plainItem(output(call, text+"\n"+engine.Unchanged, nil, s.detail))
	}
	return item{
		full:    output(call, text, res.Picture, s.detail),
		gone:    output(call, text+"\n"+engine.Gone, nil, s.detail),
		picture: s.add(res.Picture),
	}
}

// items are all of the input, in order.
func (s *transcript) items() [][]byte {
	out := s.chat[:len(s.chat):len(s.chat)]
	for _, r := range s.rounds {
		if r.dropped || r.joined && s.forgot(r) {
			if r.spoken != nil {
				out = append(out, r.spoken)
			}
			out = append(out, r.short)
			continue
		}
		for _, it := range r.items {
			if it.picture != noPicture && !s.album.Kept(it.picture) {
				out = append(out, it.gone)
				continue
			}
			out = append(out, it.full)
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
