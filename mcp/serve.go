package mcp

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"conch/gateway"
	"conch/gateway/chat"
	"conch/gateway/tool"
	"conch/mcp/pair"
)

var (
	errClosing = errors.New("Conch is closing")
	errRemoved = errors.New("this app was removed")
)

// sessions is the manager of sessions that the library asks. There are none: an app is known by its proof, and the id
// that the library sees is one that the door sets, so that no app's calls are mistaken for another's.
type sessions struct{}

func (sessions) Generate() string              { return "" }
func (sessions) Validate(string) (bool, error) { return false, nil }
func (sessions) Terminate(string) (bool, error) {
	return false, nil
}

// message is what the door needs to know of a JSON-RPC message before the library reads it.
type message struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params struct {
		Name string `json:"name"`
		Meta struct {
			Version  string         `json:"io.modelcontextprotocol/protocolVersion"`
			Progress jsontext.Value `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
}

// request is one request of a paired app, as its handlers know it.
type request struct {
	client pair.Client
	tool   string // of tools/call
	modern bool
	out    *answer
	http   context.Context // ends when the app hangs up
}

type requestKey struct{}

func requestOf(ctx context.Context) request {
	r, _ := ctx.Value(requestKey{}).(request)
	return r
}

// serve answers one message of a paired app.
func (d *Door) serve(w http.ResponseWriter, r *http.Request) {
	c, session, ok := d.known(w, r)
	if !ok {
		return
	}
	if r.Method != http.MethodPost { // there is no stream to open and no session to end
		w.Header().Set("Allow", http.MethodPost)
		flat(w, http.StatusMethodNotAllowed, "post-only", "Send a message with POST.")
		return
	}
	if !accepts(r.Header.Values("Accept")) {
		flat(w, http.StatusNotAcceptable, "accept", "Say that you accept application/json and text/event-stream.")
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		flat(w, http.StatusRequestEntityTooLarge, "too-large", "That is too long.")
		return
	}
	var m message
	if err := json.Unmarshal(body, &m, json.MatchCaseInsensitiveNames(false), jsontext.AllowDuplicateNames(false)); err != nil {
		rpcError(w, http.StatusBadRequest, nil, mcp.PARSE_ERROR, "This isn't one JSON-RPC message.")
		return
	}
	modern := mcp.IsModernProtocol(m.Params.Meta.Version) || mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))
	if modern && m.Method == "notifications/cancelled" {
		// Hanging up is how these apps cancel. The library would look for the call among everybody's.
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if !modern && r.Header.Get(server.HeaderKeySessionID) != "" {
		flat(w, http.StatusNotFound, "no-session", "There is no such session. Begin again.")
		return
	}
	r.Header.Set(server.HeaderKeySessionID, session)
	ctx, leave := d.enter(r.Context(), c.ID)
	defer leave()
	if ctx.Err() != nil {
		flat(w, http.StatusServiceUnavailable, "closing", "Conch is closing. Open it again, then try again.")
		return
	}
	late := newPatient(w)
	defer late.hurry()
	w = late
	out := &answer{w: w, id: m.ID, progress: m.Params.Meta.Progress}
	ctx = context.WithValue(ctx, requestKey{}, request{client: c, tool: m.Params.Name, modern: modern, out: out, http: r.Context()})
	r = r.WithContext(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if m.Method == string(mcp.MethodSubscriptionsListen) {
		w.Header().Set("X-Accel-Buffering", "no")
		d.http.ServeHTTP(w, r)
		return
	}
	d.http.ServeHTTP(out, r)
	out.finish()
}

// accepts says whether both forms of an answer may be sent, as the transport asks of every client.
func accepts(values []string) bool {
	all := strings.ToLower(strings.Join(values, ","))
	if strings.Contains(all, "*/*") {
		return true
	}
	return strings.Contains(all, "application/json") && strings.Contains(all, "text/event-stream")
}

// offered is the filter of tools, for a list and for a call.
func (d *Door) offered(ctx context.Context, all []mcp.Tool) []mcp.Tool {
	r := requestOf(ctx)
	if r.client.ID == "" {
		return nil
	}
	may := map[string]bool{}
	for _, t := range d.opt.Gateway.ClientTools(ctx, asClient(r.client), r.tool) {
		may[t.Name] = true
	}
	out := make([]mcp.Tool, 0, len(may))
	for _, t := range all {
		if may[t.Name] {
			out = append(out, t)
		}
	}
	return out
}

func asClient(c pair.Client) gateway.Client {
	return gateway.Client{ID: c.ID, Name: c.Name, Mode: c.Mode, Scopes: c.Scopes}
}

// call makes a call, or joins the one that is made already.
func (d *Door) call(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	r := requestOf(ctx)
	if r.client.ID == "" {
		return nil, errRemoved
	}
	args := []byte("{}")
	if req.Params.Arguments != nil {
		var err error
		if args, err = json.Marshal(req.Params.Arguments, json.Deterministic(true)); err != nil {
			return mcp.NewToolResultError("The arguments can't be read."), nil
		}
	}
	c, name := asClient(r.client), req.Params.Name
	var res tool.Result
	var waits string
	var err error
	if d.direct[name] {
		// It reads at once and asks nobody, so there is nothing to wait for or to come back to.
		res, err = d.opt.Gateway.ClientCall(ctx, c, name, args, r.out.step)
	} else {
		res, waits, err = d.calls.make(ctx, c, name, args, r.out.step)
	}
	switch {
	case errors.Is(err, gateway.ErrNoTool):
		return mcp.NewToolResultError("This app may not use that, or not any more. Its person can change that in Conch, Settings, Other apps."), nil
	case errors.Is(err, chat.ErrClosing), errors.Is(context.Cause(ctx), errClosing):
		return mcp.NewToolResultError("Conch is closing. Open it again, then try again."), nil
	case err != nil:
		return nil, err
	case waits != "" && r.modern:
		// The app makes the same call again by itself; nothing more is needed from it than that.
		return server.NewInputRequestBuilder(waits).ToolResult(), nil
	case waits != "":
		return mcp.NewToolResultText(waitsSay), nil
	}
	return result(res), nil
}

const waitsSay = "This isn't done yet: it waits for the person's OK in Conch, or is still being worked on. " +
	"Tell them to look at Conch, then make exactly the same call again to get its answer. Nothing is done twice by that."

// result is a tool's answer on the wire. An error has no picture.
func result(r tool.Result) *mcp.CallToolResult {
	if r.Failed {
		return mcp.NewToolResultError(r.Text)
	}
	out := mcp.NewToolResultText(r.Text)
	if p := r.Picture; p != nil {
		out.Content = append(out.Content, mcp.NewImageContent(base64.StdEncoding.EncodeToString(p.Data), p.MIME))
	}
	return out
}

// shown is a tool as apps are told of it.
func shown(t tool.Tool) mcp.Tool {
	out := mcp.NewToolWithRawSchema(t.Name, t.About, t.Schema)
	reads, sends := t.Effect == tool.Reads, t.Effect != tool.Reads && t.Effect != tool.Changes
	destroys := !reads
	out.Title = t.Title
	out.Annotations = mcp.ToolAnnotation{Title: t.Title, ReadOnlyHint: &reads, DestructiveHint: &destroys, OpenWorldHint: &sends}
	return out
}
