package apps

import (
	"os"
	"path/filepath"
	"strings"

	"conch/mcp/connect/jsonc"
	"conch/mcp/connect/splice"
	"conch/mcp/connect/toml"
	"conch/mcp/connect/yaml"
)

var (
	strict = jsonc.Syntax{}
	// Gemini CLI reads past comments and stops at a comma too many.
	comments = jsonc.Syntax{Comments: true}
	relaxed  = jsonc.Syntax{Comments: true, Commas: true}
)

var table = []App{
	{
		ID: "claude-desktop", Name: "Claude Desktop", Syntax: strict, Parent: "mcpServers", Command: "command", Args: "args",
		Rewrites: true, Restart: true, Next: "Quit Claude Desktop and open it again.",
		fields:  common,
		files:   one(func(e Env) string { return e.config("Claude", "claude_desktop_config.json") }),
		folders: beside(one(func(e Env) string { return e.config("Claude", "claude_desktop_config.json") })),
		bundle:  "Claude.app", programs: []string{"claude-desktop"},
		runs: []string{"/Claude.app/Contents/MacOS/", "/lib/claude-desktop/", "/opt/claude-desktop/", "/share/claude-desktop/", "/.mount_claude"},
	},
	{
		ID: "claude-code", Name: "Claude Code", Syntax: strict, Parent: "mcpServers", Command: "command", Args: "args",
		Rewrites: true, Locks: true, Restart: true, Next: "Quit Claude Code and start it again.",
		fields: func(e Entry) []splice.Field {
			return []splice.Field{{Name: "type", Value: "stdio"}, {Name: "command", Value: e.Command}, {Name: "args", Value: e.Args}, {Name: "env", Value: splice.Empty{}}}
		},
		files:    one(claudeCode),
		folders:  one(func(e Env) string { return e.home(".claude") }),
		programs: []string{"claude"},
		runs:     []string{"/share/claude/versions/"},
	},
	{
		ID: "cursor", Name: "Cursor", Syntax: strict, Parent: "mcpServers", Command: "command", Args: "args",
		Restart: true, Next: "Quit Cursor and open it again.",
		fields:  common,
		files:   one(func(e Env) string { return e.home(".cursor", "mcp.json") }),
		folders: one(func(e Env) string { return e.home(".cursor") }),
		bundle:  "Cursor.app", programs: []string{"cursor"}, link: cursorLink,
	},
	code("vscode", "VS Code", "Code", "Visual Studio Code.app", "code", "vscode"),
	code("vscode-insiders", "VS Code Insiders", "Code - Insiders", "Visual Studio Code - Insiders.app", "code-insiders", "vscode-insiders"),
	{
		ID: "zed", Name: "Zed", Syntax: relaxed, Parent: "context_servers", Command: "command", Args: "args",
		Off: "enabled", OffIs: "false", Next: "Zed sees it at once: look in its Agent settings.",
		fields: func(e Entry) []splice.Field {
			return []splice.Field{{Name: "source", Value: "custom"}, {Name: "command", Value: e.Command}, {Name: "args", Value: e.Args}, {Name: "env", Value: splice.Empty{}}}
		},
		files: zed, folders: beside(zed),
		bundle: "Zed.app", programs: []string{"zed", "zeditor"},
	},
	{
		ID: "windsurf", Name: "Windsurf", Syntax: strict, Parent: "mcpServers", Command: "command", Args: "args",
		Off: "disabled", OffIs: "true", Restart: true, Next: "Quit Windsurf and open it again.",
		fields:  common,
		files:   one(func(e Env) string { return e.home(".codeium", "windsurf", "mcp_config.json") }),
		folders: one(func(e Env) string { return e.home(".codeium", "windsurf") }),
		bundle:  "Windsurf.app", programs: []string{"windsurf"},
	},
	{
		ID: "devin", Name: "Devin", Syntax: relaxed, Parent: "mcpServers", Command: "command", Args: "args",
		Off: "disabled", OffIs: "true", Restart: true, Next: "Quit Devin and open it again.",
		fields:  common,
		files:   one(func(e Env) string { return e.xdg("devin", "mcp_config.json") }),
		folders: one(func(e Env) string { return e.xdg("devin") }),
		bundle:  "Devin.app", programs: []string{"devin"},
	},
	{
		ID: "codex", Name: "Codex", Syntax: toml.Syntax{}, Parent: "mcp_servers", Command: "command", Args: "args",
		Off: "enabled", OffIs: "false", Restart: true, Next: "Quit Codex and start it again.",
		fields:  common,
		files:   one(func(e Env) string { return e.or("CODEX_HOME", ".codex", "config.toml") }),
		folders: beside(one(func(e Env) string { return e.or("CODEX_HOME", ".codex", "config.toml") })),
		bundle:  "Codex.app", programs: []string{"codex"},
	},
	{
		ID: "gemini-cli", Name: "Gemini CLI", Syntax: comments, Parent: "mcpServers", Command: "command", Args: "args",
		Restart: true, Next: "Quit Gemini CLI and start it again, in a folder that it trusts.", // elsewhere it starts no MCP server
		fields:   common,
		files:    one(func(e Env) string { return e.home(".gemini", "settings.json") }),
		folders:  none, // Antigravity keeps things in ~/.gemini too
		programs: []string{"gemini"},
	},
	{
		ID: "copilot-cli", Name: "Copilot CLI", Syntax: strict, Parent: "mcpServers", Command: "command", Args: "args",
		Restart: true, Next: "Quit Copilot CLI and start it again.",
		fields: func(e Entry) []splice.Field {
			return []splice.Field{{Name: "type", Value: "local"}, {Name: "command", Value: e.Command}, {Name: "args", Value: e.Args}, {Name: "tools", Value: []string{"*"}}}
		},
		files:    one(func(e Env) string { return e.or("COPILOT_HOME", ".copilot", "mcp-config.json") }),
		folders:  beside(one(func(e Env) string { return e.or("COPILOT_HOME", ".copilot", "mcp-config.json") })),
		programs: []string{"copilot"},
	},
	{
		ID: "lm-studio", Name: "LM Studio", Syntax: strict, Parent: "mcpServers", Command: "command", Args: "args",
		Restart: true, Next: "Quit LM Studio and open it again.",
		fields: common, files: lmStudio, folders: beside(lmStudio),
		bundle: "LM Studio.app", programs: []string{"lm-studio", "lms"}, link: lmStudioLink,
	},
	{
		ID: "goose", Name: "Goose", Syntax: yaml.Syntax{}, Parent: "extensions", Command: "cmd", Args: "args",
		Off: "enabled", OffIs: "false", Next: "Start a new session in Goose.",
		fields: func(e Entry) []splice.Field {
			return []splice.Field{
				{Name: "enabled", Value: true},
				{Name: "type", Value: "stdio"},
				{Name: "name", Value: e.Name},
				{Name: "cmd", Value: e.Command},
				{Name: "args", Value: e.Args},
				{Name: "envs", Value: splice.Empty{}},
				{Name: "timeout", Value: 300},
			}
		},
		files:   one(func(e Env) string { return e.xdg("goose", "config.yaml") }),
		folders: one(func(e Env) string { return e.xdg("goose") }),
		bundle:  "Goose.app", programs: []string{"goose"},
	},
}

