package dialect

import (
	"github.com/go-json-experiment/json"

	"conch/gateway/tool"
)

// AnthropicOwns are functions of Conch's own that are offered beside Anthropic's computer tool, which has none for them,
// in the order of the table.
func AnthropicOwns() []tool.Tool { return owns("in pixels of the last picture") }

// GeminiOwns are those beside Gemini's.
func GeminiOwns() []tool.Tool {
	corner := func(name string) arg { return arg{name, "integer", "On the grid, 0 to 999.", true} }
	return append(owns("on the grid"),
		own("zoom", "Looks at a part of the last picture in full detail. Points stay those of the whole picture.",
			corner("start_x"), corner("start_y"), corner("end_x"), corner("end_y")),
		own("cursor_position", "Says where the pointer is."))
}

// owns are the functions that no provider has.
func owns(points string) []tool.Tool {
	name := func(about string, must bool) arg { return arg{"name", "string", about, must} }
	return []tool.Tool{
		own("open_app", "Opens an app, or brings it to the front. Use this, never a launcher.", name("The app's name.", true)),
		own("list_apps", "Lists the apps that can be opened.", name("Part of a name, to narrow the list.", false)),
		own("find", "Finds the controls of the window in front by their name, with their points "+points+".", name("The control's name.", true)),
	}
}

// arg is an argument of a function.
type arg struct {
	name, kind, about string
	must              bool // it can't be left out
}

// own is what a model is told of a function. It becomes a step, so it is never run itself.
func own(name, about string, args ...arg) tool.Tool {
	t := tool.Tool{Name: name, About: about}
	if len(args) == 0 {
		return t
	}
	properties, must := map[string]any{}, []string{}
	for _, a := range args {
		properties[a.name] = map[string]string{"type": a.kind, "description": a.about}
		if a.must {
			must = append(must, a.name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(must) > 0 {
		schema["required"] = must
	}
	t.Schema, _ = json.Marshal(schema, json.Deterministic(true)) // a map of texts always encodes
	return t
}
