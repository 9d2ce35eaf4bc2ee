package models

import "testing"

func TestOnGrid(t *testing.T) {
	for id, want := range map[string]bool{
		"qwen3-vl:8b":                        true,
		"qwen3-vl:235b-cloud":                true,
		"qwen/qwen3-vl-235b-a22b-instruct":   true,
		"hf.co/Qwen/Qwen3-VL-8B-GGUF:Q4_K_M": true,
		"qwen3.5:9b":                         true,
		"glm-4.5v":                           true,
		"z-ai/glm-4.6v":                      true,
		"zai-org/GLM-4.1V-9B-Thinking":       true,
		"google/gemini-3.5-flash":            true,
		"qwen2.5vl:7b":                       false, // counts pixels
		"qwen3:4b":                           false,
		"glm-4.6":                            false,
		"anthropic/claude-opus-5-5":          false,
		"openai/gpt-5.5":                     false,
		"my-qwen3-vl-tune":                   false,
		"llama4":                             false,
		"":                                   false,
	} {
		if got := onGrid(id); got != want {
			t.Errorf("%q: %v", id, got)
		}
	}
}
