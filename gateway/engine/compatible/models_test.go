package compatible_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"conch/gateway/engine"
	"conch/gateway/engine/compatible"
	"conch/gateway/engine/compatible/compatibletest"
)

func models(t *testing.T, s compatible.Server) []engine.Model {
	t.Helper()
	got, err := open(s).Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestOpenRouterModels(t *testing.T) {
	s := compatibletest.New(t, compatibletest.Options{Key: theKey, List: `{"data":[
		{"id":"anthropic/claude-x","name":"Claude X","context_length":200000,"architecture":{"input_modalities":["text","image"],"output_modalities":["text"]},
		 "pricing":{"prompt":"0.000003","completion":"0.000015","input_cache_read":"0.0000003","input_cache_write":"0.00000375"},
		 "top_provider":{"max_completion_tokens":64000},"supported_parameters":["tools","temperature"]},
		{"id":"some/text-only","name":"Text only","context_length":32768,"architecture":{"input_modalities":["text"],"output_modalities":["text"]},
		 "pricing":{"prompt":"0","completion":"0"},"top_provider":null,"supported_parameters":["temperature"]},
		{"id":"some/painter","architecture":{"input_modalities":["text"],"output_modalities":["image"]}},
		{"id":"openrouter/auto","name":"Auto","pricing":{"prompt":"-1","completion":"-1"}},
		{"name":"no id"}]}`})
	want := []engine.Model{
		{ID: "anthropic/claude-x", Name: "Claude X", Sees: true, Tools: true, Window: 200000, MaxOut: 64000, Price: engine.Price{In: 3, Out: 15, CacheRead: 0.3, CacheMade: 3.75}},
		{ID: "some/text-only", Name: "Text only", Window: 32768, Forgets: true},
		{ID: "openrouter/auto", Name: "Auto", Sees: true, Tools: true, Forgets: true},
	}
	got := models(t, compatible.Server{Base: s.URL})
	for i := range got {
		got[i].Local = false // the server of the test is on this computer
		p := &got[i].Price
		for _, n := range []*float64{&p.In, &p.Out, &p.CacheRead, &p.CacheMade} {
			*n = float64(int(*n*1e6+0.5)) / 1e6
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestVLLMModels(t *testing.T) {
	s := compatibletest.New(t, compatibletest.Options{Key: theKey, List: `{"object":"list","data":[{"id":"Qwen/Qwen3-VL-8B","object":"model","max_model_len":65536},{"id":"gpt-oss:120b-cloud"}]}`})
	want := []engine.Model{
		{ID: "Qwen/Qwen3-VL-8B", Name: "Qwen/Qwen3-VL-8B", Sees: true, Tools: true, Window: 65536, Forgets: true, Local: true},
		{ID: "gpt-oss:120b-cloud", Name: "gpt-oss:120b-cloud", Sees: true, Tools: true, Forgets: true},
	}
	if d := cmp.Diff(want, models(t, compatible.Server{Base: s.URL, Own: true})); d != "" {
		t.Error(d)
	}
}

func TestLMStudioModels(t *testing.T) {
	lists := map[string]string{
		"/v1/models": `{"data":[{"id":"qwen-vl"},{"id":"mistral"},{"id":"nomic-embed"},{"id":"unlisted"}]}`,
		"/api/v1/models": `{"models":[
			{"type":"llm","key":"qwen-vl","display_name":"Qwen VL","max_context_length":131072,"capabilities":{"vision":true,"trained_for_tool_use":true},
			 "loaded_instances":[{"id":"qwen-vl","config":{"context_length":8192}}]},
			{"type":"llm","key":"mistral","display_name":"Mistral","max_context_length":32768,"capabilities":{"vision":false,"trained_for_tool_use":false},"loaded_instances":[]},
			{"type":"embedding","key":"nomic-embed","display_name":"Nomic"}]}`,
		"/api/v0/models": `{"data":[{"id":"qwen-vl","type":"vlm","max_context_length":131072,"loaded_context_length":8192},
			{"id":"mistral","type":"llm","max_context_length":32768},{"id":"nomic-embed","type":"embeddings"}]}`,
	}
	for _, v := range []struct {
		newest string
		names  [2]string
	}{{"/api/v1/models", [2]string{"Qwen VL", "Mistral"}}, {"/api/v0/models", [2]string{"qwen-vl", "mistral"}}, {"", [2]string{}}} {
		t.Run("with "+v.newest, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				list, ok := lists[r.URL.Path]
				if !ok || strings.HasPrefix(r.URL.Path, "/api/") && r.URL.Path != v.newest {
					list = `{"error":"Unexpected endpoint or method."}` // with 200, as it does
				}
				_, _ = fmt.Fprint(w, list)
			}))
			defer s.Close()
			got := models(t, compatible.Server{Base: s.URL + "/v1", Own: true, Lists: compatible.LMStudio})
			if v.newest == "" {
				if len(got) != 4 {
					t.Errorf("%+v", got)
				}
				return
			}
			base := engine.Model{Tools: true, Forgets: true, Local: true}
			want := []engine.Model{base, base, base}
			want[0].ID, want[0].Name, want[0].Sees, want[0].Window = "qwen-vl", v.names[0], true, 8192
			want[1].ID, want[1].Name, want[1].Window = "mistral", v.names[1], 32768
			want[2].ID, want[2].Name, want[2].Sees = "unlisted", "unlisted", true
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestModelsRefused(t *testing.T) {
	s := compatibletest.New(t, compatibletest.Options{Key: "another"})
	_, err := open(compatible.Server{Name: "It", Base: s.URL}).Models(t.Context())
	if p, ok := errors.AsType[*engine.Problem](err); !ok || p.Kind != engine.BadKey {
		t.Error(err)
	}
}

func TestAddress(t *testing.T) {
	for in, want := range map[string]string{
		"localhost:1234":                       "http://localhost:1234/v1",
		" http://127.0.0.1:1234/ ":             "http://127.0.0.1:1234/v1",
		"box.local:8000/v1":                    "http://box.local:8000/v1",
		"openrouter.ai/api/v1":                 "https://openrouter.ai/api/v1",
		"https://host/v1/chat/completions":     "https://host/v1",
		"https://host/openai/v1/models/":       "https://host/openai/v1",
		"http://[::1]:8080":                    "http://[::1]:8080/v1",
		"https://host/v1?key=x#y":              "https://host/v1",
		"":                                     "",
		"ftp://host":                           "",
		"http://user:pass@host/v1":             "",
		"not an address":                       "",
		"http://":                              "",
		"javascript://x":                       "",
		"http://host:port/v1":                  "",
		"https://host/v1/chat/completions/v1/": "https://host/v1/chat/completions/v1",
	} {
		got, err := compatible.Address(in)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
}

func FuzzAddress(f *testing.F) {
	f.Add("localhost:1234/v1")
	f.Add("https://[::1%25en0]:80/chat/completions")
	f.Fuzz(func(t *testing.T, s string) {
		got, err := compatible.Address(s)
		if err != nil {
			return
		}
		if again, err := compatible.Address(got); err != nil || again != got {
			t.Errorf("%q became %q, which became %q, %v", s, got, again, err)
		}
		if strings.Contains(got, "@") && !strings.Contains(strings.SplitN(got, "://", 2)[1], "/") {
			t.Errorf("%q became %q", s, got)
		}
	})
}
