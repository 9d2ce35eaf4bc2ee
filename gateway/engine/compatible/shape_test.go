package compatible

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
)

// TestSort: what servers are known to write, and what it means.
func TestSort(t *testing.T) {
	const none = engine.ProblemKind(-1) // as the status says
	for _, c := range []struct {
		status     int
		code, says string
		kind       engine.ProblemKind
	}{
		{400, "", "At most 0 image(s) may be provided in one prompt.", engine.Blind},
		{400, "", "Model does not support image input.", engine.Blind},
		{400, "", "This model does not support images. Please use a model that does.", engine.Blind},
		{404, "", "No endpoints found that support image input", engine.Blind},
		{400, "", "Vision is not supported by this model", engine.Blind},
		{500, "", "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj", engine.Blind},
		{422, "", "Input should be a valid string: content.str", engine.Blind},
		{400, "invalid_image_format", "You uploaded an unsupported image.", engine.Other},
		{400, "image_too_large", "The image is too large and not supported.", engine.Other},
		{500, "", "The image could not be processed; the format is not supported.", none},
		{400, "context_length_exceeded", "x", engine.TooLong},
		{400, "", "the request exceeds the available context size, try increasing it", engine.TooLong},
		{400, "", "This endpoint's maximum context length is 8192 tokens", engine.TooLong},
		{429, "rate_limit_exceeded", "Request too large for gpt-x on tokens per min (TPM)", engine.TooLong},
		{429, "rate_limit_exceeded", "Rate limit reached on tokens per min (TPM)", engine.Busy},
		{429, "insufficient_quota", "You exceeded your current quota", engine.NoCredit},
		{404, "", `model "qwen" not found, try pulling it first`, engine.NoModel},
		{400, "", "No models loaded. Please load a model in the developer page", engine.NoModel},
		{401, "", "model not found", none},
		{403, "", "Your input was flagged", engine.Declined},
		{403, "", "x", none},
		{503, "", "Loading model", none},
		{0, "", "The server is overloaded, try again later", engine.Busy},
		{400, "", "something else", none},
	} {
		f := wire.ParseFault(fmt.Appendf(nil, `{"error":{"message":%q,"code":%q}}`, c.says, c.code))
		f.Status = c.status
		got, ok := Sort(f)
		if !ok {
			got = none
		}
		if got != c.kind {
			t.Errorf("%d %q %q: %d, not %d", c.status, c.code, c.says, got, c.kind)
		}
	}
}

// TestThinking: however text is cut, the same is thought and said.
func TestThinking(t *testing.T) {
	const seed = 3
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, seed))
	for _, c := range []struct{ in, thought, said string }{
		{"<think>Hm.</think>\n\nYes.", "Hm.", "Yes."},
		{" \n<think>a<b</thin></think>Yes.</think>", "a<b</thin>", "Yes.</think>"},
		{"<think></think>", "", ""},
		{"<think>never ends", "never ends", ""},
		{"<thinking>no</thinking>", "", "<thinking>no</thinking>"},
		{"I <think>so</think>.", "", "I <think>so</think>."},
		{"<", "", "<"},
		{"", "", ""},
		{"  hello", "", "  hello"},
		{"<think>ä</think>\r\n\r\n  ö", "ä", "  ö"},
	} {
		for range 50 {
			var th thinking
			var thought, said string
			for rest := c.in; rest != ""; {
				n := 1 + r.IntN(len(rest))
				a, b := th.split(rest[:n])
				thought, said, rest = thought+a, said+b, rest[n:]
			}
			a, b := th.end()
			if thought += a; thought != c.thought || said+b != c.said {
				t.Fatalf("%q: thought %q, said %q", c.in, thought, said+b)
			}
		}
	}
}

func TestLocal(t *testing.T) {
	for base, want := range map[string]bool{
		"http://127.0.0.1:1234/v1": true, "http://localhost/v1": true, "http://[::1]:8000/v1": true, "http://127.9.9.9": true, "http://a.localhost": true,
		"http://[::ffff:127.0.0.1]:1": true, "http://192.168.1.5/v1": false, "https://openrouter.ai/api/v1": false, "http://localhost.evil.example/v1": false,
		"http://127.0.0.1.evil.example": false, "http://0.0.0.0": false, "": false, "::": false,
	} {
		if got := local(base); got != want {
			t.Errorf("%q: %v", base, got)
		}
	}
}
