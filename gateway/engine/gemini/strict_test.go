package gemini_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"conch/gateway/engine/enginetest"
	"conch/gateway/engine/gemini/geminitest"
)

// TestStrict: the server that the tests trust refuses what Google refuses. Each case spoils one thing in a request
// that it took.
func TestStrict(t *testing.T) {
	brain, _ := calls(click("1", "a"), click("2", "b"))
	s := geminitest.New(t, key, brain)
	s.Safety = func(c enginetest.Call) string {
		if c.ID == "2" {
			return "It sends money."
		}
		return ""
	}
	e := account(t, s, key)
	if d := drive(e.Turn(t.Context(), turn(model(t, e, "gemini-3.5-flash"), "Go.")), plainly, true); d.err != nil || len(s.Refused()) > 0 {
		t.Fatalf("%+v %q", d, s.Refused())
	}
	body := s.Bodies()[2]
	type object = map[string]any
	parts := func(q object, content int) []any { return q["contents"].([]any)[content].(object)["parts"].([]any) }
	part := func(q object, content, i int) object { return parts(q, content)[i].(object) }
	call := func(q object, i int) object { return part(q, 3, i)["functionCall"].(object) }
	answer := func(q object, i int) object { return part(q, 4, i)["functionResponse"].(object) }
	for _, c := range []struct {
		name  string
		spoil func(q object)
		say   string // of the refusal
	}{
		{"as it is", func(object) {}, ""},
		{"an answer is missing", func(q object) {
			q["contents"].([]any)[4].(object)["parts"] = parts(q, 4)[:1]
		}, "number of function response parts"},
		{"answers in another order", func(q object) {
			p := parts(q, 4)
			p[0], p[1] = p[1], p[0]
		}, "number of function response parts"},
		{"no signature", func(q object) { delete(part(q, 3, 0), "thoughtSignature") }, "missing a thought_signature"},
		{"another signature", func(q object) { part(q, 3, 0)["thoughtSignature"] = "AAAA" }, "Corrupted thought signature"},
		{"a signature too many", func(q object) { part(q, 3, 1)["thoughtSignature"] = "AAAA" }, "Corrupted thought signature"},
		{"another call", func(q object) { call(q, 0)["args"].(object)["text"] = "z" }, "Corrupted thought signature"},
		{"not acknowledged", func(q object) { delete(answer(q, 1)["response"].(object), "safety_acknowledgement") }, "must be acknowledged"},
		{"acknowledged in another answer", func(q object) {
			delete(answer(q, 1)["response"].(object), "safety_acknowledgement")
			answer(q, 0)["response"].(object)["safety_acknowledgement"] = true
		}, "must be acknowledged"},
		{"a picture beside its answer", func(q object) {
			inline := answer(q, 1)["parts"]
			delete(answer(q, 1), "parts")
			q["contents"].([]any)[4].(object)["parts"] = append(parts(q, 4), inline.([]any)[0])
		}, "inside the function response"},
		{"no picture", func(q object) {
			answer(q, 1)["parts"].([]any)[0].(object)["inlineData"].(object)["data"] = "AAAA"
		}, "Unable to process input image"},
		{"the model has the last word", func(q object) { q["contents"] = q["contents"].([]any)[:4] }, "begins and ends with a user turn"},
		{"no such member", func(q object) { q["temperature"] = 1 }, "Invalid JSON payload"},
		{"an unknown keyword", func(q object) {
			f := q["tools"].([]any)[1].(object)["functionDeclarations"].([]any)
			f[0].(object)["parametersJsonSchema"].(object)["exclusiveMinimum"] = 0
		}, "Unsupported keyword"},
		{"a browser", func(q object) {
			q["tools"].([]any)[0].(object)["computerUse"].(object)["environment"] = "ENVIRONMENT_BROWSER"
		}, "Computer Use is not enabled"},
		{"too large", func(q object) {
			q["systemInstruction"].(object)["parts"].([]any)[0].(object)["text"] = strings.Repeat("a", geminitest.MaxBody)
		}, "payload size exceeds"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var q object
			if err := json.Unmarshal(body, &q); err != nil {
				t.Fatal(err)
			}
			c.spoil(q)
			spoiled, err := json.Marshal(q)
			if err != nil {
				t.Fatal(err)
			}
			d := geminitest.Dialect{Model: geminitest.Models()[0]}
			_, err = d.Read(spoiled)
			if err == nil && c.say != "" || err != nil && (c.say == "" || !strings.Contains(err.Error(), c.say)) {
				t.Errorf("%v, want %q", err, c.say)
			}
		})
	}
	if !bytes.Contains(body, []byte(`"safety_acknowledgement":true`)) {
		t.Error("the yes isn't in the request")
	}
}

// TestGridOfTheServer: a script that points beside the picture is a mistake that is found, not a click somewhere.
func TestGridOfTheServer(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a point outside the picture was said on the grid")
		}
	}()
	d := geminitest.Dialect{Model: geminitest.Models()[0], W: 100, H: 100}
	d.Encode(enginetest.Answer{Calls: []enginetest.Call{enginetest.Does(`{"action":"left_click","coordinate":[100,5]}`)}})
}
