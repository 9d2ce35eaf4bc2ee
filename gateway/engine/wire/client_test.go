package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"conch/gateway/engine"
	"conch/gateway/tool"
)

const key Secret = "sk-very-secret"

// trips is a network in which requests are answered by a function.
type trips func(*http.Request) (*http.Response, error)

func (f trips) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// body is an answer's body that knows whether it was closed.
type body struct {
	io.Reader
	closed bool
}

func (b *body) Close() error { b.closed = true; return nil }

func answer(status int, r io.Reader) (*http.Response, *body) {
	b := &body{Reader: r}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: b}, b
}

func client(f trips) *Client {
	return &Client{
		Where: engine.Where{Place: "Acme"}, Base: "https://acme.example/api/", Key: key, HTTP: f,
		Retry: Retry{Rand: func() float64 { return 0 }},
	}
}

func all(r io.Reader) (bool, error) {
	_, err := io.ReadAll(r)
	return false, err
}

func TestSecretPrintsAsNothing(t *testing.T) {
	type holds struct{ Key Secret }
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("a key", "key", key, "in", holds{key}, "at", &holds{key})
	out, err := json.Marshal(holds{key})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{
		log.String(), string(out), fmt.Sprint(key), fmt.Sprintf("%v %+v %#v %s %q %x %d", key, key, key, key, key, key, key),
		fmt.Sprintf("%v %+v %#v", holds{key}, &holds{key}, holds{key}), fmt.Sprintf("%+v", *client(nil)), fmt.Sprintf("%x", string(key.String())),
	} {
		if strings.Contains(s, "very") || strings.Contains(s, fmt.Sprintf("%x", "very")) {
			t.Error(s)
		}
	}
	if key.Reveal() != "sk-very-secret" {
		t.Error("the key can't be had")
	}
}

func TestRequest(t *testing.T) {
	c := client(func(r *http.Request) (*http.Response, error) {
		sent, _ := io.ReadAll(r.Body)
		if r.URL.String() != "https://acme.example/api/v1/ask?x=1" || r.Method != http.MethodPost || string(sent) != `{"a":1}` ||
			r.Header.Get("Authorization") != "Bearer sk-very-secret" || r.Header.Get("Content-Type") != "application/json" ||
			r.Header.Get("X-One") != "1" || r.Header.Get("X-Two") != "2" {
			t.Errorf("%s %s %q %q", r.Method, r.URL, r.Header, sent)
		}
		res, _ := answer(200, strings.NewReader("{}"))
		return res, nil
	})
	c.Header = http.Header{"X-One": {"1"}}
	if err := c.Stream(t.Context(), nil, Request{Path: "/v1/ask?x=1", Body: []byte(`{"a":1}`), Header: http.Header{"X-Two": {"2"}}}, all); err != nil {
		t.Error(err)
	}
}

func TestAddressesThatGetNoKey(t *testing.T) {
	for base, ok := range map[string]bool{
		"https://a.example": true, "http://a.example": false, "http://192.168.1.9:80": true, "http://127.0.0.1:1": true, "http://[::1]:1": true,
		"http://box.local": true, "http://localhost:11434": true, "http://8.8.8.8": false, "http://localhost.evil.example": false,
		"": false, "ftp://a.example": false, "https://user:pass@a.example": false, "https://": false, "://": false, "a.example": false,
	} {
		asked := false
		c := client(func(*http.Request) (*http.Response, error) {
			asked = true
			res, _ := answer(200, strings.NewReader("{}"))
			return res, nil
		})
		c.Base = base
		err := c.Stream(t.Context(), nil, Request{Path: "/x"}, all)
		if (err == nil) != ok || asked != ok {
			t.Errorf("%q: %v", base, err)
		}
		if p, told := errors.AsType[*engine.Problem](err); err != nil && (!told || p.Next == "") {
			t.Errorf("%q: %v", base, err)
		}
	}
	c := client(nil)
	c.Key = "two\r\nlines"
	if err := c.Stream(t.Context(), nil, Request{Path: "/x"}, all); err == nil || strings.Contains(err.Error(), "two") {
		t.Error(err)
	}
}

