package openaitest

import (
	"bytes"
	"encoding/base64"
	"image"
	_ "image/jpeg" // pictures come in these
	_ "image/png"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine/enginetest"
)

// content reads a message's content, or a function's output.
func content(raw jsontext.Value, role string) (text string, pic []byte, err error) {
	if raw.Kind() == '"' {
		if err := json.Unmarshal(raw, &text); err != nil || strings.TrimSpace(text) == "" && role != "" {
			return "", nil, refuse("Invalid content: %s", raw)
		}
		return text, nil, nil
	}
	var parts []struct {
		Type   string `json:"type"`
		Text   string `json:"text"`
		URL    string `json:"image_url"`
		Detail string `json:"detail"`
	}
	if err := json.Unmarshal(raw, &parts, json.RejectUnknownMembers(true)); err != nil || len(parts) == 0 || role == "assistant" {
		return "", nil, refuse("Invalid content: %v", err)
	}
	for _, p := range parts {
		switch p.Type {
		case "input_text":
			text += p.Text
		case "input_image":
			if !slices.Contains([]string{"high", "original"}, p.Detail) {
				return "", nil, refuse("A picture at detail %q may be made smaller.", p.Detail)
			}
			if pic, err = picture(p.URL); err != nil {
				return "", nil, err
			}
		default:
			return "", nil, refuse("Invalid value: %q.", p.Type)
		}
	}
	return text, pic, nil
}

// picture reads a data URL.
func picture(url string) ([]byte, error) {
	head, data, ok := strings.Cut(url, ";base64,")
	if !ok || head != "data:image/png" && head != "data:image/jpeg" {
		return nil, refuse("Invalid 'image_url'. Expected a base64-encoded data URL with an image MIME type.")
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil, refuse("Invalid base64 image_url.")
	}
	if _, kind, err := image.DecodeConfig(bytes.NewReader(raw)); err != nil || "data:image/"+kind != head {
		return nil, refuse("The image data you provided does not represent a valid image.")
	}
	return raw, nil
}

func (r *reading) answer(c call, it item) error {
	res := enginetest.Result{}
	var err error
	if c.computer {
		res.Picture, err = r.screenshot(c, it)
	} else {
		res.Text, res.Picture, err = content(it.Output, "")
	}
	if err != nil {
		return err
	}
	r.seen.Results = append(r.seen.Results, res)
	r.seen.Newest++
	return nil
}

func (r *reading) screenshot(c call, it item) ([]byte, error) {
	var shot struct {
		Type   string `json:"type"`
		URL    string `json:"image_url"`
		Detail string `json:"detail"`
	}
	if err := json.Unmarshal(it.Output, &shot, json.RejectUnknownMembers(true)); err != nil || shot.Type != "computer_screenshot" {
		return nil, refuse("Invalid computer_call_output: %v", err)
	}
	if shot.Detail != "original" {
		return nil, refuse("A screenshot at detail %q may be made smaller.", shot.Detail)
	}
	if len(it.Known) > maxCheck {
		return nil, refuse("Too many safety checks.")
	}
	for _, check := range c.checks {
		if !slices.Contains(it.Known, check) {
			return nil, refuse("Computer call %s has unacknowledged safety checks.", c.id)
		}
	}
	for _, check := range it.Known {
		if !slices.Contains(c.checks, check) {
			return nil, refuse("Computer call %s has no safety check %s.", c.id, check.ID)
		}
	}
	return picture(shot.URL)
}
