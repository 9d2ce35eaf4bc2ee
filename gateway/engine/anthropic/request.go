package anthropic

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"conch/gateway/engine"
	"conch/gateway/engine/dialect"
)

// Headers for what isn't in the API for good yet.
const (
	betaClear = "context-management-2025-06-27"
	betaDrop  = "thinking-binding-controls-2026-08-01"
	beta2511  = "computer-use-2025-11-24"
	beta2501  = "computer-use-2025-01-24"
)

const (
	mostOut = 32_000 // tokens of one answer, where the model may write more
	leastW  = 1280   // of the screen, before it has been seen: the older computer tools must be told a size
	leastH  = 800
)

// ownRules stand before the computer tool's own words where Anthropic's tool takes its place, which has no room for
// them.
const ownRules = "About using the computer:\n\n"

// rulesOf is what the computer tool says of itself without its list of actions, since Anthropic's tool has its own.
func rulesOf(about string) string {
	paragraphs := strings.Split(about, "\n\n")
	return strings.Join(slices.DeleteFunc(paragraphs, func(p string) bool { return strings.HasPrefix(p, "Actions:\n") }), "\n\n")
}

var cached = sdk.NewBetaCacheControlEphemeralParam()

// request is the whole request and the headers that it needs.
func (x *turn) request() (body []byte, betas []string, err error) {
	m := x.t.Model
	p := sdk.BetaMessageNewParams{
		Model: m.ID, MaxTokens: mostOut, System: x.system(), Messages: x.messages(),
	}
	if m.MaxOut > 0 {
		p.MaxTokens = int64(min(m.MaxOut, mostOut))
	}
	p.Tools, betas = x.tools()
	if x.traits.adaptive {
		a := &sdk.BetaThinkingConfigAdaptiveParam{Display: sdk.BetaThinkingConfigAdaptiveDisplaySummarized}
		if x.dropped {
			a.BlockBinding.PrefixMismatchBehavior = "drop_block"
			betas = append(betas, betaDrop)
		}
		p.Thinking.OfAdaptive = a
	}
	if edit := x.clearing(); edit != nil {
		p.ContextManagement.Edits = []sdk.BetaContextManagementConfigEditUnionParam{{OfClearToolUses20250919: edit}}
		betas = append(betas, betaClear)
	}
	p.SetExtraFields(map[string]any{"stream": true})
	body, err = json.Marshal(p)
	return x.pics.put(body), betas, err
}

// pics are the pictures of a request while it is put into JSON, which would copy megabytes of them again and again:
// a short word stands for each, and is replaced in the end. Nobody can have written that word.
type pics struct {
	word string
	data []string
}

func (p *pics) add(data string) string {
	if p.word == "" {
		p.word = rand.Text()
	}
	p.data = append(p.data, data)
	return fmt.Sprintf("%s.%06d", p.word, len(p.data)-1)
}

// put puts the pictures into the body in place of their words, and forgets them.
func (p *pics) put(body []byte) []byte {
	if len(p.data) == 0 {
		return body
	}
	size := len(body)
	for _, d := range p.data {
		size += len(d)
	}
	out := make([]byte, 0, size)
	for {
		at := bytes.Index(body, []byte(p.word))
		if at < 0 {
			break
		}
		end := at + len(p.word) + len(".000000")
		n, err := strconv.Atoi(string(body[end-6 : end]))
		if err != nil {
			break // it is written above
		}
		out = append(append(out, body[:at]...), p.data[n]...)
		body = body[end:]
	}
	*p = pics{}
	return append(out, body...)
}

