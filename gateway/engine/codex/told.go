package codex

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
	"conch/gateway/tool"
)

// told is what codex tells, of all kinds that matter here.
type told struct {
	Thread string `json:"threadId"`
	ItemID string `json:"itemId"`
	Delta  string `json:"delta"`
	Item   struct {
		Type   string `json:"type"`
		ID     string `json:"id"`
		Name   string `json:"name"`
		CallID string `json:"call_id"`
		Space  string `json:"namespace"`
		Text   string `json:"text"`
	} `json:"item"`
	Usage struct {
		Total tokens `json:"total"`
		Last  tokens `json:"last"`
	} `json:"tokenUsage"`
	Retries bool `json:"willRetry"`
	Error   went `json:"error"`
	Turn    struct {
		Status string `json:"status"`
		Error  went   `json:"error"`
	} `json:"turn"`
}

type tokens struct {
	All  int `json:"totalTokens"`
	In   int `json:"inputTokens"`
	Out  int `json:"outputTokens"`
	Read int `json:"cachedInputTokens"`
	Made int `json:"cacheWriteInputTokens"`
}

// went is what went wrong. Its text is codex's own and is told to nobody.
type went struct {
	Info jsontext.Value `json:"codexErrorInfo"`
}

// heard are the kinds that are looked at. All others are passed over, whatever is in them.
var heard = map[string]func(*run, told) error{
	"item/started": func(r *run, d told) error {
		if acts[d.Item.Type] {
			return who.Loose()
		}
		return nil
	},
	"item/agentMessage/delta": func(r *run, d told) error {
		r.pieces[d.ItemID] = true
		return r.text(d.ItemID, d.Delta)
	},
	"item/completed": func(r *run, d told) error {
		if d.Item.Type != "agentMessage" || r.pieces[d.Item.ID] {
			return nil
		}
		return r.text(d.Item.ID, d.Item.Text)
	},
	"item/reasoning/summaryTextDelta": (*run).thinks,
	"item/reasoning/textDelta":        (*run).thinks,
	"rawResponseItem/completed":       (*run).raw,
	"rawResponse/completed": func(r *run, _ told) error {
		r.batch.closed = true
		return nil
	},
	"thread/tokenUsage/updated": (*run).usage,
	"error":                     (*run).fails,
	"turn/completed":            (*run).completed,
}

// acts are the kinds of items in which codex would do something by itself. All of it is switched off; where one is
// begun nevertheless, the turn ends.
var acts = map[string]bool{
	"commandExecution": true, "fileChange": true, "mcpToolCall": true, "collabAgentToolCall": true, "subAgentActivity": true,
	"webSearch": true, "imageView": true, "imageGeneration": true,
}

func (r *run) tells(m message) error {
	hear := heard[m.Method]
	if hear == nil {
		return nil
	}
	var d told
	if err := json.Unmarshal(m.Params, &d, lax); err != nil {
		return r.where.Strange(wire.ErrStrange)
	}
	if r.id == "" || d.Thread != r.id {
		return nil // of no thread of ours
	}
	return hear(r, d)
}

// goesOn takes back what the person was told about waiting.
func (r *run) goesOn() error {
	if !r.waits {
		return nil
	}
	r.waits = false
	return on(r.out.Event(engine.Doing{}))
}

func (r *run) text(item, piece string) error {
	if err := r.goesOn(); err != nil {
		return err
	}
	r.said = r.said || piece != ""
	return on(r.prose.Piece(item, piece))
}

func (r *run) thinks(d told) error {
	if d.Delta == "" {
		return nil
	}
	return on(r.out.Event(engine.Thinking{Piece: d.Delta}))
}

// raw notes the calls of an answer in the order in which the model made them.
func (r *run) raw(d told) error {
	ours := slices.ContainsFunc(r.t.Tools, func(t tool.Tool) bool { return t.Name == d.Item.Name })
	if d.Item.Type != "function_call" || d.Item.Space != "" || !ours {
		return nil
	}
	if r.batch.closed {
		r.batch = batch{}
	}
	r.batch.calls = append(r.batch.calls, d.Item.CallID)
	return nil
}

func (r *run) usage(d told) error {
	if d.Usage.Total.All <= r.total {
		return nil // told again
	}
	r.total = d.Usage.Total.All
	u := d.Usage.Last
	if err := r.goesOn(); err != nil {
		return err
	}
	return on(r.out.Event(engine.Usage{In: u.In, Out: u.Out, CacheRead: u.Read, CacheMade: u.Made}))
}

// fails tells the person what codex waits for. A sign-in that isn't taken doesn't become right by waiting.
func (r *run) fails(d told) error {
	kind, status := d.Error.sort()
	switch {
	case !d.Retries:
		return nil // the end of the turn says it again
	case kind == "unauthorized" || status == 401:
		return who.SignedOut()
	}
	say := "Trying to reach OpenAI"
	if status == 429 || status >= 500 || kind == "serverOverloaded" || kind == "rateLimitExceeded" {
		say = "Waiting for OpenAI, which is busy"
	}
	if r.waits {
		return nil
	}
	r.waits = true
	return on(r.out.Event(engine.Doing{Say: say}))
}

// sort reads codex's word for what went wrong, and the status that its provider answered with.
func (w went) sort() (kind string, status int) {
	if w.Info.Kind() == '"' {
		_ = json.Unmarshal(w.Info, &kind, lax) // what isn't a word is none
		return kind, 0
	}
	var by map[string]struct {
		Status int `json:"httpStatusCode"`
	}
	if json.Unmarshal(w.Info, &by, lax) != nil {
		return "", 0
	}
	for kind, v := range by {
		return kind, v.Status
	}
	return "", 0
}

// completed ends the turn.
func (r *run) completed(d told) error {
	r.over = true
	if d.Turn.Status == "completed" {
		return nil
	}
	kind, status := d.Turn.Error.sort()
	switch {
	case kind == "unauthorized" || status == 401:
		return who.SignedOut()
	case kind == "usageLimitExceeded" || kind == "sessionBudgetExceeded":
		return who.UsedUp(nil)
	case kind == "contextWindowExceeded":
		return r.where.Problem(engine.TooLong, nil)
	case kind == "modelNotFound" || status == 404:
		return r.where.Problem(engine.NoModel, nil)
	case kind == "cyberPolicy" || kind == "bioPolicy" || kind == "misalignmentPolicyViolation":
		return r.where.Problem(engine.Declined, nil)
	case kind == "serverOverloaded" || kind == "rateLimitExceeded" || kind == "internalServerError" || status == 429 || status >= 500:
		return r.where.Problem(engine.Busy, nil)
	case kind == "responseStreamDisconnected":
		return r.where.CutOff(nil)
	case status == 0 && (kind == "httpConnectionFailed" || kind == "responseStreamConnectionFailed" || kind == "responseTooManyFailedAttempts"):
		return r.where.Problem(engine.Unreachable, nil)
	}
	return r.where.Problem(engine.Other, nil)
}
