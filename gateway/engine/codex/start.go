package codex

import (
	"github.com/go-json-experiment/json/jsontext"

	"conch/gateway/engine"
	"conch/gateway/engine/compatible"
)

type object = map[string]any

// off are codex's own abilities. Each is switched off for the turn: what is left are the turn's tools.
var off = []string{
	"shell_tool", "unified_exec", "view_image", "multi_agent", "multi_agent_v2", "goals", "plugins", "apps", "hooks", "memories",
	"skill_search", "tool_suggest", "image_generation", "sleep_tool", "browser_use", "computer_use", "in_app_browser", "remote_plugin",
	"shell_snapshot", "workspace_dependencies", "skill_mcp_dependency_install",
}

// settings are codex's settings for the turn, over the person's own: nothing that acts, and none of their MCP servers.
func settings(servers []string) object {
	features, none := object{}, object{}
	for _, f := range off {
		features[f] = false
	}
	for _, s := range servers {
		none[s] = object{"enabled": false}
	}
	return object{
		"features": features, "mcp_servers": none, "web_search": "disabled", "notify": []string{},
		"agents": object{"enabled": false}, "skills": object{"bundled": object{"enabled": false}, "include_instructions": false},
		"include_permissions_instructions": false, "include_apps_instructions": false, "include_environment_context": false,
		"include_collaboration_mode_instructions": false, "project_doc_max_bytes": 0,
	}
}

// about is what codex's models are told of how its tools answer: some call them from a script, where an answer is one
// text with the picture at its end.
const about = "Call one tool at a time and look at its answer before the next. In an exec script a tool's answer is one string; " +
	"if it has a picture, its last line is a data: URL. Never print that line: show it to yourself with image(), like this: " +
	"const r = await tools.computer({action: \"screenshot\"}); const i = r.lastIndexOf(\"\\ndata:image/\"); " +
	"text(i < 0 ? r : r.slice(0, i)); if (i >= 0) image(r.slice(i + 1));"

// thread is what a thread is started with.
func (r *run) thread(servers []string) object {
	tools := []object{}
	for _, t := range r.t.Tools {
		tools = append(tools, object{"type": "function", "name": t.Name, "description": t.About, "inputSchema": jsontext.Value(t.Schema)})
	}
	p := object{
		"cwd": r.temp, "ephemeral": true, "environments": []object{}, "sandbox": "read-only", "approvalPolicy": "never",
		"baseInstructions": r.t.Prompt(), "config": settings(servers), "dynamicTools": tools, "experimentalRawEvents": true,
	}
	if len(tools) > 0 {
		p["developerInstructions"] = about
	}
	if r.t.Model.ID != "" {
		p["model"] = r.t.Model.ID
	}
	return p
}

// history is what was said before the last message, as the thread keeps it.
func history(messages []engine.Message) []object {
	out := []object{}
	for _, m := range messages {
		role, kind := "user", "input_text"
		if m.Role == engine.Assistant {
			role, kind = "assistant", "output_text"
		}
		parts := []object{{"type": kind, "text": m.Text}}
		if m.Picture != nil && m.Role == engine.Person {
			parts = append(parts, object{"type": "input_image", "image_url": compatible.DataURL(m.Picture)})
		}
		out = append(out, object{"type": "message", "role": role, "content": parts})
	}
	return out
}

// input is the last message.
func input(m engine.Message) []object {
	var out []object
	if m.Text != "" || m.Picture == nil {
		out = append(out, object{"type": "text", "text": m.Text})
	}
	if m.Picture != nil {
		out = append(out, object{"type": "image", "url": compatible.DataURL(m.Picture)})
	}
	return out
}