func TestBodiesAreClosed(t *testing.T) {
	var bodies []*body
	n := 0
	c := client(func(*http.Request) (*http.Response, error) {
		n++
		status := []int{429, 200, 200, 400, 200}[n-1]
		res, b := answer(status, strings.NewReader(`{"error":{"message":"m"}}`))
		bodies = append(bodies, b)
		return res, nil
	})
	c.Sleep = func(context.Context, time.Duration) error { return nil }
	for _, read := range []func(io.Reader) (bool, error){
		all,
		func(io.Reader) (bool, error) { return true, ErrBroken },
		all,
		func(io.Reader) (bool, error) { panic("in the middle") },
	} {
		func() {
			defer func() { _ = recover() }()
			_ = c.Stream(t.Context(), nil, Request{Path: "/x"}, read)
		}()
	}
	for i, b := range bodies {
		if !b.closed {
			t.Errorf("body %d is open", i)
		}
	}
	if len(bodies) != 5 {
		t.Errorf("%d bodies", len(bodies))
	}
}

// endless never ends and never fails.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestAnswersAreBounded(t *testing.T) {
	c := client(func(*http.Request) (*http.Response, error) {
		res, _ := answer(200, endless{})
		return res, nil
	})
	var read int64
	err := c.Stream(t.Context(), nil, Request{Path: "/x"}, func(r io.Reader) (bool, error) {
		n, err := io.Copy(io.Discard, r)
		read = n
		return false, err
	})
	if p, ok := errors.AsType[*engine.Problem](err); !ok || p.Next == "" || read != MaxAnswer {
		t.Error(read, err)
	}
	// The body of a refusal as well.
	c = client(func(*http.Request) (*http.Response, error) {
		res, _ := answer(400, endless{})
		return res, nil
	})
	if p, ok := errors.AsType[*engine.Problem](c.Get(t.Context(), Request{Path: "/x"}, new(int))); !ok || p.Kind != engine.Other {
		t.Error(p)
	}
}

func TestGet(t *testing.T) {
	text := `{"a":`
	n := 0
	c := client(func(r *http.Request) (*http.Response, error) {
		n++
		if r.Method != http.MethodGet || r.Header.Get("Content-Type") != "" {
			t.Errorf("%s %q", r.Method, r.Header)
		}
		res, _ := answer(200, strings.NewReader(text))
		return res, nil
	})
	var into struct {
		A int `json:"a"`
	}
	if err := c.Get(t.Context(), Request{Path: "/x"}, &into); err == nil || n != 1 {
		t.Error(n, err)
	}
	text = `{"a":1}`
	if err := c.Get(t.Context(), Request{Path: "/x"}, &into); err != nil || into.A != 1 {
		t.Error(into, err)
	}
}

// TestWaits: with the usual patience and a real clock that is not real.
func TestWaits(t *testing.T) {
	for _, one := range []struct {
		name           string
		status         int
		after          string
		err            error
		own            bool
		tries          int
		least, longest time.Duration
	}{
		{"overloaded", 529, "", nil, false, 7, 40 * time.Second, time.Minute},
		{"overloaded for a while", 529, "50", nil, false, 4, 150 * time.Second, 150 * time.Second},
		{"overloaded until a time", 503, "Sat, 01 Jan 2000 00:00:30 GMT", nil, false, 7, 60 * time.Second, 90 * time.Second},
		{"overloaded for an hour", 429, "3600", nil, false, 1, 0, 0},
		{"nonsense", 429, "-5", nil, false, 7, 40 * time.Second, time.Minute},
		{"refused", 400, "", nil, false, 1, 0, 0},
		{"nobody listens", 0, "", syscall.ECONNREFUSED, false, 3, time.Second, 3 * time.Second},
		{"a server of one's own isn't running", 0, "", syscall.ECONNREFUSED, true, 1, 0, 0},
		{"nobody there", 0, "", errors.New("dial https://acme.example?key=sk-very-secret"), false, 3, 2 * time.Second, 3 * time.Second},
	} {
		t.Run(one.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				c := client(func(*http.Request) (*http.Response, error) {
					n++
					if one.err != nil {
						return nil, one.err
					}
					res, _ := answer(one.status, strings.NewReader("{}"))
					res.Header.Set("Retry-After", one.after)
					return res, nil
				})
				c.Where.Own = one.own
				begun := time.Now()
				err := c.Stream(t.Context(), nil, Request{Path: "/x"}, all)
				p, ok := errors.AsType[*engine.Problem](err)
				if !ok || p.Say == "" || p.Next == "" || strings.Contains(fmt.Sprintf("%+v %v", p, p.Err), "very") {
					t.Errorf("%#v", err)
				}
				if d := time.Since(begun); n != one.tries || d < one.least || d > one.longest {
					t.Errorf("%d tries in %v", n, d)
				}
			})
		})
	}
}

func TestNothingComesForTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		c := client(func(r *http.Request) (*http.Response, error) {
			n++
			if n == 1 { // the answer doesn't begin
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			reader, writer := io.Pipe() // it begins, and then nothing comes
			context.AfterFunc(r.Context(), func() { _ = writer.CloseWithError(r.Context().Err()) })
			go func() { _, _ = writer.Write([]byte("some")) }()
			res, _ := answer(200, reader)
			return res, nil
		})
		begun := time.Now()
		err := c.Stream(t.Context(), nil, Request{Path: "/x"}, all)
		if p, ok := errors.AsType[*engine.Problem](err); !ok || p.Kind != engine.Unreachable || time.Since(begun) != usualQuiet || n != 1 {
			t.Errorf("after %v, %d tries: %v", time.Since(begun), n, err)
		}
		err = c.Stream(t.Context(), nil, Request{Path: "/x"}, func(r io.Reader) (bool, error) {
			_, err := io.ReadAll(r)
			return true, err
		})
		if p, ok := errors.AsType[*engine.Problem](err); !ok || p.Say != "The answer of Acme broke off in the middle." {
			t.Errorf("%v", err)
		}
	})
}

func TestWhatIsDoneWithAnAnswerTakesItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := client(func(*http.Request) (*http.Response, error) {
			res, _ := answer(200, strings.NewReader("some"))
			return res, nil
		})
		err := c.Stream(t.Context(), nil, Request{Path: "/x"}, func(r io.Reader) (bool, error) {
			var one [2]byte
			if _, err := io.ReadFull(r, one[:]); err != nil {
				return false, err
			}
			time.Sleep(time.Hour) // somebody thinks about what was shown
			_, err := io.ReadAll(r)
			return true, err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// yields collects what a way out lets through, and says no to the event numbered stop.
func yields(stop int) (func(engine.Event, error) bool, *[]string) {
	var out []string
	return func(e engine.Event, err error) bool {
		if err != nil {
			out = append(out, "error "+err.Error())
			return true
		}
		out = append(out, fmt.Sprintf("%T%+v", e, e))
		return len(out) != stop
	}, &out
}

func TestOutIsOverOnce(t *testing.T) {
	yield, got := yields(2)
	o := NewOut(t.Context(), yield)
	if !o.Text("a") || !o.Text("") || o.Text("b") || o.Text("c") {
		t.Error("it went on")
	}
	o.End(errors.New("e"))
	if res, on := o.Call(engine.ToolCall{Name: "x"}); on || !res.Failed {
		t.Error("it called")
	}
	if len(*got) != 2 {
		t.Error(*got)
	}

	yield, got = yields(0)
	ctx, cancel := context.WithCancelCause(t.Context())
	o = NewOut(ctx, yield)
	cancel(errors.New("stop"))
	if o.Text("a") {
		t.Error("it went on")
	}
	o.End(nil)
	o.End(errors.New("e"))
	if strings.Join(*got, "; ") != "error stop" {
		t.Error(*got)
	}
}

func TestOutAsks(t *testing.T) {
	for _, say := range []bool{true, false} {
		o := NewOut(t.Context(), func(e engine.Event, _ error) bool {
			switch e := e.(type) {
			case engine.Confirm:
				e.Answer(say)
				e.Answer(true) // the first answer counts
			case engine.ToolCall:
				e.Answer(tool.Result{Text: "one"})
				e.Answer(tool.Result{Text: "two"})
			case engine.Text, engine.Thinking, engine.Doing, engine.Usage:
			}
			return true
		})
		if yes, on := o.Confirm("Go on?", "why"); yes != say || !on {
			t.Error(yes, on)
		}
		if res, on := o.Call(engine.ToolCall{}); res.Text != "one" || !on {
			t.Error(res, on)
		}
	}
	silent := NewOut(t.Context(), func(engine.Event, error) bool { return true })
	if yes, _ := silent.Confirm("Go on?", ""); yes {
		t.Error("silence was yes")
	}
}
