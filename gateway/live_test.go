package gateway

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"conch/gateway/ask"
	"conch/gateway/chat"
	"conch/gateway/engine"
	"conch/gateway/web"

	"github.com/go-json-experiment/json"
	"github.com/gorilla/websocket"
)

// tab is a page's socket, with what the page shows.
type tab struct {
	r     *rig
	conn  *websocket.Conn
	shown map[string]string // element id → HTML, as the script would hold it
	order []string          // of the stream
	after uint64
}

func (r *rig) openTab(query string) *tab {
	r.t.Helper()
	u := "ws" + strings.TrimPrefix(r.srv.URL, "http") + "/live?" + query
	here, _ := url.Parse(r.srv.URL)
	h := http.Header{"Origin": {r.srv.URL}, "Cookie": {r.page.Jar.Cookies(here)[0].String()}}
	conn, res, err := websocket.DefaultDialer.DialContext(r.t.Context(), u, h)
	if err != nil {
		r.t.Fatalf("%v %v", err, res)
	}
	_ = res.Body.Close()
	tab := &tab{r: r, conn: conn, shown: map[string]string{}}
	r.t.Cleanup(func() { _ = conn.Close() })
	return tab
}

// until reads updates until one says what is waited for.
func (tab *tab) until(what func(web.Update) bool) web.Update {
	tab.r.t.Helper()
	_ = tab.conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	for {
		var u web.Update
		_, data, err := tab.conn.ReadMessage()
		if err != nil {
			tab.r.t.Fatalf("%v; shown: %v", err, tab.order)
		}
		if err := json.Unmarshal(data, &u); err != nil {
			tab.r.t.Fatal(err)
		}
		tab.apply(u)
		if what(u) {
			return u
		}
	}
}

func (tab *tab) apply(u web.Update) {
	tab.after = max(tab.after, u.Seq)
	id := u.ID
	if u.Op == web.OpAppend || u.Op == web.OpPrepend {
		_, rest, _ := strings.Cut(u.HTML, ` id="`)
		own, _, _ := strings.Cut(rest, `"`)
		if _, had := tab.shown[own]; !had {
			tab.order = append(tab.order, own)
		}
		id = own
	}
	tab.shown[id] = u.HTML
}

func shows(id, text string) func(web.Update) bool {
	return func(u web.Update) bool { return (id == "" || u.ID == id) && strings.Contains(u.HTML, text) }
}

// stepwise is an engine that says a word whenever it is let.
func stepwise(step <-chan string) scripted {
	return func(ctx context.Context, _ engine.Turn, yield func(engine.Event, error) bool) {
		for {
			select {
			case word, more := <-step:
				if !more || !yield(engine.Text{Piece: word}, nil) {
					return
				}
			case <-ctx.Done():
				yield(nil, context.Cause(ctx))
				return
			}
		}
	}
}

func TestSocketFollowsATurn(t *testing.T) {
	words := make(chan string)
	r := newRig(t, Config{Engine: stepwise(words)})
	id, turn := r.say("hello")
	tab := r.openTab("chat=" + id)
	tab.until(shows(web.IDStream, "hello"))
	tab.until(func(u web.Update) bool { return u.ID == "rail-chats" })
	words <- "one "
	tab.until(shows(web.IDStream, "one"))
	words <- "two"
	tab.until(shows(web.IDStream, "one two"))
	close(words)
	u := tab.until(func(u web.Update) bool { return u.Seq > 0 && strings.Contains(u.HTML, "one two") })
	if u.Op != web.OpAppend || !strings.Contains(u.HTML, `id="message-`+turn+`-t0"`) {
		t.Errorf("the finished block isn't in the place of the live one: %+v", u)
	}
	tab.until(func(u web.Update) bool { return u.ID == "composer-state" })
}

func TestReconnectCatchesUp(t *testing.T) {
	words := make(chan string)
	r := newRig(t, Config{Engine: stepwise(words)})
	id, _ := r.say("first words")
	tab := r.openTab("chat=" + id)
	tab.until(shows(web.IDStream, "first words"))
	after := tab.after
	_ = tab.conn.Close()
	words <- "said while nobody looked"
	close(words)
	r.ended(id)

	again := r.openTab(fmt.Sprintf("chat=%s&after=%d", id, after))
	again.until(func(u web.Update) bool { return u.ID == "rail-chats" })
	if len(again.order) != 1 || !strings.Contains(again.shown[again.order[0]], "said while nobody looked") {
		t.Errorf("after coming back the page got %v", again.order)
	}
	fresh := r.do("GET", "/chats/"+id, "", http.StatusOK)
	for _, id := range again.order {
		if !strings.Contains(fresh, `id="`+id+`"`) {
			t.Errorf("a fresh page lacks %s", id)
		}
	}
}

