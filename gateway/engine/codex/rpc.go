package codex

import (
	"bytes"
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
)

// longQuiet is how long codex may say nothing before it counts as broken.
const longQuiet = 10 * time.Minute

// message is a message of codex's: an answer, something told, or a request of its own.
type message struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  jsontext.Value `json:"error"`
}

var lax = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// next reads the next message. What isn't one is passed over, as long as it doesn't begin like one.
func (r *run) next() (message, error) {
	quiet := time.NewTimer(longQuiet)
	defer quiet.Stop()
	for {
		select {
		case <-r.ctx.Done():
			return message{}, context.Cause(r.ctx)
		case <-quiet.C:
			return message{}, r.where.Problem(engine.Busy, nil)
		case l, ok := <-r.p.Lines():
			switch {
			case !ok:
				return message{}, r.ended()
			case l.Err != nil:
				return message{}, r.where.Strange(wire.ErrStrange)
			case !bytes.HasPrefix(bytes.TrimSpace(l.Data), []byte("{")):
				continue
			}
			var m message
			if err := json.Unmarshal(l.Data, &m, lax); err != nil {
				return message{}, r.where.Strange(wire.ErrStrange)
			}
			return m, nil
		}
	}
}

// ended is what to say when codex ended before it was done.
func (r *run) ended() error {
	switch {
	case r.ctx.Err() != nil:
		return context.Cause(r.ctx)
	case r.said:
		return r.where.CutOff(wire.ErrCut)
	}
	return who.Ended(wire.ErrCut)
}

// send writes a message. A codex that is gone is noticed when it is read from, which also says why.
func (r *run) send(m object) error {
	if err := r.p.Write(m); err != nil && r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	return nil
}

// ask asks codex and takes in what comes before its answer.
func (r *run) ask(method string, params object, answer any) error {
	r.asked++
	if err := r.send(object{"id": r.asked, "method": method, "params": params}); err != nil {
		return err
	}
	for {
		m, err := r.next()
		if err != nil {
			return err
		}
		var id int
		if m.Method != "" || json.Unmarshal(m.ID, &id) != nil || id != r.asked {
			if err := r.take(m); err != nil {
				return err
			}
			continue
		}
		if len(m.Error) > 0 {
			return r.where.Problem(engine.Other, nil) // what codex wrote is told to nobody
		}
		if err := json.Unmarshal(m.Result, answer, lax); err != nil {
			return r.where.Strange(wire.ErrStrange)
		}
		return nil
	}
}

// greet says who asks, and looks whether anybody is signed in.
func (r *run) greet() error {
	var none struct{}
	err := r.ask("initialize", object{
		"clientInfo":   object{"name": "conch", "title": "Conch", "version": "1"},
		"capabilities": object{"experimentalApi": true},
	}, &none)
	if err != nil {
		return err
	}
	if err := r.send(object{"method": "initialized"}); err != nil {
		return err
	}
	var account struct {
		Account jsontext.Value `json:"account"`
		Needs   bool           `json:"requiresOpenaiAuth"`
	}
	if err := r.ask("account/read", object{}, &account); err != nil {
		return err
	}
	if account.Needs && account.Account.Kind() != '{' {
		return who.SignedOut()
	}
	return nil
}
