package anthropictest

import (
	"bytes"
	"encoding/base64"
	"image"
	_ "image/jpeg" // so that sizes can be read
	_ "image/png"  // so that sizes can be read
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)

// members are those of the toolset.
var members = []string{
	"screenshot", "cursor_position", "left_mouse_down", "left_mouse_up", "left_click", "right_click", "middle_click",
	"double_click", "triple_click", "left_click_drag", "mouse_move", "scroll", "type", "key", "hold_key", "wait", "zoom",
}

type configs map[string]struct {
	Enabled *bool `json:"enabled"`
	Defer   *bool `json:"defer_loading"`
}

func (p *parsed) checkTools(betas []string) error {
	for i, raw := range p.request.Tools {
		var kind struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(raw, &kind); err != nil {
			return bad("tools.%d: %v", i, err)
		}
		name, err := "", error(nil)
		switch kind.Type {
		case "", "custom":
			name, err = checkCustom(raw)
		case Toolset:
			name, err = "computer", checkToolset(raw)
		case Computer2511:
			name, err = "computer", checkOlder(raw, true, slices.Contains(betas, "computer-use-2025-11-24"))
		case Computer2501:
			name, err = "computer", checkOlder(raw, false, slices.Contains(betas, "computer-use-2025-01-24"))
		default:
			err = bad("unknown type %s", kind.Type)
		}
		if err != nil {
			return bad("tools.%d: %v", i, err)
		}
		if kind.Type != "" && kind.Type != "custom" {
			if !slices.Contains(p.model.Tools, kind.Type) {
				return bad("tools.%d: %s is not supported on this model", i, kind.Type)
			}
			p.native = kind.Type
		}
		if slices.Contains(p.tools, name) {
			return bad("tools: Tool names must be unique: %s", name)
		}
		p.tools = append(p.tools, name)
	}
	if p.Context != nil {
		for _, e := range p.Context.Edits {
			for _, name := range e.Exclude {
				if !slices.Contains(p.tools, name) {
					return bad("context_management: exclude_tools names no tool: %s", name)
				}
			}
		}
	}
	return nil
}

func checkCustom(raw jsontext.Value) (string, error) {
	var t struct {
		Type   string         `json:"type"`
		Name   string         `json:"name"`
		About  string         `json:"description"`
		Schema jsontext.Value `json:"input_schema"`
		Cache  *cacheControl  `json:"cache_control"`
		Strict bool           `json:"strict"`
	}
	if err := json.Unmarshal(raw, &t, json.RejectUnknownMembers(true)); err != nil {
		return "", err
	}
	var schema struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(t.Schema, &schema); err != nil || schema.Type != "object" {
		return "", bad("input_schema.type must be object")
	}
	if !toolName.MatchString(t.Name) {
		return "", bad("name: %q", t.Name)
	}
	return t.Name, nil
}

func checkToolset(raw jsontext.Value) error {
	var t struct {
		Type    string        `json:"type"`
		Configs configs       `json:"configs"`
		Cache   *cacheControl `json:"cache_control"`
		Callers []string      `json:"allowed_callers"`
	}
	if err := json.Unmarshal(raw, &t, json.RejectUnknownMembers(true)); err != nil {
		return err
	}
	for name := range t.Configs {
		if !slices.Contains(members, name) {
			return bad("configs.%s: Extra inputs are not permitted", name)
		}
	}
	return nil
}

func checkOlder(raw jsontext.Value, zooms, header bool) error {
	var t struct {
		Type   string        `json:"type"`
		Name   string        `json:"name"`
		W      int           `json:"display_width_px"`
		H      int           `json:"display_height_px"`
		Number *int          `json:"display_number"`
		Zoom   *bool         `json:"enable_zoom"`
		Cache  *cacheControl `json:"cache_control"`
	}
	if err := json.Unmarshal(raw, &t, json.RejectUnknownMembers(true)); err != nil {
		return err
	}
	if t.Name != "computer" || t.W < 1 || t.H < 1 || t.Zoom != nil && !zooms || !header {
		return bad("the computer tool needs its name, a size and its beta header: %s", raw)
	}
	return nil
}

// checkResults holds that each call is answered in the very next message, first thing in it, and rightly.
func (p *parsed) checkResults([]string) error {
	var open []*block
	ids := map[string]bool{}
	for i := range p.messages {
		m := &p.messages[i]
		if m.role == "assistant" {
			if len(open) > 0 {
				return bad("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after", i)
			}
			for n := range m.blocks {
				b := &m.blocks[n]
				if b.Type != "tool_use" {
					continue
				}
				if ids[b.ID] {
					return bad("messages.%d: `tool_use` ids must be unique", i)
				}
				ids[b.ID] = true
				open = append(open, b)
			}
			continue
		}
		words := false
		for n := range m.blocks {
			b := &m.blocks[n]
			if b.Type != "tool_result" {
				words = true
				continue
			}
			at := slices.IndexFunc(open, func(o *block) bool { return o.ID == b.Use })
			if at < 0 || words {
				return bad("messages.%d.content.%d: `tool_result` must answer a `tool_use` of the message before, first in its message", i, n)
			}
			b.call = open[at]
			open = slices.Delete(open, at, at+1)
			if err := b.checkResult(); err != nil {
				return bad("messages.%d.content.%d: %v", i, n, err)
			}
		}
		if len(open) > 0 {
			return bad("messages.%d: `tool_use` ids were found without `tool_result` blocks: %s", i, open[0].ID)
		}
	}
	return nil
}

