package gateway

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"conch/gateway/chat"
	"conch/gateway/hub"

	"github.com/go-json-experiment/json"
)

const (
	// sendWithin is how long one write to a reader may take before it counts as gone.
	sendWithin = 10 * time.Second
	// beatEvery is how often a quiet stream says that it is still there.
	beatEvery = 30 * time.Second
)

// liveLine is a block of an answer as it is being written, all of it so far.
type liveLine struct {
	Kind string `json:"kind"` // "live", or "doing": what the answer waits for instead; empty: it goes on
	Turn string `json:"turn"`
	ID   string `json:"id,omitempty"` // the id that the finished block, a "text" event, will have
	Text string `json:"text"`
}

// getEvents streams a chat's log after ?after= as JSON, one value a line, and goes on with what happens until
// the reader hangs up. Beside chat.Event values there are lines of the kinds "live" and "doing"; an empty line is a sign of life.
func (g *Gateway) getEvents(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	after, err := afterOf(r)
	if err != nil {
		return err
	}
	if _, err := g.store.Chat(r.Context(), id); err != nil {
		return err
	}
	// Following starts before the log is read, so nothing falls between the two.
	sub := g.hub.Subscribe(id)
	defer sub.Close()

	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	out := &lines{w: w, rc: http.NewResponseController(w)}
	_ = out.rc.SetReadDeadline(time.Time{}) // it reads nothing more, for as long as it lasts
	w.WriteHeader(http.StatusOK)
	ctx, stop := g.until(r.Context())
	defer stop()
	g.log.Debug("a stream of events ended", "err", g.stream(ctx, sub, out, id, after))
	return nil
}

// stream writes what is after a place in the log, then what comes, until it can't any more; it says why.
func (g *Gateway) stream(ctx context.Context, sub *hub.Sub, out *lines, id string, after uint64) error {
	behind, beat := true, time.Now().Add(beatEvery)
	for {
		if behind {
			events, err := g.store.All(ctx, id, after)
			if err != nil {
				return err
			}
			for _, e := range events {
				if err := out.put(e); err != nil {
					return err
				}
				after = e.Seq
			}
			if err := out.flush(); err != nil {
				return err
			}
		}
		e, ok, err := nextOrBeat(ctx, sub, beat)
		switch {
		case err != nil:
			return err
		case !ok:
			beat = time.Now().Add(beatEvery)
			if err := out.beat(); err != nil {
				return err
			}
			continue
		}
		behind = e.Behind
		switch v := e.Data.(type) {
		case chat.Event:
			if v.Seq <= after {
				continue
			}
			after = v.Seq
			err = out.put(v)
		case chat.LiveText:
			kind := "live"
			if v.Doing {
				kind = "doing"
			}
			err = out.put(liveLine{Kind: kind, Turn: v.Turn, ID: v.ID, Text: v.Text})
		}
		if err == nil {
			err = out.flush()
		}
		if err != nil {
			return err
		}
	}
}

// nextOrBeat waits for the next event. It returns false when a sign of life is due first: events alone are
// none, since they say nothing about the other end.
func nextOrBeat(ctx context.Context, sub *hub.Sub, beat time.Time) (e hub.Event, ok bool, err error) {
	wait, cancel := context.WithDeadline(ctx, beat)
	defer cancel()
	if time.Now().Before(beat) {
		e, ok = sub.Next(wait)
	}
	if !ok && ctx.Err() != nil {
		return e, false, ctx.Err()
	}
	return e, ok, nil
}

// lines writes JSON values, each within sendWithin.
type lines struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

func (l *lines) put(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_ = l.rc.SetWriteDeadline(time.Now().Add(sendWithin))
	_, err = l.w.Write(append(data, '\n')) //nolint:gosec // JSON of type application/x-ndjson, never sniffed
	return err
}

func (l *lines) beat() error {
	_ = l.rc.SetWriteDeadline(time.Now().Add(sendWithin))
	if _, err := l.w.Write([]byte("\n")); err != nil {
		return err
	}
	return l.flush()
}

func (l *lines) flush() error { return l.rc.Flush() }

// afterOf reads ?after=, a place in the log; absent is its start.
func afterOf(r *http.Request) (uint64, error) {
	s := r.URL.Query().Get("after")
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil {
		return 0, problem(CodeInvalid, "That place in the log can't be read.", "Give after as a whole number.")
	}
	return n, nil
}

// until is a context that also ends when the gateway closes.
func (g *Gateway) until(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(g.closing, cancel)
	return ctx, func() { stop(); cancel() }
}
