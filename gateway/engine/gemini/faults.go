package gemini

import (
	"conch/gateway/engine"
	"conch/gateway/engine/wire"
)

// sort says what kind of problem a fault of Google's is, where its status alone doesn't tell: much that is wrong with
// a key, an account or a transcript is a plain 400 there.
func sort(f wire.Fault) (engine.ProblemKind, bool) {
	switch {
	case f.Says("api key"):
		return engine.BadKey, true
	case f.Says("credits are depleted", "enable billing", "limit: 0"):
		return engine.NoCredit, true
	case f.Says("token count", "payload size exceeds", "request size"):
		return engine.TooLong, true
	case f.Says("image input", "input modality", "does not support image"):
		return engine.Blind, true
	}
	switch f.Type { // in the middle of an answer there is no status
	case "UNAVAILABLE", "RESOURCE_EXHAUSTED", "INTERNAL", "DEADLINE_EXCEEDED", "ABORTED":
		return engine.Busy, true
	case "NOT_FOUND":
		return engine.NoModel, true
	case "UNAUTHENTICATED", "PERMISSION_DENIED":
		return engine.BadKey, true
	}
	return 0, false
}