func (b *block) checkResult() error {
	if b.Content.Kind() == '"' {
		var text string
		if err := json.Unmarshal(b.Content, &text); err != nil {
			return err
		}
		b.inner = []block{{Type: "text", Text: text}}
	} else if len(b.Content) > 0 {
		if err := json.Unmarshal(b.Content, &b.inner, json.RejectUnknownMembers(true)); err != nil {
			return err
		}
	}
	pictures := 0
	for _, c := range b.inner {
		switch {
		case c.Type == "image" && b.IsError:
			return bad("all content must be type \"text\" if \"is_error\" is true")
		case c.Type == "image":
			pictures++
		case c.Type != "text" || strings.TrimSpace(c.Text) == "":
			return bad("a result holds text that isn't empty, and pictures")
		}
	}
	set := b.call.Toolset
	switch {
	case b.IsError && len(b.inner) == 0:
		return bad("content cannot be empty if `is_error` is true")
	case set == nil && b.Toolset != nil, set != nil && (b.Toolset == nil || *b.Toolset != *set):
		return bad("toolset_name must be that of the call")
	case set != nil && !b.IsError && pictures == 0 && slices.Contains([]string{"screenshot", "zoom"}, b.call.Name):
		return bad("the result of %s needs an image", b.call.Name)
	}
	return nil
}

// picture is the size of one.
type picture struct{ w, h, bytes int }

func (i picture) tokens() int { return (i.w + 27) / 28 * ((i.h + 27) / 28) }

// each calls a function for each picture.
func (p *parsed) each(f func(b, result *block) error) error {
	for i := range p.messages {
		for n := range p.messages[i].blocks {
			b := &p.messages[i].blocks[n]
			if b.Type == "image" {
				if err := f(b, nil); err != nil {
					return bad("messages.%d.content.%d: %v", i, n, err)
				}
			}
			for k := range b.inner {
				if b.inner[k].Type == "image" {
					if err := f(&b.inner[k], b); err != nil {
						return bad("messages.%d.content.%d.%d: %v", i, n, k, err)
					}
				}
			}
		}
	}
	return nil
}

func (p *parsed) checkPictures([]string) error {
	var all []picture
	edge, tiles := 1568, 1568
	if p.model.Large {
		edge, tiles = 2576, 4784
	}
	err := p.each(func(b, result *block) error {
		if b.Source == nil || b.Source.Type != "base64" {
			return bad("source must be base64 here")
		}
		data, err := base64.StdEncoding.DecodeString(b.Source.Data)
		if err != nil {
			return bad("source.data: %v", err)
		}
		cfg, kind, err := image.DecodeConfig(bytes.NewReader(data))
		if err != nil || "image/"+kind != b.Source.Media {
			return bad("the image isn't %s: %v", b.Source.Media, err)
		}
		b.img = picture{cfg.Width, cfg.Height, len(b.Source.Data)}
		if cfg.Width > 8000 || cfg.Height > 8000 || b.img.bytes > 10<<20 {
			return bad("image exceeds the maximum size")
		}
		strict := b.Transformations != nil && b.Transformations.Oversized == "error" || result != nil && result.Toolset != nil
		if over := max(cfg.Width, cfg.Height) > edge || b.img.tokens() > tiles; over && strict {
			return bad("the image of %d by %d is larger than this model looks at", cfg.Width, cfg.Height)
		}
		all = append(all, b.img)
		return nil
	})
	if err != nil {
		return err
	}
	if most := 600; len(all) > most || p.model.Window <= 200_000 && len(all) > 100 {
		return bad("too many images: %d", len(all))
	}
	for _, i := range all {
		if len(all) > 20 && max(i.w, i.h) > 2000 {
			return bad("many-image requests: 2000 pixels")
		}
	}
	return nil
}

func (p *parsed) checkCache([]string) error {
	n := 0
	count := func(c *cacheControl) error {
		if c == nil {
			return nil
		}
		if n++; n > 4 {
			return bad("A maximum of 4 blocks with cache_control may be provided")
		}
		if c.Type != "ephemeral" {
			return bad("cache_control.type: %q", c.Type)
		}
		return nil
	}
	for _, raw := range p.request.Tools {
		var t struct {
			Cache *cacheControl `json:"cache_control"`
		}
		if err := json.Unmarshal(raw, &t); err != nil {
			return err
		}
		if err := count(t.Cache); err != nil {
			return err
		}
	}
	for _, b := range p.System {
		if err := count(b.Cache); err != nil {
			return err
		}
	}
	for _, m := range p.messages {
		for _, b := range m.blocks {
			if err := count(b.Cache); err != nil {
				return err
			}
		}
	}
	return nil
}
