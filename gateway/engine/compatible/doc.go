// Package compatible is the engine for every server that speaks OpenAI's Chat Completions: OpenRouter, LM Studio, vLLM,
// Ollama's /v1, or an address of the person's own. It knows the wire format, with the odd ways in which servers differ
// from it, and nothing of policy.
package compatible
