package gemini

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/engine/dialect"
	"conch/gateway/tool"
)

// maxBody is the size of a request with pictures in it, in bytes: all of it counts, base64 too.
const maxBody = 20_000_000

// What Google's own computer tool is called in engine.Model.
const (
	desktop = "desktop" // Gemini 3.5: functions for a desktop
	preview = "preview" // the 2.5 preview: a browser's functions, those left out that only a browser has
)

// The shapes of the Gemini API, as far as they are sent.
type (
	request struct {
		System   *content         `json:"systemInstruction,omitempty"`
		Contents []jsontext.Value `json:"contents"`
		Tools    []toolset        `json:"tools,omitempty"`
		Config   *config          `json:"generationConfig,omitempty"`
	}
	content struct {
		Role  string `json:"role,omitempty"`
		Parts []part `json:"parts"`
	}
	part struct {
		Text     string    `json:"text,omitempty"`
		Inline   *blob     `json:"inlineData,omitempty"`
		Response *response `json:"functionResponse,omitempty"`
	}
	blob struct {
		MIME string `json:"mimeType"`
		Data []byte `json:"data"`
	}
	response struct {
		ID       string         `json:"id,omitempty"`
		Name     string         `json:"name"`
		Response map[string]any `json:"response"`
		Parts    []part         `json:"parts,omitempty"`
	}
	toolset struct {
		Functions []function   `json:"functionDeclarations,omitempty"`
		Computer  *computerUse `json:"computerUse,omitempty"`
	}
	function struct {
		Name   string         `json:"name"`
		About  string         `json:"description"`
		Schema jsontext.Value `json:"parametersJsonSchema,omitempty"`
	}
	computerUse struct {
		Environment string   `json:"environment"`
		Without     []string `json:"excludedPredefinedFunctions,omitempty"`
		Watch       bool     `json:"enablePromptInjectionDetection,omitzero"`
	}
	config struct {
		Thinking *thinking `json:"thinkingConfig,omitempty"`
	}
	thinking struct {
		Show bool `json:"includeThoughts"`
	}
)

// pixels is said with Conch's own computer tool, since these models otherwise name points on their grid.
const pixels = "\n\nPoints are pixels of the picture, from its top left, never parts of a thousand."

// head is all of a request but the transcript. It is the same in each request of a turn and comes before the
// transcript, so that the provider can take both from its cache.
type head struct{ request }

func newHead(t engine.Turn) (head, error) {
	h := head{request{Tools: nil}}
	if p := t.Prompt(); p != "" {
		h.System = &content{Parts: []part{{Text: p}}}
	}
	if thinks(t.Model.ID) {
		h.Config = &config{Thinking: &thinking{Show: true}}
	}
	var offered []tool.Tool
	for _, one := range t.Tools {
		if one.Name == dialect.ToolName {
			if use := native(t.Model.Computer); use != nil {
				h.Tools = append(h.Tools, toolset{Computer: use})
				offered = append(offered, dialect.GeminiOwns()...)
				continue
			}
			one.About += pixels
		}
		offered = append(offered, one)
	}
	var functions []function
	for _, one := range offered {
		f, err := declare(one)
		if err != nil {
			return head{}, err
		}
		functions = append(functions, f)
	}
	if len(functions) > 0 {
		h.Tools = append(h.Tools, toolset{Functions: functions})
	}
	return h, nil
}

// native is Google's own computer tool; nil where the model hasn't one.
func native(computer string) *computerUse {
	switch computer {
	case desktop:
		// What is on the screen may try to steer the model: the provider looks for that too.
		return &computerUse{Environment: "ENVIRONMENT_DESKTOP", Watch: true}
	case preview:
		return &computerUse{Environment: "ENVIRONMENT_BROWSER", Without: dialect.GeminiBrowser()}
	}
	return nil
}

// declare is a tool as a function.
func declare(t tool.Tool) (function, error) {
	f := function{Name: t.Name, About: t.About}
	if len(t.Schema) == 0 {
		return f, nil
	}
	s, err := takes(t.Schema)
	f.Schema = s
	return f, err
}

// with is the request with a transcript.
func (h head) with(contents []jsontext.Value, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	r := h.request
	r.Contents = contents
	return json.Marshal(r, json.Deterministic(true))
}
