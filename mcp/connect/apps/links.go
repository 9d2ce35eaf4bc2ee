package apps

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// wire is an entry in a link.
type wire struct {
	Name    string   `json:"name,omitzero"`
	Type    string   `json:"type,omitzero"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func encode(w wire) []byte {
	var b bytes.Buffer
	// Strings alone can only fail by not being UTF-8; then the replacement character shows up in the app.
	if err := json.MarshalWrite(&b, w, jsontext.AllowInvalidUTF8(true)); err != nil {
		return []byte("{}")
	}
	return b.Bytes()
}

func cursorLink(e Entry) string {
	config := base64.StdEncoding.EncodeToString(encode(wire{Command: e.Command, Args: e.Args}))
	return "cursor://anysphere.cursor-deeplink/mcp/install?name=" + url.QueryEscape(e.Name) + "&config=" + url.QueryEscape(config)
}

func lmStudioLink(e Entry) string {
	config := base64.StdEncoding.EncodeToString(encode(wire{Command: e.Command, Args: e.Args}))
	return "lmstudio://add_mcp?name=" + url.QueryEscape(e.Name) + "&config=" + url.QueryEscape(config)
}

// codeLink is for VS Code and its like, which decode like a browser does: a plus stays a plus.
func codeLink(scheme string, e Entry) string {
	text := url.QueryEscape(string(encode(wire{Name: e.Name, Type: "stdio", Command: e.Command, Args: e.Args})))
	return scheme + ":mcp/install?" + strings.ReplaceAll(text, "+", "%20")
}
