package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"conch/gateway/engine"
	"conch/gateway/engine/compatible"
	"conch/gateway/engine/dialect"
	"conch/gateway/tool"
)

// moreName is the function that gives a model with OpenAI's computer tool what that tool lacks, such as opening an
// app. It is Conch's computer tool by another name, since two tools can't have one.
const moreName = "computer_more"

const moreAbout = "Does what the built-in computer tool can't: open_app, list_apps, find, zoom, hold_key, triple_click, " +
	"left_mouse_down and left_mouse_up. Use the built-in tool for the rest. The same rules hold for both:\n\n"

// head is all of a request but the transcript. It is the same in each request of a turn and comes before the
// transcript, so that the provider can take both from its cache.
type head struct {
	params responses.ResponseNewParams
	old    *responses.ComputerUsePreviewToolParam // nil: the model doesn't use the older computer tool
}

func newHead(t engine.Turn, system string) (head, error) {
	h := head{params: responses.ResponseNewParams{
		Model:          t.Model.ID,
		Instructions:   param.NewOpt(t.Prompt()),
		Store:          param.NewOpt(false),
		PromptCacheKey: param.NewOpt(cacheKey(t)),
	}}
	if reasons(t.Model.ID) {
		h.params.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	for _, one := range t.Tools {
		if one.Name == dialect.ToolName && h.native(t.Model.Computer, system) {
			if t.Model.Computer == oldComputer { // takes no functions beside; the rules still hold
				h.params.Instructions = param.NewOpt(t.Prompt() + "\n\n" + one.About)
				continue
			}
			one.Name, one.About = moreName, moreAbout+one.About
		}
		f, err := function(one)
		if err != nil {
			return head{}, err
		}
		h.params.Tools = append(h.params.Tools, responses.ToolUnionParam{OfFunction: &f})
	}
	return h, nil
}

// native adds OpenAI's own computer tool where the model has one.
func (h *head) native(name, system string) bool {
	switch name {
	case newComputer:
		entry := responses.NewComputerToolParam()
		h.params.Tools = append(h.params.Tools, responses.ToolUnionParam{OfComputer: &entry})
		return true
	case oldComputer:
		h.old = &responses.ComputerUsePreviewToolParam{
			// Until there is a picture its size isn't known; this is the one that the tool's guide begins with.
			DisplayWidth: 1024, DisplayHeight: 768, Environment: responses.ComputerUsePreviewToolEnvironment(system),
		}
		h.params.Tools = append(h.params.Tools, responses.ToolUnionParam{OfComputerUsePreview: h.old})
		h.params.Truncation = responses.ResponseNewParamsTruncationAuto // the older tool demands it
		return true
	}
	return false
}

// function is a tool as a function. It isn't strict: strict ones must need every parameter, and Conch's don't.
func function(t tool.Tool) (responses.FunctionToolParam, error) {
	f := responses.FunctionToolParam{Name: t.Name, Strict: param.NewOpt(false), Description: param.NewOpt(t.About)}
	if len(t.Schema) == 0 {
		f.Parameters = map[string]any{"type": "object", "properties": map[string]any{}}
		return f, nil
	}
	return f, json.Unmarshal(t.Schema, &f.Parameters)
}

// cacheKey brings the requests of a chat to the same cache. It says nothing of the chat.
func cacheKey(t engine.Turn) string {
	sum := sha256.Sum256([]byte("conch " + t.Chat))
	return hex.EncodeToString(sum[:16])
}

// reasons says whether a model thinks before it answers: all that aren't known not to. Asking one of those for its
// reasoning is refused.
func reasons(id string) bool {
	for _, p := range []string{"gpt-3", "gpt-4", "chatgpt-"} {
		if strings.HasPrefix(id, p) {
			return false
		}
	}
	return !strings.Contains(id, "-chat")
}

// body is a request: the head, then the transcript.
func (h *head) body(said *transcript, last bool) ([]byte, error) {
	p := h.params
	if last {
		p.ToolChoice = responses.ResponseNewParamsToolChoiceUnion{OfToolChoiceMode: param.NewOpt(responses.ToolChoiceOptionsNone)}
	}
	if h.old != nil && said.last != nil {
		h.old.DisplayWidth, h.old.DisplayHeight = int64(said.last.W), int64(said.last.H)
	}
	out, err := p.MarshalJSON()
	if err != nil {
		return nil, err
	}
	out = append(out[:len(out)-1], `,"stream":true,"input":[`...)
	for i, item := range said.items() {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	return append(out, "]}"...), nil
}

// message is a message as an item.
func message(role responses.EasyInputMessageRole, text string) []byte {
	return encode(responses.ResponseInputItemParamOfMessage(text, role))
}

// seen is a message of the person's with a picture.
func seen(m engine.Message, detail responses.ResponseInputImageContentDetail) []byte {
	list := responses.ResponseInputMessageContentListParam{
		{OfInputText: &responses.ResponseInputTextParam{Text: m.Text}},
		{OfInputImage: &responses.ResponseInputImageParam{
			ImageURL: param.NewOpt(dataURL(m.Picture)), Detail: responses.ResponseInputImageDetail(detail),
		}},
	}
	return encode(responses.ResponseInputItemParamOfMessage(list, responses.EasyInputMessageRoleUser))
}

// output is the answer to a function's call.
func output(call, text string, p *tool.Picture, detail responses.ResponseInputImageContentDetail) []byte {
	var item responses.ResponseInputItemUnionParam
	if p == nil {
		item = responses.ResponseInputItemParamOfFunctionCallOutput(text)
	} else {
		item = responses.ResponseInputItemParamOfFunctionCallOutput(responses.ResponseFunctionCallOutputItemListParam{
			{OfInputText: &responses.ResponseInputTextContentParam{Text: text}},
			{OfInputImage: &responses.ResponseInputImageContentParam{ImageURL: param.NewOpt(dataURL(p)), Detail: detail}},
		})
	}
	item.OfFunctionCallOutput.CallID = param.NewOpt(call)
	return encode(item)
}

// screenshot is the answer to a call of OpenAI's computer tool, with the safety checks that the person said yes to.
func screenshot(call string, p *tool.Picture, checks []responses.ResponseComputerToolCallPendingSafetyCheck) []byte {
	shot := responses.ResponseComputerToolCallOutputScreenshotParam{ImageURL: param.NewOpt(dataURL(p))}
	// A picture that the provider made smaller would put every point off; the SDK's type has no such field yet.
	shot.SetExtraFields(map[string]any{"detail": "original"})
	item := responses.ResponseInputItemParamOfComputerCallOutput(call, shot)
	for _, c := range checks {
		ok := responses.ResponseInputItemComputerCallOutputAcknowledgedSafetyCheckParam{ID: c.ID}
		if c.JSON.Code.Valid() {
			ok.Code = param.NewOpt(c.Code)
		}
		if c.JSON.Message.Valid() {
			ok.Message = param.NewOpt(c.Message)
		}
		item.OfComputerCallOutput.AcknowledgedSafetyChecks = append(item.OfComputerCallOutput.AcknowledgedSafetyChecks, ok)
	}
	return encode(item)
}

// encode is an item as JSON. It fails for nothing that is made here; a null would be refused by the provider.
func encode(item responses.ResponseInputItemUnionParam) []byte {
	out, err := item.MarshalJSON()
	if err != nil {
		return []byte("null")
	}
	return out
}

func dataURL(p *tool.Picture) string { return compatible.DataURL(p) }
