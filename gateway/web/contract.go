package web

// CSP is the Content-Security-Policy of every page. Nothing inline runs or styles; blob: is for the picture
// of the practice desktop, which is fetched first so that an unchanged one costs nothing.
const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Paths of the pages, as they link to each other.
const (
	PathHome     = "/"
	PathChat     = "/chats/" // and the chat's id
	PathSettings = "/settings"
	PathComputer = "/settings/computer"
	PathActivity = "/activity"
	PathStatic   = "/static/" // Renderer.Static
	PathLive     = "/live"    // the WebSocket: ?chat=<id>&after=<seq>; without chat only the rail is followed
)

// Endpoints lists all that the pages ever call, as patterns of http.ServeMux. Bodies are JSON, errors are
// {code, say, next}. What they take and answer:
//
//	POST   /api/here                       {code} → 204
//	POST   /api/chats                      {text, mode?, model?} → {id}
//	POST   /api/chats/{id}/messages        {text} → 204
//	POST   /api/chats/{id}/stop            {} → 204
//	POST   /api/chats/{id}/mode            {mode} → 204
//	POST   /api/confirm                    {what: "trust" | "always" | …, password?} → 204
//	POST   /api/confirm/on                 {password?} → 204
//	POST   /api/confirm/off                {} → 204
//	POST   /api/sign-in                    {password} → 204, from elsewhere
//	GET    /api/device                     → {state: "waiting" | "in", number}, from elsewhere
//	POST   /api/devices/{id}               {} → 204: it is let in
//	DELETE /api/devices/{id}               → 204: it is removed
//	POST   /api/password                   {password} → 204
//	POST   /api/address                    {name, port, proxy, certificate, key} → 204
//	DELETE /api/address                    → 204: it is off
//	POST   /api/questions/{id}             {choice: "once" | "always" | "no"} → 204
//	POST   /api/computer-use               {on} → 204
//	POST   /api/computer-use/stop          {} → 204
//	DELETE /api/computer-use/apps/{id}     → 204
//	GET    /api/computer-use/shot/{id}     → the picture, no-store
//	POST   /api/computer-use/switches/look {} → 204: how the system's switches stand is looked up again
//	POST   /api/computer-use/switches/{name} {} → 204: the system's settings come up
//	POST   /api/computer-use/pause         {"pause":true} → 204
//	POST   /api/computer-use/reopen        {} → 204, then Conch ends and comes back
//	POST   /api/memory                     {text} → 204: a fact is kept
//	POST   /api/memory/{id}                {text} → 204: it is kept in other words
//	POST   /api/memory/{id}/keep           {text} → 204: a suggestion is kept; empty: as it is
//	POST   /api/memory/{id}/refuse         {} → 204
//	POST   /api/memory/{id}/forget         {} → 204
//	POST   /api/memory/{id}/undo           {} → 204
//	POST   /api/skills/{name}              {on, hash} → 204
//	POST   /api/skills/{name}/accept       {hash} → 204
//	GET    /api/models                     → {usual, places: [{id, name, works, models: [{name, label, marks}]}]}
//	POST   /api/models                     {kind, name, address, key} → {id, name, works, say, next, models}
//	POST   /api/models/find                {} → {found: [name]}
//	POST   /api/models/usual               {model} → 204; empty: none
//	POST   /api/models/limits              {turn, day} → 204, in dollars; 0: none
//	POST   /api/models/{id}/key            {key} → 204
//	POST   /api/models/{id}/test           {} → {id, name, works, say, next, models}
//	DELETE /api/models/{id}                → 204: it is removed with its key
//	POST   /api/chats/{id}/model           {model} → 204; empty: the usual one
//	GET    /api/practice/shot              → the picture, no-store, with an ETag; 304 to If-None-Match; 404 without one
//	POST   /api/care/fix                   {id} → {fixed, say}
//	POST   /api/care/repair                {} → 204: what it does comes over the socket
//	GET    /live                           WebSocket of Update values, server to page only
//
// A 204 may as well be a 200 with any JSON object.
var Endpoints = []string{
	"POST /api/here",
	"POST /api/chats",
	"POST /api/chats/{id}/messages",
	"POST /api/chats/{id}/stop",
	"POST /api/chats/{id}/mode",
	"POST /api/confirm",
	"POST /api/confirm/on",
	"POST /api/confirm/off",
	"POST /api/sign-in",
	"GET /api/device",
	"POST /api/devices/{id}",
	"DELETE /api/devices/{id}",
	"POST /api/password",
	"POST /api/address",
	"DELETE /api/address",
	"POST /api/questions/{id}",
	"POST /api/computer-use",
	"POST /api/computer-use/stop",
	"DELETE /api/computer-use/apps/{id}",
	"GET /api/computer-use/shot/{id}",
	"POST /api/computer-use/switches/look",
	"POST /api/computer-use/switches/{name}",
	"POST /api/computer-use/pause",
	"POST /api/computer-use/reopen",
	"POST /api/memory",
	"POST /api/memory/{id}",
	"POST /api/memory/{id}/keep",
	"POST /api/memory/{id}/refuse",
	"POST /api/memory/{id}/forget",
	"POST /api/memory/{id}/undo",
	"POST /api/skills/{name}",
	"POST /api/skills/{name}/accept",
	"GET /api/models",
	"POST /api/models",
	"POST /api/models/find",
	"POST /api/models/usual",
	"POST /api/models/limits",
	"POST /api/models/{id}/key",
	"POST /api/models/{id}/test",
	"DELETE /api/models/{id}",
	"POST /api/chats/{id}/model",
	"GET /api/practice/shot",
	"POST /api/care/fix",
	"POST /api/care/repair",
	"GET /live",
}

// Op says what an Update does.
type Op string

// The ops.
const (
	// OpAppend puts HTML at the end of the element ID. Where an element with the HTML's own id is in the
	// page already, it is replaced instead, so events may be sent twice.
	OpAppend Op = "append"
	// OpPrepend puts HTML at the start of the element ID, likewise.
	OpPrepend Op = "prepend"
	// OpReplace puts HTML in the place of the element ID; nothing happens without one.
	OpReplace Op = "replace"
	// OpRemove takes the element ID out.
	OpRemove Op = "remove"
)

// Update is one message on the socket.
//
// Seq is the place in the event log and grows; the page asks for what is after the last one that it saw.
// 0 is for what the log doesn't hold (the live card, the rail). When a socket opens, send what is after
// ?after=, then the parts that show a state rather than an event, as they are now: Live, Asking,
// ComposerState, RailChats.
type Update struct {
	Op   Op     `json:"op"`
	ID   string `json:"id"`
	HTML string `json:"html,omitempty"`
	Seq  uint64 `json:"seq"`
}

// Elements that updates append to.
const (
	IDStream = "stream" // of a chat: Message, Steps, Question, Note
	// A Step is appended to StepsID(turn).
)

// StepsID is the element that holds the steps of one turn.
func StepsID(turn string) string { return "steps-" + turn + "-list" }