// common is the shape that most apps share.
func common(e Entry) []splice.Field {
	return []splice.Field{{Name: "command", Value: e.Command}, {Name: "args", Value: e.Args}}
}

// code is a row of VS Code and its like.
func code(id, name, folder, bundle, program, scheme string) App {
	user := func(e Env) string { return e.config(folder, "User", "mcp.json") }
	return App{
		ID: id, Name: name, Syntax: relaxed, Parent: "servers", Command: "command", Args: "args",
		Next: "When " + name + " asks whether you trust Conch, choose Trust.",
		fields: func(e Entry) []splice.Field {
			return []splice.Field{{Name: "type", Value: "stdio"}, {Name: "command", Value: e.Command}, {Name: "args", Value: e.Args}}
		},
		files: one(user), folders: beside(one(user)),
		bundle: bundle, programs: []string{program},
		link: func(e Entry) string { return codeLink(scheme, e) },
	}
}

func claudeCode(e Env) string {
	if dir := e.absolute("CLAUDE_CONFIG_DIR"); dir != "" {
		return filepath.Join(dir, ".claude.json")
	}
	return e.home(".claude.json")
}

// zed has its own folder, and another one when it comes as a Flatpak.
func zed(e Env) []string {
	if e.OS == Mac {
		return []string{e.home(".config", "zed", "settings.json")}
	}
	out := []string{e.xdg("zed", "settings.json"), e.home(".var", "app", "dev.zed.Zed", "config", "zed", "settings.json")}
	if dir := e.absolute("FLATPAK_XDG_CONFIG_HOME"); dir != "" {
		out = append([]string{filepath.Join(dir, "zed", "settings.json")}, out...)
	}
	return out
}

// lmStudio keeps a note of where its folder is; older versions had it elsewhere.
func lmStudio(e Env) []string {
	out := []string{e.home(".lmstudio", "mcp.json"), e.home(".cache", "lm-studio", "mcp.json")}
	note, err := os.ReadFile(e.home(".lmstudio-home-pointer"))
	if dir := strings.TrimSpace(string(note)); err == nil && filepath.IsAbs(dir) && len(dir) < 4096 {
		out = append([]string{filepath.Join(dir, "mcp.json")}, out...)
	}
	return out
}
