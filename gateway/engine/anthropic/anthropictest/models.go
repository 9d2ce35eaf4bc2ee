package anthropictest

// Model is what a server holds true of a model.
type Model struct {
	ID, Name string
	Window   int // tokens in
	Out      int // tokens out
	Tools    []string
	// Binds says that thinking holds only for the transcript that it was thought in, and can't be turned off.
	Binds    bool
	Adaptive bool // takes thinking of its own measure; otherwise of a set one
	Large    bool // looks at large pictures
}

// Computer tools.
const (
	Toolset      = "computer_toolset_20260801"
	Computer2511 = "computer_20251124"
	Computer2501 = "computer_20250124"
)

// Models are those that there are: one of each kind.
func Models() []Model {
	return []Model{
		{ID: "claude-opus-5-5", Name: "Claude Opus 5.5", Window: 1_000_000, Out: 128_000, Tools: []string{Toolset}, Binds: true, Adaptive: true, Large: true},
		{ID: "claude-fable-5-1", Name: "Claude Fable 5.1", Window: 1_000_000, Out: 128_000, Tools: []string{Toolset, Computer2511}, Binds: true, Adaptive: true, Large: true},
		{ID: "claude-haiku-5-5", Name: "Claude Haiku 5.5", Window: 1_000_000, Out: 128_000, Tools: []string{Toolset}, Binds: true, Adaptive: true, Large: true},
		{ID: "claude-sonnet-5", Name: "Claude Sonnet 5", Window: 1_000_000, Out: 128_000, Tools: []string{Toolset, Computer2511}, Adaptive: true, Large: true},
		{ID: "claude-opus-4-8", Name: "Claude Opus 4.8", Window: 1_000_000, Out: 128_000, Tools: []string{Toolset, Computer2511}, Adaptive: true, Large: true},
		{ID: "claude-sonnet-4-6", Name: "Claude Sonnet 4.6", Window: 1_000_000, Out: 64_000, Tools: []string{Computer2511}, Adaptive: true},
		{ID: "claude-haiku-4-5-20251001", Name: "Claude Haiku 4.5", Window: 200_000, Out: 64_000, Tools: []string{Computer2501}},
		// A model whose name says nothing, newer than anybody here.
		{ID: "claude-next", Name: "Claude Next", Window: 1_000_000, Out: 128_000, Tools: []string{Toolset}, Binds: true, Adaptive: true, Large: true},
	}
}

func modelOf(id string) (Model, bool) {
	for _, m := range Models() {
		if m.ID == id {
			return m, true
		}
	}
	return Model{}, false
}

func infos(models []Model) []any {
	is := func(b bool) map[string]any { return map[string]any{"supported": b} }
	var out []any
	for _, m := range models {
		out = append(out, map[string]any{
			"type": "model", "id": m.ID, "display_name": m.Name, "created_at": "2026-09-01T00:00:00Z", "lifecycle": "active",
			"max_input_tokens": m.Window, "max_tokens": m.Out, "deprecated_at": nil, "retires_at": nil, "line": nil,
			"capabilities": map[string]any{
				"image_input": is(true), "batch": is(true), "unheard_of": is(true),
				"thinking": map[string]any{"supported": true, "types": map[string]any{
					"adaptive": is(m.Adaptive), "enabled": is(!m.Binds), "disabled": is(!m.Binds), "between_tools": is(false),
				}},
				"context_management": map[string]any{"supported": true, "clear_tool_uses_20250919": is(true)},
			},
		})
	}
	return append(out, map[string]any{"type": "model", "id": "claude-2", "display_name": "Claude 2", "lifecycle": "retired"})
}
