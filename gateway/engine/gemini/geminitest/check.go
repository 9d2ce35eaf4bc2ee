package geminitest

import (
	"bytes"
	"encoding/base64"
	"image"
	_ "image/jpeg" // the size of pictures
	_ "image/png"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine/dialect"
	"conch/gateway/engine/enginetest"
)

// The shapes of a request, all that is taken.
type (
	request struct {
		System   *content  `json:"systemInstruction"`
		Contents []content `json:"contents"`
		Tools    []struct {
			Functions []function `json:"functionDeclarations"`
			Computer  *struct {
				Environment string   `json:"environment"`
				Without     []string `json:"excludedPredefinedFunctions"`
				Watch       bool     `json:"enablePromptInjectionDetection"`
			} `json:"computerUse"`
		} `json:"tools"`
		Config struct {
			Thinking struct {
				Show bool `json:"includeThoughts"`
			} `json:"thinkingConfig"`
		} `json:"generationConfig"`
	}
	content struct {
		Role  string `json:"role"`
		Parts []part `json:"parts"`
	}
	part struct {
		Text      *string   `json:"text"`
		Thought   bool      `json:"thought"`
		Signature string    `json:"thoughtSignature"`
		Inline    *blob     `json:"inlineData"`
		Call      *call     `json:"functionCall"`
		Response  *response `json:"functionResponse"`
	}
	blob struct {
		MIME string `json:"mimeType"`
		Data string `json:"data"`
	}
	call struct {
		ID   string         `json:"id"`
		Name string         `json:"name"`
		Args jsontext.Value `json:"args"`
	}
	response struct {
		ID       string                    `json:"id"`
		Name     string                    `json:"name"`
		Response map[string]jsontext.Value `json:"response"`
		Parts    []struct {
			Inline *blob `json:"inlineData"`
		} `json:"parts"`
	}
	function struct {
		Name   string         `json:"name"`
		About  string         `json:"description"`
		Schema jsontext.Value `json:"parametersJsonSchema"`
	}
)

// reading is one request being read.
type reading struct {
	d    *Dialect
	seen enginetest.Seen
	told bool // a call was made: what a user says from then on is no new message of the person's
}

// Read says what a request holds. The error is a *Refusal.
func (d *Dialect) Read(body []byte) (enginetest.Seen, error) {
	if len(body) > MaxBody {
		return enginetest.Seen{}, invalid("Request payload size exceeds the limit: 20971520 bytes.")
	}
	var q request
	if err := json.Unmarshal(body, &q, json.RejectUnknownMembers(true)); err != nil {
		return enginetest.Seen{}, invalid("Invalid JSON payload received. %v", err)
	}
	r := &reading{d: d}
	if err := r.tools(q); err != nil {
		return enginetest.Seen{}, err
	}
	if q.System != nil {
		r.seen.System = q.System.text()
	}
	if q.Config.Thinking.Show && strings.HasPrefix(d.ID, "gemini-2.0") {
		return enginetest.Seen{}, invalid("Thinking is not enabled for this model.")
	}
	if err := r.contents(q.Contents); err != nil {
		return enginetest.Seen{}, err
	}
	return r.seen, nil
}

func (c content) text() string {
	var out []string
	for _, p := range c.Parts {
		if p.Text != nil {
			out = append(out, *p.Text)
		}
	}
	return strings.Join(out, "\n")
}

func (r *reading) tools(q request) error {
	native := false
	for _, t := range q.Tools {
		if c := t.Computer; c != nil {
			want := map[string]string{"desktop": "ENVIRONMENT_DESKTOP", "preview": "ENVIRONMENT_BROWSER"}[r.d.Computer]
			if want == "" || c.Environment != want || c.Watch && r.d.Computer == "preview" {
				return invalid("Computer Use is not enabled for this model, or not with these settings.")
			}
			native = true
			r.seen.Tools = append(r.seen.Tools, dialect.ToolName)
		}
		for _, f := range t.Functions {
			if slices.Contains(r.seen.Tools, f.Name) {
				return invalid("Duplicate function declaration found: %s", f.Name)
			}
			if f.About == "" || len(f.Name) > 64 {
				return invalid("* GenerateContentRequest.tools: invalid function %s", f.Name)
			}
			if err := schema(f.Schema); err != nil {
				return err
			}
			r.seen.Tools = append(r.seen.Tools, f.Name)
		}
	}
	if r.d.Computer == "preview" && !native && len(q.Tools) > 0 {
		return invalid("This model requires the use of the Computer Use tool.")
	}
	return nil
}

// schema refuses keywords that Google doesn't say it takes.
func schema(raw jsontext.Value) error {
	if len(raw) == 0 {
		return nil
	}
	var s any
	if err := json.Unmarshal(raw, &s); err != nil {
		return invalid("%v", err)
	}
	return walk(s)
}

func walk(v any) error {
	s, ok := v.(object)
	if !ok {
		return nil
	}
	for k, v := range s {
		switch k {
		case "type", "format", "title", "description", "enum", "minItems", "maxItems", "minimum", "maximum", "required", "$id", "$ref", "$anchor":
		case "items", "additionalProperties":
			if err := walk(v); err != nil {
				return err
			}
		case "properties", "$defs":
			for _, one := range v.(object) {
				if err := walk(one); err != nil {
					return err
				}
			}
		case "anyOf", "oneOf", "prefixItems":
			for _, one := range v.([]any) {
				if err := walk(one); err != nil {
					return err
				}
			}
		default:
			return invalid("Unsupported keyword %q in parametersJsonSchema", k)
		}
	}
	return nil
}

