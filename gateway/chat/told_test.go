package chat

import (
	"context"
	"testing"

	"conch/gateway/engine"
	"conch/gateway/tool"
)

// A tool is told of, and called, in the way in which the turn's model names points, and within the picture it takes.
func TestToolsAreToldAsTheModelPoints(t *testing.T) {
	calls := make(chan tool.Call, 1)
	tl := tool.Tool{
		Name: "computer", Title: "Use", About: "pixels", Schema: []byte(`{"pixels":1}`),
		OnGrid: &tool.Words{About: "cells", Schema: []byte(`{"cells":1}`)},
		Run: func(_ context.Context, c tool.Call) tool.Result {
			calls <- c
			return tool.Result{Text: "Done."}
		},
	}
	other := tool.Tool{Name: "note", About: "Notes.", Schema: []byte(`{}`)}
	var mind Mind
	mind.Engine = scripted(func(_ context.Context, tr engine.Turn, yield func(engine.Event, error) bool) {
		yield(engine.Text{Piece: tr.Tools[0].About + string(tr.Tools[0].Schema) + tr.Tools[1].About}, nil)
		call(yield, "computer")
	})
	f := newFixture(t, mind.Engine, tl, other)
	f.opt.Pick = func(context.Context, string) (Mind, error) { return mind, nil }
	for onGrid, want := range map[bool]string{false: `pixels{"pixels":1}Notes.`, true: `cells{"cells":1}Notes.`} {
		mind.Model = engine.Model{OnGrid: onGrid, Picture: tool.Limits{Edge: 700}}
		id, turn := f.say("go")
		c := <-calls
		if c.OnGrid != onGrid || c.Picture.Edge != 700 {
			t.Errorf("it is called as %+v", c)
		}
		f.wait(turn)
		events, err := f.store.All(t.Context(), id, 0)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, e := range events {
			if e.Kind == KindText {
				said += e.Text
			}
		}
		if said != want {
			t.Errorf("on a grid %v it is told %q", onGrid, said)
		}
	}
	if tl.About != "pixels" {
		t.Error("the tool itself was changed")
	}
}
