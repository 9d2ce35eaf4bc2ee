package gemini_test

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"conch/gateway/engine"
	"conch/gateway/engine/dialect"
	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/gemini/geminitest"
	"conch/gateway/tool"
)

// noise is a picture of w by h pixels that can't be made small.
func noise(w, h int) *tool.Picture {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	_, _ = rand.NewChaCha8([32]byte{3}).Read(img.Pix) // never fails
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&b, img); err != nil {
		panic(err)
	}
	return &tool.Picture{MIME: "image/png", Data: b.Bytes(), W: w, H: h}
}

// TestLargePictures: a request stays below what Google takes by leaving out the oldest pictures, never the newest.
func TestLargePictures(t *testing.T) {
	big := noise(1000, 1000) // 4 MB
	n := 0
	s := geminitest.New(t, key, func(in enginetest.Seen) enginetest.Answer {
		if k := len(in.Results); k > 0 && len(in.Results[k-1].Picture) != len(big.Data) {
			t.Errorf("request %d hasn't the newest picture", k)
		}
		if n++; n > 4 {
			return enginetest.Answer{Text: "Done."}
		}
		return enginetest.Answer{Calls: []enginetest.Call{{Name: dialect.ToolName, Args: `{"action":"screenshot"}`}}}
	})
	e := account(t, s, key)
	d := drive(e.Turn(t.Context(), turn(model(t, e, "gemini-3.1-pro-preview"), "Look.")), func(engine.ToolCall) tool.Result {
		return tool.Result{Text: "Done.", Picture: big}
	}, false)
	if d.err != nil || d.text != "Done." {
		t.Fatalf("%v %q", d.err, s.Refused())
	}
	most := 0
	for _, b := range s.Bodies() {
		most = max(most, len(b))
	}
	if most > geminitest.MaxBody || most < 15_000_000 {
		t.Errorf("the largest request has %d bytes", most)
	}
	if !bytes.Contains(s.Bodies()[4], []byte(engine.Gone)) {
		t.Error("nothing says that a picture was there")
	}
}

// TestTooLarge: what can't be made smaller is a problem in words, and nothing is sent.
func TestTooLarge(t *testing.T) {
	s := geminitest.New(t, key, func(enginetest.Seen) enginetest.Answer {
		return enginetest.Answer{Calls: []enginetest.Call{{Name: dialect.ToolName, Args: `{"action":"screenshot"}`}}}
	})
	e := account(t, s, key)
	d := drive(e.Turn(t.Context(), turn(model(t, e, "gemini-3.1-pro-preview"), "Look.")), func(engine.ToolCall) tool.Result {
		return tool.Result{Text: "Done.", Picture: noise(2200, 2000)}
	}, false)
	if d.problem() != engine.TooLong || s.Requests() != 1 {
		t.Errorf("%v after %d requests", d.err, s.Requests())
	}
}

