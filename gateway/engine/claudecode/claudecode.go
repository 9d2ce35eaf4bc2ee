// Package claudecode is the engine that thinks with the person's own Claude Code, on their own plan: it runs claude
// for one turn, gives it the turn's tools over MCP on this computer and nothing else, and passes on what it says. It
// never lets claude run a command or touch a file, and knows nothing of policy.
package claudecode

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"conch/gateway/engine"
	"conch/gateway/engine/program"
	"conch/gateway/engine/wire"
	"conch/gateway/tool"
)

// Program is the program's name on PATH.
const Program = "claude"

var who = program.Who{Name: "Claude Code", Command: "claude"}

// Config is what an Engine is made of.
type Config struct {
	Path string   // of the program; empty: where it is found
	Env  []string // more of its environment, such as another address of its provider's
}

// Engine is Claude Code on this computer.
type Engine struct{ c Config }

var _ engine.Place = (*Engine)(nil)

// New returns the engine of the program.
func New(c Config) *Engine { return &Engine{c} }

// ID names the engine.
func (*Engine) ID() string { return "claude-code" }

func (e *Engine) path() (string, error) {
	if e.c.Path != "" {
		return e.c.Path, nil
	}
	if path, ok := program.Find(Program); ok {
		return path, nil
	}
	return "", who.Absent()
}

// quiet switches off what claude does beside the turn, and lets a tool take the time that a person takes to answer.
var quiet = []string{
	"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_AUTO_MEMORY=1",
	"CLAUDE_CODE_DISABLE_CLAUDE_MDS=1", "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1", "ENABLE_TOOL_SEARCH=false",
	"CLAUDE_CODE_MAX_RETRIES=6", "MCP_TOOL_TIMEOUT=86400000", "CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT=86400000", "MAX_MCP_OUTPUT_TOKENS=100000",
}

func (e *Engine) env(path, temp string) []string {
	env := append(program.Env(path, []string{"CLAUDE_CONFIG_DIR"}, quiet...), "TMPDIR="+temp)
	return append(env, e.c.Env...)
}

// picture is the largest picture that none of its models makes smaller.
var picture = tool.Limits{Edge: 1568, Tile: 28, Tiles: 1568}

// Models are the names under which claude always has its newest models. It is asked first whether anybody is signed
// in.
func (e *Engine) Models(ctx context.Context) ([]engine.Model, error) {
	path, err := e.path()
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "conch-claude-")
	if err != nil {
		return nil, who.Ended(err)
	}
	defer os.RemoveAll(temp) //nolint:errcheck // an empty folder that stays is no harm
	if err := e.signedIn(ctx, path, temp); err != nil {
		return nil, err
	}
	var out []engine.Model
	for _, m := range [][2]string{{"sonnet", "Claude Sonnet"}, {"opus", "Claude Opus"}, {"fable", "Claude Fable"}, {"haiku", "Claude Haiku"}} {
		out = append(out, engine.Model{ID: m[0], Name: m[1], Sees: true, Tools: true, Window: 200_000, Picture: picture})
	}
	return out, nil
}

// askIn is how long claude may take to say whether anybody is signed in.
const askIn = time.Minute

func (e *Engine) signedIn(ctx context.Context, path, temp string) error {
	ctx, cancel := context.WithTimeout(ctx, askIn)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "auth", "status", "--json")
	cmd.Dir, cmd.Env, cmd.WaitDelay = temp, e.env(path, temp), time.Second
	said, runErr := cmd.Output()
	var status struct {
		In *bool `json:"loggedIn"`
	}
	if err := json.Unmarshal(said, &status); err != nil || status.In == nil {
		return who.Ended(errors.Join(runErr, err))
	}
	if !*status.In {
		return who.SignedOut()
	}
	return nil
}

// Turn answers the last message.
func (e *Engine) Turn(ctx context.Context, t engine.Turn) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		out := wire.NewOut(ctx, yield)
		out.End(e.run(ctx, t, out))
	}
}

// run is a whole turn. All that it makes is gone when it returns: the program, its folder and its door.
func (e *Engine) run(ctx context.Context, t engine.Turn, out *wire.Out) (err error) {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	path, err := e.path()
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "conch-claude-")
	if err != nil {
		return who.Ended(err)
	}
	defer os.RemoveAll(temp) //nolint:errcheck // its files are taken away by themselves before
	d, err := openDoor(ctx, t.Tools)
	if err != nil {
		return who.Ended(err)
	}
	defer d.close()
	p, err := e.start(ctx, path, temp, t, d)
	if err != nil {
		return who.Ended(err)
	}
	defer p.End()
	r := newRun(ctx, t, out, p, d, temp)
	if err := p.Write(userLine(t)); err != nil && ctx.Err() == nil {
		return r.ended() // which says why, where the program did
	}
	return r.all()
}

// The files that tell claude what no command line may show.
const (
	doorFile   = "mcp.json"
	systemFile = "system.md"
)

func (e *Engine) start(ctx context.Context, path, temp string, t engine.Turn, d *door) (*program.Process, error) {
	work := filepath.Join(temp, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		return nil, fmt.Errorf("a folder to work in: %w", err)
	}
	config, err := d.config()
	if err != nil {
		return nil, err
	}
	for name, data := range map[string][]byte{doorFile: config, systemFile: []byte(t.Prompt())} {
		if err := os.WriteFile(filepath.Join(temp, name), data, 0o600); err != nil {
			return nil, fmt.Errorf("a file for claude: %w", err)
		}
	}
	args := []string{
		"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--include-partial-messages",
		"--mcp-config", filepath.Join(temp, doorFile), "--strict-mcp-config", "--setting-sources", "", "--tools", "",
		"--allowedTools", prefix + "*", "--permission-mode", "dontAsk", "--disable-slash-commands", "--no-session-persistence", "--no-chrome",
		"--system-prompt-file", filepath.Join(temp, systemFile),
	}
	if t.Model.ID != "" {
		args = append(args, "--model="+t.Model.ID)
	}
	return program.Start(ctx, program.Spec{Path: path, Args: args, Dir: work, Env: e.env(path, temp)})
}
