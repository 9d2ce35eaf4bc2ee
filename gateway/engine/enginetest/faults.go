package enginetest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
)

// echo is what a provider wrote that nobody may be shown.
const echo = "zebra-in-the-request"

// with puts what a provider might repeat into a fault's body.
func (f Fault) with(repeated string) Fault {
	f.Body = strings.ReplaceAll(f.Body, "%s", repeated)
	return f
}

func testFaults(t *testing.T, c Case) {
	for _, kind := range []engine.ProblemKind{engine.BadKey, engine.NoModel, engine.TooLong, engine.Busy} {
		if _, ok := c.Faults[kind]; !ok {
			t.Errorf("the case has no fault for kind %d", kind)
		}
	}
	for kind, f := range c.Faults {
		r := newRig(t, c)
		r.always = fails(f.with(echo + " " + theKey))
		k := drive(r.engine.Turn(t.Context(), c.turn("Hello.")), nil)
		if !isProblem(k.err, kind) || k.text != "" || len(k.calls) > 0 {
			t.Errorf("%d %s: %+v", f.Status, f.Body, k)
		}
		hides(t, k.err, echo)
		if n := r.requests(); kind != engine.Busy && n != 1 {
			t.Errorf("%d %s: asked %d times", f.Status, f.Body, n)
		}
	}
	// What isn't the provider's own way of saying it, such as a page of something in between.
	for status, kind := range map[int]engine.ProblemKind{401: engine.BadKey, 402: engine.NoCredit, 413: engine.TooLong, 502: engine.Busy, 418: engine.Other} {
		r := newRig(t, c)
		r.always = fails(Fault{status, "<html>" + echo + theKey})
		k := drive(r.engine.Turn(t.Context(), c.turn("Hello.")), nil)
		if !isProblem(k.err, kind) {
			t.Errorf("%d: %+v", status, k)
		}
		hides(t, k.err, echo)
	}
}

func testBusy(t *testing.T, c Case) {
	r := newRig(t, c, fails(c.Faults[engine.Busy].with("x"), "Retry-After", "7"), fails(Fault{503, "{}"}), c.says(Answer{Text: "Hello."}))
	k := drive(r.engine.Turn(t.Context(), c.turn("Hello.")), nil)
	if k.err != nil || k.text != "Hello." {
		t.Fatalf("%+v", k)
	}
	if len(r.waits) != 2 || r.waits[0] < 7*time.Second || r.waits[0] > 15*time.Second || r.waits[1] <= 0 {
		t.Errorf("it waited %v", r.waits)
	}
	if len(k.doing) < 2 || !strings.Contains(k.doing[0], "busy") || k.doing[len(k.doing)-1] != "" {
		t.Errorf("meanwhile it said %q", k.doing)
	}
	if !bytes.Equal(r.bodies[0], r.bodies[1]) || !bytes.Equal(r.bodies[0], r.bodies[2]) {
		t.Error("the same wasn't asked again")
	}
}

func testPatience(t *testing.T, c Case) {
	r := newRig(t, c)
	r.always = fails(Fault{500, "{}"})
	k := drive(r.engine.Turn(t.Context(), c.turn("Hello.")), nil)
	if !isProblem(k.err, engine.Busy) {
		t.Fatalf("%+v", k)
	}
	var all time.Duration
	for _, w := range r.waits {
		all += w
	}
	if n := r.requests(); n < 3 || n > 10 || all > 5*time.Minute {
		t.Errorf("asked %d times in %v", n, all)
	}
}

func testLongWait(t *testing.T, c Case) {
	r := newRig(t, c, fails(c.Faults[engine.Busy].with("x"), "Retry-After", "3600"))
	k := drive(r.engine.Turn(t.Context(), c.turn("Hello.")), nil)
	if !isProblem(k.err, engine.Busy) || len(r.waits) > 0 {
		t.Fatalf("waits %v: %+v", r.waits, k)
	}
}

func testBroken(t *testing.T, c Case) {
	if c.Broken == nil {
		t.Skip("the protocol has no fault in the middle")
	}
	frames := c.Encode(Answer{Text: hello, Calls: []Call{click(1)}})
	for i := range len(frames) {
		body := slices.Concat(slices.Concat(frames[:i]...), c.Broken)
		r := newRig(t, c)
		r.always = c.raw(body)
		k := drive(r.engine.Turn(t.Context(), c.turn("Hello.")), nil)
		if !isProblem(k.err, engine.Busy) || len(k.calls) > 0 || !strings.HasPrefix(hello, k.text) {
			t.Fatalf("after frame %d: %+v", i, k)
		}
		if n := r.requests(); k.text == "" && n < 2 || k.text != "" && n != 1 {
			t.Errorf("after frame %d, with %q shown, it asked %d times", i, k.text, n)
		}
	}
	// What passes isn't noticed.
	r := newRig(t, c, c.raw(slices.Concat(frames[0], c.Broken)), c.says(Answer{Text: hello}))
	if k := drive(r.engine.Turn(t.Context(), c.turn("Hello.")), nil); k.err != nil || k.text != hello {
		t.Fatalf("%+v", k)
	}
}

// cutter is a provider whose answers end early. It needs no network, so that every byte can be tried.
type cutter struct {
	c      Case
	body   []byte
	end    error
	asked  int
	onward []byte // what is answered once a call was answered
}

