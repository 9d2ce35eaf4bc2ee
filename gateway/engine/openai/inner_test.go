package openai

import (
	"testing"

	"conch/gateway/engine"
	"conch/gateway/tool"
)

// TestTooMuch: a transcript that should only grow lets go of older pictures before a request is larger than OpenAI takes.
func TestTooMuch(t *testing.T) {
	s := newTranscript(engine.Turn{Model: engine.Model{ID: "gpt-6-astra"}})
	p := &tool.Picture{MIME: "image/png", Data: make([]byte, 1<<20)}
	for i := range 60 { // the steps of a turn
		n := s.add(p)
		kept := 0
		for j := range n + 1 {
			if s.album.Kept(j) {
				kept++
			}
		}
		if kept*len(p.Data)*4/3 > tooMuch+2<<20 || !s.album.Kept(n) || i < 20 && kept != i+1 {
			t.Fatalf("after %d pictures %d stay", i+1, kept)
		}
	}
	if s.album.Kept(0) {
		t.Error("the first is still there")
	}
}
