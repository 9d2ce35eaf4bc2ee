package enginetest

import "testing"

func testText(t *testing.T, c Case) {
	r := newRig(t, c, c.says(Answer{Text: "Hello, wörld 👋."}))
	k := drive(r.engine.Turn(t.Context(), c.turn("Say hello.")), nil)
	if k.err != nil || k.text != "Hello, wörld 👋." || len(k.calls) > 0 {
		t.Fatalf("%+v", k)
	}
	s := r.seen(0)
	if s.Said != "Say hello." || s.System == "" || len(s.Tools) != 2 {
		t.Errorf("the request says %+v", s)
	}
}