func (x *cutter) RoundTrip(r *http.Request) (*http.Response, error) {
	asks := r.Method == http.MethodPost
	if x.c.Asks != nil {
		asks = x.c.Asks(r)
	}
	if !asks {
		w := httptest.NewRecorder()
		if x.c.Other != nil {
			x.c.Other(w, r)
		} else {
			http.NotFound(w, r)
		}
		return w.Result(), nil
	}
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	_ = r.Body.Close()
	x.asked++
	body, end := x.body, x.end
	if s, err := x.c.Read(sent); err == nil && len(s.Results) > 0 {
		body, end = x.onward, io.EOF
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {x.c.Type}}, Request: r,
		Body: io.NopCloser(io.MultiReader(bytes.NewReader(body), ended{end})),
	}, nil
}

// ended is a body's end.
type ended struct{ err error }

func (e ended) Read([]byte) (int, error) { return 0, e.err }

func testCut(t *testing.T, c Case) {
	calls := []Call{click(1), {ID: "call_n", Name: "note", Args: `{"text":"ä, ö"}`}}
	frames := c.Encode(Answer{Thinking: "Hm.", Text: "I click: ö.", Calls: calls})
	whole := slices.Concat(frames...)
	onward := slices.Concat(c.Encode(Answer{Text: " Done."})...)
	complete := 0
	for _, torn := range []bool{false, true} {
		end := io.EOF
		if torn {
			end = io.ErrUnexpectedEOF
		}
		for n := 0; n <= len(whole); n++ {
			if torn && n%9 != 0 && n != len(whole) {
				continue // where the other end is torn down makes less of a difference than where it ends
			}
			tries := -1
			if n%9 == 0 {
				tries = 1 // asking again is tried elsewhere, and takes its time
			}
			x := &cutter{c: c, body: whole[:n], end: end, onward: onward}
			e := c.New(t, Setup{Base: "http://127.0.0.1:1", Key: theKey, HTTP: x, Retry: wire.Retry{Sleep: noSleep, Max: tries}})
			k := drive(e.Turn(t.Context(), c.turn("Click.")), nil)
			if k.err == nil {
				complete++
				if k.text != "I click: ö. Done." || len(k.calls) != len(calls) {
					t.Fatalf("cut at %d of %d (%v) it took for whole: %+v", n, len(whole), end, k)
				}
			} else if p := k.problem(); p == nil || p.Say == "" || p.Next == "" || len(k.calls) > 0 || !strings.HasPrefix("I click: ö.", k.text) {
				t.Fatalf("cut at %d of %d (%v): %+v", n, len(whole), end, k)
			}
			for i, got := range k.calls {
				sameArgs(t, got.Args, calls[i].Args)
			}
			if n == len(whole) && !torn && k.err != nil {
				t.Fatalf("whole: %+v", k)
			}
			if x.asked > 3 {
				t.Fatalf("cut at %d it asked %d times", n, x.asked)
			}
		}
	}
	if most := 2 * (len(frames[len(frames)-1]) + 2); complete > most {
		t.Errorf("%d answers that were cut were taken for whole", complete)
	}
}

func testNobody(t *testing.T, c Case) {
	r := newRig(t, c)
	r.server.Close()
	k := drive(r.engine.Turn(t.Context(), c.turn("Hello.")), nil)
	if !isProblem(k.err, engine.Unreachable) {
		t.Fatalf("%+v", k)
	}
	hides(t, k.err, r.server.URL, "127.0.0.1")
}

func testKey(t *testing.T, c Case) {
	found := false
	r := newRig(t, c)
	r.always = func(w http.ResponseWriter, req *http.Request) {
		for _, values := range req.Header {
			found = found || slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, theKey) })
		}
		if strings.Contains(req.URL.String(), theKey) {
			t.Error("the key is in the address")
		}
		c.says(Answer{Text: "Hello."})(w, req)
	}
	k := drive(r.engine.Turn(t.Context(), c.turn("Hello.")), nil)
	if k.err != nil || !found {
		t.Fatalf("the key was sent: %v; %+v", found, k)
	}
	if bytes.Contains(r.bodies[0], []byte(theKey)) {
		t.Error("the key is in the request")
	}
	if s := fmt.Sprintf("%v %+v %#v", r.engine, r.engine, r.engine); strings.Contains(s, theKey) {
		t.Error("an engine that is printed shows the key")
	}
}

func testRedirect(t *testing.T, c Case) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a request went elsewhere")
	}))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 307, 308} {
		r := newRig(t, c)
		r.always = func(w http.ResponseWriter, req *http.Request) { http.Redirect(w, req, elsewhere.URL, status) }
		if k := drive(r.engine.Turn(t.Context(), c.turn("Hello.")), nil); k.problem() == nil {
			t.Errorf("%d: %+v", status, k)
		}
	}
}

// hides fails the test when the key, or what a provider wrote, is in any text of an error.
func hides(t *testing.T, err error, more ...string) {
	t.Helper()
	for e := err; e != nil; e = errors.Unwrap(e) {
		for _, secret := range append(more, theKey) {
			if strings.Contains(fmt.Sprintf("%s %v %+v %#v", e.Error(), e, e, e), secret) {
				t.Errorf("an error holds %q: %#v", secret, e)
			}
		}
	}
}