// system is what the model is told first. What is the same in every chat comes first and is cached by itself; the
// notes of this turn follow.
func (x *turn) system() []sdk.BetaTextBlockParam {
	var out []sdk.BetaTextBlockParam
	if c, ok := x.computer(); ok && x.native != "" && c.About != "" {
		out = append(out, sdk.BetaTextBlockParam{Text: ownRules + rulesOf(c.About)})
	}
	if !blank(x.t.System) {
		out = append(out, sdk.BetaTextBlockParam{Text: x.t.System})
	}
	if len(out) > 0 {
		out[len(out)-1].CacheControl = cached
	}
	if notes := strings.Join(x.t.Notes, "\n\n"); !blank(notes) {
		out = append(out, sdk.BetaTextBlockParam{Text: notes})
	}
	return out
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// tools are Conch's, but for the computer tool where one of Anthropic's own takes its place. They are the same in
// every request of a turn, since models that bind their thinking to what they were told refuse anything else; the
// older computer tools, which no such model takes, are told the screen's size once it is known.
func (x *turn) tools() (out []sdk.BetaToolUnionParam, betas []string) {
	w, h := int64(leastW), int64(leastH)
	if x.w > 0 {
		w, h = int64(x.w), int64(x.h)
	}
	switch x.native {
	case toolset:
		entry := &sdk.BetaComputerToolset20260801Param{}
		entry.Type = entry.Type.Default()
		if x.noZoom {
			entry.Configs.Zoom.Enabled = param.NewOpt(false)
		}
		out = append(out, sdk.BetaToolUnionParam{OfComputerToolset20260801: entry})
	case computer2511:
		out = append(out, sdk.BetaToolUnionParam{OfComputerUseTool20251124: &sdk.BetaToolComputerUse20251124Param{
			DisplayWidthPx: w, DisplayHeightPx: h, EnableZoom: param.NewOpt(!x.noZoom),
		}})
		betas = append(betas, beta2511)
	case computer2501:
		out = append(out, sdk.BetaToolUnionParam{OfComputerUseTool20250124: &sdk.BetaToolComputerUse20250124Param{
			DisplayWidthPx: w, DisplayHeightPx: h,
		}})
		betas = append(betas, beta2501)
	}
	if x.native != "" {
		for _, o := range dialect.AnthropicOwns() {
			if !x.has(o.Name) {
				out = append(out, custom(o.Name, o.About, o.Schema))
			}
		}
	}
	for _, t := range x.t.Tools {
		if x.native == "" || t.Name != dialect.ToolName {
			out = append(out, custom(t.Name, t.About, t.Schema))
		}
	}
	return out, betas
}

func custom(name, about string, schema []byte) sdk.BetaToolUnionParam {
	if len(schema) == 0 {
		schema = []byte(`{"type":"object"}`)
	}
	t := &sdk.BetaToolParam{Name: name, InputSchema: param.Override[sdk.BetaToolInputSchemaParam](json.RawMessage(schema))}
	if about != "" {
		t.Description = param.NewOpt(about)
	}
	return sdk.BetaToolUnionParam{OfTool: t}
}

// clearing asks the API to leave older answers of the computer tool out of what the model reads, for a model whose
// transcript must not be changed by us. It names how many stay rather than when to begin, and goes by batches, so
// that from request to request the same ones are gone.
func (x *turn) clearing() *sdk.BetaClearToolUses20250919EditParam {
	if x.t.Model.Forgets || x.dropped || !x.traits.clears {
		return nil
	}
	first, keep := x.firstKept(), 0
	if first < 0 {
		return nil
	}
	for _, s := range x.steps[first:] {
		keep += len(s.calls)
	}
	e := &sdk.BetaClearToolUses20250919EditParam{}
	e.Type = e.Type.Default()
	e.Keep.Value = int64(keep)
	e.Keep.Type = e.Keep.Type.Default()
	trigger := &sdk.BetaToolUsesTriggerParam{Value: int64(keep)}
	trigger.Type = trigger.Type.Default()
	e.Trigger.OfToolUses = trigger
	for _, t := range x.t.Tools {
		if t.Name != dialect.ToolName {
			e.ExcludeTools = append(e.ExcludeTools, t.Name)
		}
	}
	return e
}

// firstKept is the step with the oldest picture that stays, when older ones don't; otherwise -1.
func (x *turn) firstKept() int {
	gone := false
	for i, s := range x.steps {
		for _, r := range s.results {
			switch {
			case r.data == "":
			case !x.album.Kept(r.picture):
				gone = true
			case gone:
				return i
			default:
				return -1
			}
		}
	}
	return -1
}

// messages are the chat so far and the turn so far.
func (x *turn) messages() []sdk.BetaMessageParam {
	out := x.history()
	if len(out) == 0 {
		return out
	}
	at := []int{len(out) - 1} // the messages that breakpoints may be put at the end of
	for i, s := range x.steps {
		said := sdk.BetaMessageParam{Role: sdk.BetaMessageParamRoleAssistant}
		for _, raw := range s.said {
			said.Content = append(said.Content, param.Override[sdk.BetaContentBlockParamUnion](json.RawMessage(raw)))
		}
		if len(said.Content) > 0 {
			out = append(out, said)
		}
		if len(s.results) == 0 {
			continue
		}
		answers := sdk.BetaMessageParam{Role: sdk.BetaMessageParamRoleUser}
		for _, r := range x.steps[i].results {
			answers.Content = append(answers.Content, sdk.BetaContentBlockParamUnion{OfToolResult: x.block(r)})
		}
		out = append(out, answers)
		at = append(at, len(out)-1)
	}
	for _, n := range x.breakpoints(len(at)) {
		breakAfter(&out[at[n]])
	}
	return out
}

// breakpoints are the places up to which the API keeps what it has read, of n places; it looks for what it kept only
// near them. The last is for the next request, and the one before it finds what was kept for this one, however many
// calls an answer had. One lies before the oldest picture that is still there: when pictures are taken out, what was
// kept up to there still holds, so that is looked for then, and the new such place takes over.
func (x *turn) breakpoints(n int) []int {
	was := x.before
	// Before any picture has gone, the oldest one comes after the person's message, at place 0.
	x.before = max(x.firstKept(), 0)
	out := []int{n - 1}
	for _, place := range []int{x.before, was, n - 2} {
		if place >= 0 && len(out) < 3 && !slices.Contains(out, place) {
			out = append(out, place)
		}
	}
	return out
}

func breakAfter(m *sdk.BetaMessageParam) {
	switch b := &m.Content[len(m.Content)-1]; {
	case b.OfToolResult != nil:
		b.OfToolResult.CacheControl = cached
	case b.OfText != nil:
		b.OfText.CacheControl = cached
	case b.OfImage != nil:
		b.OfImage.CacheControl = cached
	}
}

// history is the chat before this turn and the message that began it. Messages without words are left out, and
// those of one side that follow each other are one.
func (x *turn) history() []sdk.BetaMessageParam {
	var out []sdk.BetaMessageParam
	for _, m := range x.t.Messages {
		role := sdk.BetaMessageParamRoleUser
		if m.Role == engine.Assistant {
			role = sdk.BetaMessageParamRoleAssistant
		}
		var blocks []sdk.BetaContentBlockParamUnion
		if !blank(m.Text) {
			blocks = append(blocks, sdk.BetaContentBlockParamUnion{OfText: &sdk.BetaTextBlockParam{Text: m.Text}})
		}
		if m.Picture != nil && role == sdk.BetaMessageParamRoleUser {
			blocks = append(blocks, sdk.BetaContentBlockParamUnion{OfImage: x.source(m.Picture.MIME, base64.StdEncoding.EncodeToString(m.Picture.Data))})
		}
		switch n := len(out); {
		case len(blocks) == 0, n == 0 && role == sdk.BetaMessageParamRoleAssistant: // a chat begins with the person
		case n > 0 && out[n-1].Role == role:
			out[n-1].Content = append(out[n-1].Content, blocks...)
		default:
			out = append(out, sdk.BetaMessageParam{Role: role, Content: blocks})
		}
	}
	return out
}

func (x *turn) source(mime, data string) *sdk.BetaImageBlockParam {
	return &sdk.BetaImageBlockParam{Source: sdk.BetaImageBlockParamSourceUnion{
		OfBase64: &sdk.BetaBase64ImageSourceParam{Data: x.pics.add(data), MediaType: sdk.BetaBase64ImageSourceMediaType(mime)},
	}}
}

// block is a result as it is sent.
func (x *turn) block(r *result) *sdk.BetaToolResultBlockParam {
	b := &sdk.BetaToolResultBlockParam{ToolUseID: r.id}
	if r.toolset != "" {
		b.ToolsetName = param.NewOpt(r.toolset)
	}
	if r.failed {
		b.IsError = param.NewOpt(true)
	}
	text := r.text
	if r.data != "" && !x.kept(r) {
		text += "\n" + engine.Gone
	}
	b.Content = append(b.Content, sdk.BetaToolResultBlockParamContentUnion{OfText: &sdk.BetaTextBlockParam{Text: text}})
	if r.data != "" && x.kept(r) {
		// A picture that the API made smaller would put every point beside what is meant; it says so instead.
		img := x.source(r.mime, r.data)
		img.Transformations.OversizedImage = sdk.BetaImageTransformationsParamOversizedImageError
		b.Content = append(b.Content, sdk.BetaToolResultBlockParamContentUnion{OfImage: img})
	}
	return b
}
