package compatible

import (
	"encoding/base64"
	"net/http"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
	"conch/gateway/tool"
)

// DataURL is a picture as every OpenAI-shaped server takes it.
func DataURL(p *tool.Picture) string {
	return "data:" + p.MIME + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
}

// codes are the words that OpenAI and those after it have for what went wrong.
var codes = map[string]engine.ProblemKind{
	"invalid_api_key": engine.BadKey, "account_deactivated": engine.BadKey, "ip_not_authorized": engine.BadKey,
	"insufficient_quota": engine.NoCredit, "billing_hard_limit_reached": engine.NoCredit, "billing_not_active": engine.NoCredit,
	"insufficient_credits": engine.NoCredit,
	"server_error":         engine.Busy, "rate_limit_exceeded": engine.Busy, "overloaded": engine.Busy, "overloaded_error": engine.Busy,
	"server_is_overloaded": engine.Busy, "slow_down": engine.Busy, "engine_overloaded": engine.Busy, "502": engine.Busy, "503": engine.Busy,
	"429":             engine.Busy,
	"model_not_found": engine.NoModel, "model_not_available": engine.NoModel, "model_deprecated": engine.NoModel,
	"context_length_exceeded": engine.TooLong, "string_above_max_length": engine.TooLong,
	"invalid_prompt": engine.Declined, "bio_policy": engine.Declined, "cyber_policy": engine.Declined,
	"misalignment_policy_violation": engine.Declined, "content_policy_violation": engine.Declined,
	"content_filter": engine.Declined, "image_content_policy_violation": engine.Declined,
	"image_input_not_supported": engine.Blind,
	// A picture that is wrong isn't a model that can't see.
	"invalid_image": engine.Other, "invalid_image_format": engine.Other, "invalid_base64_image": engine.Other, "invalid_image_url": engine.Other,
	"image_too_large": engine.Other, "image_too_small": engine.Other, "image_parse_error": engine.Other, "image_file_too_large": engine.Other,
	"unsupported_image_media_type": engine.Other, "empty_image_file": engine.Other,
}

// Sort says what kind of problem a fault is, by the words that OpenAI and the servers after it have for it. What they
// wrote for people is looked at only where they have no word: small servers say no more than that.
func Sort(f wire.Fault) (engine.ProblemKind, bool) {
	// Too much for a minute's allowance at once never passes by waiting, whatever its code says.
	if f.Says("request too large") {
		return engine.TooLong, true
	}
	for _, word := range []string{f.Code, f.Type} {
		if k, ok := codes[word]; ok {
			return k, true
		}
	}
	if f.Status == http.StatusUnauthorized || f.Status == http.StatusPaymentRequired {
		return engine.Other, false // the status says it better
	}
	switch {
	case blind(f):
		return engine.Blind, true
	case f.Says("context length", "context window", "context size", "maximum context", "input tokens exceed", "prompt is too long", "exceed_context_size",
		"too many tokens", "exceeds the available context", "greater than the context length"):
		return engine.TooLong, true
	case f.Says("model") && f.Says("does not exist", "not found", "no such model", "not a valid model", "is not available", "not loaded", "no models loaded"):
		return engine.NoModel, true
	case f.Says("insufficient credits", "credit balance", "quota exceeded", "out of credits"):
		return engine.NoCredit, true
	case f.Status == http.StatusForbidden && f.Says("moderation", "flagged"):
		return engine.Declined, true
	case f.Status == 0 && f.Says("overloaded", "try again later", "timed out", "timeout", "rate limit"):
		return engine.Busy, true
	}
	return engine.Other, false
}

// blind says whether a server refused a request because there is a picture in it.
func blind(f wire.Fault) bool {
	if f.Status >= http.StatusInternalServerError && !f.Says("mmproj", "image input is not supported") {
		return false
	}
	picture := f.Says("image", "vision", "multimodal", "multi-modal", "picture", "mmproj")
	wont := f.Says("not support", "n't support", "unsupported", "no endpoints found that support", "only supports text", "only text", "not a multimodal",
		"not multimodal", "does not accept", "not allowed", "can't process", "cannot process", "at most 0", "only supported by", "does not have vision",
		"mmproj", "must be a string")
	return picture && wont || f.Says("content must be a string", "content.str", "input_value=[{'type'")
}
