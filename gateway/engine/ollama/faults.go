package ollama

import (
	"errors"

	"conch/gateway/engine"
	"conch/gateway/engine/wire"
)

// sort says what kind of problem a fault of Ollama's is, where its status alone doesn't tell.
func sort(f wire.Fault) (engine.ProblemKind, bool) {
	switch {
	case noMemory(f):
		return engine.Other, true // a 500, but waiting doesn't help
	case f.Says("context length", "context size", "available context"):
		return engine.TooLong, true
	case f.Says("image input", "does not support vision", "does not support images", "multimodal", "mmproj"):
		return engine.Blind, true
	case f.Says("not found") && f.Status == 0:
		return engine.NoModel, true
	}
	return 0, false
}

func noMemory(f wire.Fault) bool {
	return f.Says("system memory", "out of memory", "insufficient memory", "unable to allocate", "failed to allocate")
}

// words puts what only a server of the person's own has into words.
func words(m engine.Model, err error) error {
	p, ok := errors.AsType[*engine.Problem](err)
	if !ok {
		return err
	}
	if p.Kind == engine.NoModel && m.ID != "" {
		return &engine.Problem{
			Kind: p.Kind, Err: p.Err, Say: "Ollama hasn't got the model “" + m.ID + "”.",
			Next: "Get it with the command ollama pull " + m.ID + ", or choose another model in Settings → Models.",
		}
	}
	if f, ok := errors.AsType[wire.Fault](p.Err); ok && noMemory(f) {
		return &engine.Problem{
			Kind: p.Kind, Err: p.Err, Say: "There isn't enough memory for " + m.Name + ".",
			Next: "Close other apps, or choose a smaller model in Settings → Models.",
		}
	}
	return err
}

// elsewhere is a model that was thought to run here and doesn't.
func elsewhere(m engine.Model) *engine.Problem {
	return &engine.Problem{
		Say:  m.Name + " runs on Ollama's own servers, not on this computer, so I sent nothing.",
		Next: "Choose it again in Settings → Models if that is what you want, or choose another model.",
	}
}
