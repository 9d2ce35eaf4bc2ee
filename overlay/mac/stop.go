package mac

import "conch/overlay"

// reach is how the chords can be heard now.
type reach struct {
	registered []bool     // by chord: the hot key is ours
	system     []symbolic // what macOS has for itself; nil when it can't be told
	tap        bool       // the listen-only tap runs
}

// taken says whether macOS itself acts on a chord.
func (r reach) taken(c chord) bool {
	for _, s := range r.system {
		if s.on && s.code == escape && s.carbon&carbonAll == c.carbon {
			return true
		}
	}
	return false
}

// held decides which key the card names, and what is said about it. The order of what is preferred: a key that
// is Conch's alone, then one that stops Conch though something else may happen too, then the card.
func held(r reach) overlay.Held {
	mine := func(i int) bool { return i < len(r.registered) && r.registered[i] }
	usual, second := chords[0], chords[1]
	lost := r.taken(usual)
	switch {
	case mine(0) && !lost:
		return overlay.Held{Key: usual.name}
	case mine(1) && !r.taken(second):
		why := "Another app already uses " + usual.name + ", so press " + second.name + "."
		if lost {
			why = "macOS opens something of its own with " + usual.name + ", so press " + second.name + ". " + switchOff
		}
		return overlay.Held{Key: second.name, Second: true, Why: why}
	case lost && (mine(0) || r.tap):
		return overlay.Held{Key: usual.name, Why: "macOS uses " + usual.name + " too. It should stop Conch all the same. " + switchOff}
	case r.tap:
		return overlay.Held{Key: usual.name, Why: "Other apps use " + usual.name + " too. It stops Conch all the same."}
	}
	return overlay.Held{Why: "Other apps use Conch's Stop keys. Press Stop on the card."}
}

// switchOff is how a person gets the usual key back (macOS 26 gives it to the Game Overlay).
const switchOff = "To get it back, switch off the Game Overlay's key: System Settings, Keyboard, Keyboard Shortcuts, Game Controllers."
