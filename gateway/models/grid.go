package models

import (
	"regexp"
	"strings"
)

// gridFamilies begin the names of models that were trained to name points on a scale of 0 to 1000, whatever the
// picture's size, as their makers document: Qwen3-VL and the models of the Qwen series after it, which all see (cookbooks
// of QwenLM/Qwen3-VL; its predecessors count pixels), GLM-4.1V and later ones that see (README of zai-org/GLM-V), and
// Gemini (Google's guide to image understanding), where it has Conch's general tool.
var gridFamilies = regexp.MustCompile(`^(qwen3-?vl|qwen3\.[5-9]|qwen[4-9]|glm-?(4\.[1-9]|[5-9](\.\d)?)v|gemini)`)

// onGrid says whether a model names points on a grid, by its name: "qwen3-vl:8b", "qwen/qwen3-vl-235b-a22b-instruct",
// "hf.co/Qwen/Qwen3-VL-8B-GGUF:Q4_K_M", "z-ai/glm-4.5v". One that isn't known counts pixels, as it is told to.
func onGrid(id string) bool {
	id = strings.ToLower(id)
	return gridFamilies.MatchString(id[strings.LastIndexByte(id, '/')+1:])
}
