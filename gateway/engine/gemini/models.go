package gemini

import (
	"context"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
	"conch/gateway/tool"
)

// known is what Google doesn't tell with its models. Prices are those of ai.google.dev/gemini-api/docs/pricing for a
// paid account, text and pictures, prompts up to 200,000 tokens, as others quoted it between May and July 2026. A
// model that isn't here has no known price and gets Conch's computer tool.
var known = map[string]struct {
	computer string
	price    engine.Price
}{
	"gemini-3.5-flash":        {desktop, engine.Price{In: 1.50, Out: 9, CacheRead: 0.15}},
	"gemini-3.1-pro":          {"", engine.Price{In: 2, Out: 12}},
	"gemini-3.1-flash-lite":   {"", engine.Price{In: 0.25, Out: 1.50}},
	"gemini-3-flash":          {"", engine.Price{In: 0.50, Out: 3, CacheRead: 0.05}},
	"gemini-2.5-pro":          {"", engine.Price{In: 1.25, Out: 10}},
	"gemini-2.5-flash":        {"", engine.Price{In: 0.30, Out: 2.50}},
	"gemini-2.5-flash-lite":   {"", engine.Price{In: 0.10, Out: 0.40}},
	"gemini-2.5-computer-use": {preview, engine.Price{}},
}

// maxEdge is the longest side of a picture that Google doesn't make smaller.
const maxEdge = 3072

// others make no chat: what they answer with is speech, pictures or numbers.
var others = []string{"tts", "image", "embedding", "audio", "live", "robotics", "deep-research"}

// Models asks Google which models there are.
func (e *Engine) Models(ctx context.Context) ([]engine.Model, error) {
	var out []engine.Model
	page := ""
	for range 20 {
		var list struct {
			Models []listed `json:"models"`
			Next   string   `json:"nextPageToken"`
		}
		path := "/v1beta/models?pageSize=1000"
		if page != "" {
			path += "&pageToken=" + url.QueryEscape(page)
		}
		if err := e.client.Get(ctx, wire.Request{Path: path}, &list); err != nil {
			return nil, err
		}
		for _, m := range list.Models {
			if one, ok := m.model(); ok {
				out = append(out, one)
			}
		}
		if page = list.Next; page == "" {
			break
		}
	}
	return out, nil
}

// listed is a model as Google lists it.
type listed struct {
	Name    string   `json:"name"` // "models/gemini-3.5-flash"
	Title   string   `json:"displayName"`
	In      int      `json:"inputTokenLimit"`
	Out     int      `json:"outputTokenLimit"`
	Methods []string `json:"supportedGenerationMethods"`
}

// model is what the chat can use of it. It is false for what is no chat.
func (l listed) model() (engine.Model, bool) {
	id, ok := strings.CutPrefix(l.Name, "models/")
	if !ok || !slices.Contains(l.Methods, "generateContent") || slices.ContainsFunc(others, func(w string) bool { return strings.Contains(id, w) }) {
		return engine.Model{}, false
	}
	if generation(id) == 0 && strings.HasPrefix(id, "gemini-") {
		return engine.Model{}, false // another name for one that is listed, such as gemini-flash-latest
	}
	m := engine.Model{ID: id, Name: l.Title, Window: l.In, MaxOut: l.Out}
	if m.Name == "" {
		m.Name = id
	}
	if generation(id) >= 2 { // all since then take pictures and call functions
		k := known[family(id)]
		m.Sees, m.Tools, m.Forgets = true, true, true
		m.Picture = tool.Limits{Edge: maxEdge}
		m.Computer, m.Price = k.computer, k.price
	}
	return m, true
}

// edition is what follows a model's name where it is one of its editions.
var edition = regexp.MustCompile(`-(?:(?:preview|exp|latest)(?:-.*)?|[0-9]{2,}(?:-[0-9]+)*)$`)

// family is a model's name without its edition: "gemini-3-flash" of "gemini-3-flash-preview-09-2025".
func family(id string) string { return edition.ReplaceAllString(id, "") }

var numbered = regexp.MustCompile(`^gemini-([0-9]+)(?:\.([0-9]+))?-`)

// generation is the number in a model's name: 2.5 of "gemini-2.5-pro". 0 is none.
func generation(id string) float64 {
	m := numbered.FindStringSubmatch(id)
	if m == nil {
		return 0
	}
	minor := m[2]
	if minor == "" {
		minor = "0"
	}
	n, err := strconv.ParseFloat(m[1]+"."+minor, 64)
	if err != nil {
		return 0
	}
	return n
}

// thinks says whether a model can be asked to think aloud: all since 2.5 can, and earlier ones refuse to be asked.
func thinks(id string) bool { return generation(id) >= 2.5 }