func (r *reading) contents(all []content) error {
	if len(all) == 0 || all[0].Role != "user" || all[len(all)-1].Role != "user" {
		return invalid("Please ensure that the request begins and ends with a user turn.")
	}
	var open []call
	for i, c := range all {
		if len(c.Parts) == 0 || c.Role != "user" && c.Role != "model" {
			return invalid("* GenerateContentRequest.contents[%d].parts: contents.parts must not be empty.", i)
		}
		var err error
		if c.Role == "model" {
			if len(open) > 0 {
				return invalid("Please ensure that function call turn is followed by a function response turn.")
			}
			open, err = r.model(c)
		} else {
			err = r.user(c, open)
			open = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// model checks what the model said: it must come back as it was.
func (r *reading) model(c content) ([]call, error) {
	var calls []call
	for _, p := range c.Parts {
		if p.Response != nil || p.Inline != nil {
			return nil, invalid("A model turn can't hold function responses or media.")
		}
		if p.Call == nil {
			if p.Text == nil || *p.Text == "" && p.Signature == "" {
				return nil, invalid("Unable to submit request because it must have a text parameter that is not empty.")
			}
			continue
		}
		want := ""
		if r.d.Inside && len(calls) == 0 {
			want = signature(p.Call.Name, p.Call.Args)
		}
		switch p.Signature {
		case want:
		case "":
			return nil, invalid("Function call is missing a thought_signature in functionCall parts. Function call `%s`.", p.Call.Name)
		default:
			return nil, invalid("Corrupted thought signature.")
		}
		calls = append(calls, *p.Call)
	}
	r.told = r.told || len(calls) > 0
	return calls, nil
}

// user checks that calls are answered, each one and in order.
func (r *reading) user(c content, open []call) error {
	n := 0
	var beside []*enginetest.Result
	from := len(r.seen.Results)
	for _, p := range c.Parts {
		switch {
		case p.Response != nil:
			if n >= len(open) || p.Response.Name != open[n].Name || p.Response.ID != open[n].ID {
				return invalid("Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.")
			}
			res, err := r.response(p.Response, open[n])
			if err != nil {
				return err
			}
			r.seen.Results = append(r.seen.Results, res)
			n++
		case p.Inline != nil:
			data, err := r.picture(p.Inline)
			if err != nil {
				return err
			}
			if n == 0 {
				r.seen.Shown = data
				r.size(data)
				continue
			}
			beside = append(beside, &enginetest.Result{Picture: data})
		case p.Text == nil || *p.Text == "":
			return invalid("Unable to submit request because it must have a text parameter.")
		}
	}
	if n != len(open) {
		return invalid("Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.")
	}
	if r.seen.Newest = n; n == 0 && !r.told {
		r.seen.Said = c.text()
	}
	return r.beside(beside, from)
}

// beside gives the results their pictures where a model takes them beside: the last one each time, as they come in
// order and a result need not have one.
func (r *reading) beside(pics []*enginetest.Result, from int) error {
	if r.d.Inside && len(pics) > 0 {
		return invalid("Media belongs inside the function response for this model.")
	}
	to := len(r.seen.Results)
	for i := range pics {
		at := to - len(pics) + i
		if at < from {
			return invalid("There are more pictures than function responses.")
		}
		r.seen.Results[at].Picture = pics[i].Picture
		r.size(pics[i].Picture)
	}
	return nil
}

func (r *reading) response(p *response, c call) (enginetest.Result, error) {
	res := enginetest.Result{}
	for _, key := range []string{"output", "error"} {
		if v, ok := p.Response[key]; ok {
			if json.Unmarshal(v, &res.Text) != nil {
				return res, invalid("%s must be text here.", key)
			}
			res.Failed = key == "error"
		}
	}
	if r.d.Computer != "" {
		if dialect.GeminiChecked(c.Args).Ask && string(p.Response["safety_acknowledgement"]) != "true" {
			return res, invalid("The safety decision from function call %s must be acknowledged in the corresponding function response.", c.Name)
		}
		if r.d.Computer == "preview" && dialect.IsGemini(c.Name) && p.Response["url"] == nil {
			return res, invalid("Computer Use function responses must have a url.")
		}
	}
	for _, in := range p.Parts {
		if in.Inline == nil || !r.d.Inside || res.Picture != nil {
			return res, invalid("Function response parts are not enabled for this model, or hold no media.")
		}
		data, err := r.picture(in.Inline)
		if err != nil {
			return res, err
		}
		if res.Picture = data; c.Name != "zoom" {
			r.size(data)
		}
	}
	return res, nil
}

func (r *reading) picture(b *blob) ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(b.Data)
	if err != nil || b.MIME != "image/png" && b.MIME != "image/jpeg" {
		return nil, invalid("Unable to process input image.")
	}
	if _, _, err := image.DecodeConfig(bytes.NewReader(data)); err != nil {
		return nil, invalid("Unable to process input image.")
	}
	return data, nil
}

// size remembers how large the newest whole picture is.
func (r *reading) size(data []byte) {
	if c, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
		r.d.W, r.d.H = c.Width, c.Height
	}
}