func TestModels(t *testing.T) {
	for _, page := range []int{0, 1, 3} {
		s := geminitest.New(t, key, nil)
		s.Page = page
		got, err := account(t, s, key).Models(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		seeing := engine.Model{Sees: true, Tools: true, Window: 1048576, MaxOut: 65536, Forgets: true, Picture: tool.Limits{Edge: 3072}}
		flash, pro, old, cu := seeing, seeing, seeing, seeing
		flash.ID, flash.Name, flash.Computer = "gemini-3.5-flash", "Gemini 3.5 Flash", "desktop"
		flash.Price = engine.Price{In: 1.50, Out: 9, CacheRead: 0.15}
		pro.ID, pro.Name, pro.Price = "gemini-3.1-pro-preview", "Gemini 3.1 Pro Preview", engine.Price{In: 2, Out: 12}
		old.ID, old.Name, old.Price = "gemini-2.5-flash", "Gemini 2.5 Flash", engine.Price{In: 0.30, Out: 2.50}
		cu.ID, cu.Name, cu.Computer, cu.Window = "gemini-2.5-computer-use-preview-10-2025", "Gemini 2.5 Computer Use", "preview", 131072
		want := []engine.Model{flash, pro, old, cu, {ID: "gemma-3-27b-it", Name: "Gemma 3 27B", Window: 131072, MaxOut: 8192}}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
}

func TestRefusals(t *testing.T) {
	s := geminitest.New(t, key, func(enginetest.Seen) enginetest.Answer { return enginetest.Answer{Text: "Hello."} })
	good, bad := account(t, s, key), account(t, s, "AIza-wrong")
	m := model(t, good, "gemini-2.5-flash")
	if _, err := bad.Models(t.Context()); (did{err: err}).problem() != engine.BadKey {
		t.Errorf("a wrong key: %v", err)
	}
	if d := drive(bad.Turn(t.Context(), turn(m, "Hello.")), nil, false); d.problem() != engine.BadKey {
		t.Errorf("a wrong key: %v", d.err)
	}
	if d := drive(account(t, s, "").Turn(t.Context(), turn(m, "Hello.")), nil, false); d.problem() != engine.BadKey {
		t.Errorf("no key: %v", d.err)
	}
	for _, id := range []string{"gemini-1.0-gone", "gemini-embedding-001", "", "../files"} {
		m.ID = id
		if d := drive(good.Turn(t.Context(), turn(m, "Hello.")), nil, false); d.problem() != engine.NoModel {
			t.Errorf("the model %q: %v", id, d.err)
		}
	}
}

// TestSlips: a call that can't be read is told to the model once, an answer of nothing is asked for again once.
func TestSlips(t *testing.T) {
	chunk := func(reason string) string {
		return `data: {"candidates":[{"content":{"role":"model"},"finishReason":"` + reason + `","index":0}]}` + "\r\n\r\n"
	}
	for _, c := range []struct {
		name     string
		slips    []string
		requests int
		kind     engine.ProblemKind
		told     string
	}{
		{"a call that can't be read", []string{"MALFORMED_FUNCTION_CALL"}, 2, -1, "couldn't be read"},
		{"two of them", []string{"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"}, 2, engine.Other, "couldn't be read"},
		{"nothing", []string{"STOP"}, 2, -1, ""},
		{"nothing twice", []string{"STOP", "STOP"}, 2, engine.Other, ""},
		{"declined", []string{"RECITATION"}, 1, engine.Declined, ""},
		{"too many calls", []string{"TOO_MANY_TOOL_CALLS"}, 1, engine.Other, ""},
		{"a reason nobody knows", []string{"NEW_REASON"}, 1, engine.Other, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := geminitest.New(t, key, func(enginetest.Seen) enginetest.Answer { return enginetest.Answer{Text: "Hello."} })
			s.Before = func(n int, w http.ResponseWriter, _ *http.Request) bool {
				if n >= len(c.slips) {
					return false
				}
				_, _ = io.WriteString(w, chunk(c.slips[n]))
				return true
			}
			e := account(t, s, key)
			d := drive(e.Turn(t.Context(), turn(model(t, e, "gemini-2.5-flash"), "Hello.")), nil, false)
			if d.problem() != c.kind || s.Requests() != c.requests || c.kind < 0 && d.text != "Hello." {
				t.Errorf("%v after %d requests: %q", d.err, s.Requests(), d.text)
			}
			if last := string(s.Bodies()[len(s.Bodies())-1]); !strings.Contains(last, c.told) {
				t.Errorf("the model isn't told %q", c.told)
			}
		})
	}
	t.Run("a question that Google blocks", func(t *testing.T) {
		s := geminitest.New(t, key, nil)
		s.Before = func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			_, _ = io.WriteString(w, `data: {"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`+"\r\n\r\n")
			return true
		}
		e := account(t, s, key)
		if d := drive(e.Turn(t.Context(), turn(model(t, e, "gemini-2.5-flash"), "Hello.")), nil, false); d.problem() != engine.Declined {
			t.Errorf("%v", d.err)
		}
	})
}