// TestEventsStream reads a turn as a terminal does.
func TestEventsStream(t *testing.T) {
	words := make(chan string)
	r := newRig(t, Config{Engine: stepwise(words)})
	id, turn := r.say("hello")
	req, _ := http.NewRequestWithContext(t.Context(), "GET", r.srv.URL+"/api/chats/"+id+"/events", nil)
	res, err := r.page.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.Header.Get("Cache-Control") != "no-store" {
		t.Error("events may be kept by a cache")
	}
	lines := bufio.NewScanner(res.Body)
	next := func() (e chat.Event) {
		t.Helper()
		if !lines.Scan() {
			t.Fatal(lines.Err())
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		return e
	}
	if e := next(); e.Kind != chat.KindSaid || e.Text != "hello" || e.Turn != turn {
		t.Errorf("first %+v", e)
	}
	words <- "one"
	if e := next(); e.Kind != "live" || e.Text != "one" {
		t.Errorf("then %+v", e)
	}
	close(words)
	live := next()
	for live.Kind == "live" {
		live = next()
	}
	if live.Kind != chat.KindText || live.Text != "one" {
		t.Errorf("then %+v", live)
	}
	if e := next(); e.Kind != chat.KindEnded || e.State != chat.StateDone {
		t.Errorf("last %+v", e)
	}
}

// TestQuestionOverHTTP puts a question while pages look, and answers it from two of them at once.
func TestQuestionOverHTTP(t *testing.T) {
	var ahead atomic.Int64
	r := newRig(t, Config{Engine: stepwise(nil), Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }})
	id, turn := r.say("hello")
	ahead.Store(int64(justHere)) // whoever sent that has gone
	if c := r.g.desk.Put(t.Context(), ask.Question{Chat: id, Turn: turn, Title: "Unseen?"}); c != ask.No {
		t.Errorf("a question that nobody sees: %v", c)
	}
	tab := r.openTab("chat=" + id)
	tab.until(func(u web.Update) bool { return u.ID == "rail-chats" })
	var kept bool
	answer := make(chan ask.Choice)
	go func() {
		answer <- r.g.desk.Put(t.Context(), ask.Question{
			ID: "q1", Chat: id, Turn: turn, Title: "Use Mousepad on your computer?", App: "Mousepad", Always: true,
			Keep: func() error { kept = true; return nil },
		})
	}()
	tab.until(shows("asking", "Use Mousepad on your computer?"))
	if s := r.g.Status(); s.State != Asking || s.Page != "/chats/"+id {
		t.Errorf("status %+v", s)
	}
	r.do("POST", "/api/questions/q1", `{"choice":"perhaps"}`, http.StatusBadRequest)
	r.do("POST", "/api/questions/q1", `{"choice":"always"}`, http.StatusNoContent)
	r.do("POST", "/api/questions/q1", `{"choice":"no"}`, http.StatusConflict)
	if c := <-answer; c != ask.Always || !kept {
		t.Errorf("answered %v, kept %v", c, kept)
	}
	tab.until(func(u web.Update) bool { return u.ID == "question-q1" && strings.Contains(u.HTML, "Always allowed") })
	r.do("POST", "/api/chats/"+id+"/stop", `{}`, http.StatusOK)
}

func TestBusyAndStopOverHTTP(t *testing.T) {
	r := newRig(t, Config{Engine: stepwise(nil)})
	id, _ := r.say("hello")
	if got := r.do("POST", "/api/chats/"+id+"/messages", `{"text":"more"}`, http.StatusConflict); !strings.Contains(got, "press Stop") {
		t.Errorf("busy: %s", got)
	}
	if s := r.g.Status(); s.State != Working || s.Chat != id || s.Say != "Working on “hello”" {
		t.Errorf("status %+v", s)
	}
	if got := r.do("POST", "/api/computer-use/stop", `{}`, http.StatusOK); !strings.Contains(got, `"stopped":true`) {
		t.Errorf("stop: %s", got)
	}
	if e := r.ended(id); e.State != chat.StateStopped {
		t.Errorf("ended %+v", e)
	}
	if got := r.do("POST", "/api/computer-use/stop", "", http.StatusOK); !strings.Contains(got, `"stopped":false`) {
		t.Errorf("stop when nothing runs: %s", got)
	}
	if s := r.g.Status(); s.State != Idle {
		t.Errorf("status %+v", s)
	}
}

func TestSubscribe(t *testing.T) {
	r := newRig(t, Config{Engine: stepwise(nil)})
	states := make(chan Status, 100)
	stop := r.g.Subscribe(func(s Status) { states <- s })
	wait := func(want State) {
		t.Helper()
		late := time.After(20 * time.Second)
		for {
			select {
			case s := <-states:
				if s.State == want {
					return
				}
			case <-late:
				t.Fatalf("never %s", want)
			}
		}
	}
	wait(Idle)
	id, _ := r.say("hello")
	wait(Working)
	r.do("POST", "/api/chats/"+id+"/stop", `{}`, http.StatusOK)
	wait(Idle)
	stop()
}

// TestRestart closes a gateway in the middle of a turn and opens the next one on the same folder.
func TestRestart(t *testing.T) {
	home := t.TempDir()
	r := newRig(t, Config{Home: home, Engine: stepwise(nil)})
	id, _ := r.say("hello")
	tab := r.openTab("chat=" + id)
	tab.until(shows(web.IDStream, "hello"))
	r.end()
	_ = tab.conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	var err error
	for err == nil {
		_, _, err = tab.conn.ReadMessage()
	}
	if !websocket.IsCloseError(err, websocket.CloseGoingAway) {
		t.Errorf("the page's socket ended with %v", err)
	}
	again := newRig(t, Config{Home: home})
	page := again.do("GET", "/chats/"+id, "", http.StatusOK)
	if !strings.Contains(page, "Conch was closed in the middle of this.") {
		t.Error("the page doesn't say that the turn was cut off")
	}
	turn := again.do("POST", "/api/chats/"+id+"/messages", `{"text":"go on"}`, http.StatusOK)
	if !strings.Contains(turn, "turn") {
		t.Errorf("the chat doesn't go on: %s", turn)
	}
}
