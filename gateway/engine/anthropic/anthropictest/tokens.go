package anthropictest

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"conch/gateway/engine/enginetest"
)

// What the tools' own words take, by the provider's documentation.
const (
	toolsetTokens = 4500
	olderTokens   = 735 + 480
	perBlock      = 4 // what holds a block together
	clearedText   = "[cleared]"
	lookBack      = 20 // blocks before a mark in which the cache is looked for
)

func textTokens(n int) int { return (n+3)/4 + perBlock }

// unit is one block as the model reads it.
type unit struct {
	content  string
	tokens   int
	pictures int
	mark     bool // the cache keeps all up to here
}

// units are what the model reads, in order: tools, system, messages.
func (p *parsed) units() []unit {
	var out []unit
	for _, raw := range p.request.Tools {
		var t struct {
			Type  string        `json:"type"`
			Cache *cacheControl `json:"cache_control"`
		}
		if err := json.Unmarshal(raw, &t); err != nil {
			continue // it was read before
		}
		u := unit{content: canonical(raw), mark: t.Cache != nil}
		switch t.Type {
		case Toolset:
			u.tokens = toolsetTokens
		case Computer2511, Computer2501:
			u.tokens = olderTokens
		default:
			u.tokens = textTokens(len(u.content))
		}
		out = append(out, u)
	}
	for _, b := range p.System {
		out = append(out, unit{content: b.Text, tokens: textTokens(len(b.Text)), mark: b.Cache != nil})
	}
	cleared := p.cleared()
	for _, m := range p.messages {
		for _, b := range m.blocks {
			out = append(out, b.unit(m.role, cleared[b.Use] && b.Type == "tool_result"))
		}
	}
	return out
}

func (b block) unit(role string, cleared bool) unit {
	u := unit{mark: b.Cache != nil}
	switch b.Type {
	case "text":
		u.content, u.tokens = b.Text, textTokens(len(b.Text))
	case "image":
		u.content, u.tokens, u.pictures = b.Source.Data, b.img.tokens(), 1
	case "thinking":
		u.content, u.tokens = *b.Thinking+*b.Signature, textTokens(len(*b.Thinking))
	case "tool_use":
		u.content = b.ID + b.Name + canonical(b.Input)
		u.tokens = textTokens(len(b.Name) + len(b.Input))
	case "tool_result":
		u.content, u.tokens = b.Use, perBlock
		if cleared {
			u.content, u.tokens = b.Use+clearedText, textTokens(len(clearedText))
			break
		}
		for _, c := range b.inner {
			one := c.unit(role, false)
			u.content += "|" + one.content
			u.tokens += one.tokens
			u.pictures += one.pictures
		}
	}
	u.content = role + "|" + b.Type + "|" + u.content
	return u
}

// cleared are the calls whose answers the request wants left out.
func (p *parsed) cleared() map[string]bool {
	out := map[string]bool{}
	if p.Context == nil {
		return out
	}
	var uses []block
	for _, m := range p.messages {
		for _, b := range m.blocks {
			if b.Type == "tool_use" {
				uses = append(uses, b)
			}
		}
	}
	for _, e := range p.Context.Edits {
		if len(uses) <= e.Trigger.Value {
			continue
		}
		for _, b := range uses[:max(len(uses)-e.Keep.Value, 0)] {
			if !slices.Contains(e.Exclude, b.Name) {
				out[b.ID] = true
			}
		}
	}
	return out
}

// cache is what was read before, by a digest of all up to a mark.
type cache map[string]bool

// take reads units, from the cache where it can, and keeps what is marked.
func (c cache) take(units []unit) (fresh, read, wrote int) {
	keys, sums := make([]string, len(units)), make([]int, len(units))
	so, sum := "", 0
	for i, u := range units {
		so, sum = digest(so+u.content), sum+u.tokens
		keys[i], sums[i] = so, sum
	}
	last := -1
	for i, u := range units {
		if !u.mark {
			continue
		}
		last = i
		for k := i; k >= 0 && k > i-lookBack; k-- {
			if c[keys[k]] {
				read = max(read, sums[k])
				break
			}
		}
	}
	if last >= 0 {
		wrote = sums[last] - read
	}
	for i, u := range units {
		if u.mark {
			c[keys[i]] = true
		}
	}
	return sum - read - wrote, read, wrote
}

func answerTokens(a enginetest.Answer) int {
	n := textTokens(len(a.Thinking) + len(a.Text))
	for _, c := range a.Calls {
		n += textTokens(len(c.Name) + len(c.Args))
	}
	return n
}

// seen is what a request says, in no provider's words.
func (p *parsed) seen() enginetest.Seen {
	s := enginetest.Seen{Tools: slices.Clone(p.tools)}
	var system []string
	for _, b := range p.System {
		system = append(system, b.Text)
	}
	s.System = strings.Join(system, "\n\n")
	cleared := p.cleared()
	for _, m := range p.messages {
		if m.role != "user" {
			continue
		}
		newest := 0
		var words []string
		var shown []byte
		for _, b := range m.blocks {
			switch b.Type {
			case "text":
				words = append(words, b.Text)
			case "image":
				shown = decoded(b)
			case "tool_result":
				newest++
				s.Results = append(s.Results, b.result(cleared[b.Use]))
			}
		}
		if newest == 0 {
			s.Said, s.Shown, s.Results = strings.Join(words, "\n\n"), shown, nil
		}
		s.Newest = newest
	}
	return s
}

func (b block) result(cleared bool) enginetest.Result {
	r := enginetest.Result{Failed: b.IsError}
	if cleared {
		r.Text = clearedText
		return r
	}
	for _, c := range b.inner {
		if c.Type == "image" {
			r.Picture = decoded(c)
			continue
		}
		r.Text = strings.TrimPrefix(r.Text+"\n"+c.Text, "\n")
	}
	return r
}

func decoded(b block) []byte {
	data, err := base64.StdEncoding.DecodeString(b.Source.Data)
	if err != nil {
		return nil // it was read before
	}
	return data
}
