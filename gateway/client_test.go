package gateway

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"strings"
	"testing"

	"conch/gateway/chat"
	"conch/gateway/computer"
	"conch/gateway/engine"
	"conch/gateway/tool"
)

var cursor = Client{ID: "cursor1", Name: "Cursor", Mode: chat.Ask, Scopes: []string{"computer"}}

// clientLog is the chat of a paired app, once there is one.
func (r *rig) clientLog(c Client) string {
	r.t.Helper()
	log, err := r.g.store.ClientChat(r.t.Context(), c.ID, c.Name, c.Mode)
	if err != nil {
		r.t.Fatal(err)
	}
	return log.ID
}

// A paired app's call is one turn of its own log: with its scopes, its mode, and the questions that any chat asks.
func TestClientCall(t *testing.T) {
	r, d, edge := newDeskRig(t, nil)
	ctx := t.Context()
	call := func(c Client, args string) (tool.Result, error) {
		return r.g.ClientCall(ctx, c, computer.ToolName, []byte(args), nil)
	}
	if _, err := call(cursor, `{"action":"screenshot"}`); !errors.Is(err, ErrNoTool) {
		t.Errorf("while using apps is off: %v", err)
	}
	r.do("POST", "/api/computer-use", `{"on":true}`, http.StatusNoContent)
	if _, err := call(Client{ID: "x", Name: "X", Mode: chat.Trust}, `{"action":"screenshot"}`); !errors.Is(err, ErrNoTool) {
		t.Errorf("without the scope: %v", err)
	}
	tab := r.openTab("") // somebody can see questions and press Stop
	got := make(chan tool.Result, 1)
	go func() {
		res, err := call(cursor, `{"action":"open_app","text":"Mousepad"}`)
		if err != nil {
			t.Error(err)
		}
		got <- res
	}()
	log := r.clientLog(cursor)
	r.allow(log, "once")
	if res := <-got; res.Failed || res.Picture == nil {
		t.Fatalf("it answers %+v", res)
	}
	if edge.on() || d.Begun() {
		t.Error("the turn left the computer in use")
	}
	if page := r.do("GET", "/", "", http.StatusOK); strings.Contains(page, "Cursor") {
		t.Error("an app's log is in the list of chats")
	}
	r.do("POST", "/api/chats/"+log+"/messages", `{"text":"hello"}`, http.StatusConflict)
	_ = tab
}

// When the app hangs up its turn stops and its question expires; the answer that comes late goes for the same call.
func TestClientHangsUp(t *testing.T) {
	r, d, _ := newDeskRig(t, nil)
	r.do("POST", "/api/computer-use", `{"on":true}`, http.StatusNoContent)
	r.openTab("")
	const open = `{"action":"open_app","text":"Mousepad"}`
	ctx, hangUp := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if res, err := r.g.ClientCall(ctx, cursor, computer.ToolName, []byte(open), nil); err == nil && !res.Failed {
			t.Errorf("a call whose app went away answers %+v", res)
		}
	}()
	log := r.clientLog(cursor)
	q := r.until(log, func(e chat.Event) bool { return e.Kind == chat.KindAsked })
	hangUp()
	<-done
	if len(d.Events()) > 0 {
		t.Errorf("done without an answer: %v", d.Events())
	}
	r.do("POST", "/api/questions/"+q.ID, `{"choice":"once"}`, http.StatusNoContent)
	if res, err := r.g.ClientCall(t.Context(), cursor, computer.ToolName, []byte(open), nil); err != nil || res.Failed {
		t.Errorf("asked again: %+v, %v", res, err)
	}
}

// calls is an engine that calls one tool and says what it was answered.
type calls string

func (calls) ID() string { return "calls" }

func (c calls) Turn(context.Context, engine.Turn) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		var got tool.Result
		if yield(engine.ToolCall{ID: "1", Name: string(c), Args: []byte(`{}`), Answer: func(r tool.Result) { got = r }}, nil) {
			yield(engine.Text{Piece: got.Text}, nil)
		}
	}
}

// A tool that doesn't judge its own steps passes the guard before it runs.
func TestPermit(t *testing.T) {
	ran := 0
	diary := tool.Tool{
		Name: "diary", Title: "Write in your diary", Effect: tool.Changes, Schema: []byte(`{"type":"object"}`),
		Run: func(context.Context, tool.Call) tool.Result { ran++; return tool.Result{Text: "Written."} },
	}
	for _, c := range []struct {
		mode, answer, rule string
		runs               bool
	}{
		{"ask", "once", "ask-first", true},
		{"ask", "no", "ask-first", false},
		{"plan", "", "plan-only", false},
		{"auto", "", "routine-work", true},
	} {
		t.Run(c.mode+" "+c.answer, func(t *testing.T) {
			ran = 0
			r := newRig(t, Config{Engine: echo})
			r.g.sources = append(r.g.sources, source{all: []tool.Tool{diary}})
			r.openTab("")
			id, _ := r.say("hello")
			r.ended(id)
			r.do("POST", "/api/chats/"+id+"/mode", `{"mode":"`+c.mode+`"}`, http.StatusNoContent)
			r.g.cfg.Engine = calls("diary")
			r.do("POST", "/api/chats/"+id+"/messages", `{"text":"go on"}`, http.StatusOK)
			if c.answer != "" {
				r.allow(id, c.answer)
			}
			e := r.until(id, func(e chat.Event) bool { return e.Kind == chat.KindStepDone })
			if (ran == 1) != c.runs || (e.State == chat.StateDone) != c.runs {
				t.Errorf("ran %d times: %+v", ran, e)
			}
		})
	}
}
