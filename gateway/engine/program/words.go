package program

import "conch/gateway/engine"

// Who is a program, for the words of a problem.
type Who struct {
	Name    string // "Codex"
	Command string // what a person types in a terminal to sign in
}

// Absent is what to say when the program isn't there.
func (w Who) Absent() *engine.Problem {
	return &engine.Problem{
		Kind: engine.Unreachable, Say: w.Name + " isn't on this computer.",
		Next: "Install it, sign in with it once in a terminal, then try again.",
	}
}

// SignedOut is what to say when nobody is signed in with the program.
func (w Who) SignedOut() *engine.Problem {
	return &engine.Problem{
		Kind: engine.BadKey, Say: w.Name + " isn't signed in.", Next: "Run " + w.Command + " in a terminal, then try again.",
	}
}

// UsedUp is what to say when the person's plan gives no more for now.
func (w Who) UsedUp(err error) *engine.Problem {
	return &engine.Problem{
		Kind: engine.Busy, Err: err, Say: "Your plan for " + w.Name + " has nothing left for now.",
		Next: "Wait until it starts again, or choose another model.",
	}
}

// Ended is what to say when the program ended before it answered.
func (w Who) Ended(err error) *engine.Problem {
	return &engine.Problem{
		Kind: engine.Other, Err: err, Say: w.Name + " ended before it answered.",
		Next: "Look whether it works in a terminal, or update it, then try again.",
	}
}

// Loose is what to say when the program has tools of its own on, or uses one.
func (w Who) Loose() *engine.Problem {
	return &engine.Problem{
		Kind: engine.Other, Say: w.Name + " was about to use tools of its own, so I stopped it.",
		Next: "Try again, update it, or choose another model.",
	}
}

// Out is where a program's words go: pieces that belong together as they come, and an empty line between others.
type Out struct {
	// Text passes on a piece and says whether the turn goes on.
	Text func(piece string) bool

	block string
	some  bool
}

// Piece is a piece of a block of text.
func (o *Out) Piece(block, piece string) bool {
	if piece == "" {
		return true
	}
	if o.some && block != o.block {
		piece = "\n\n" + piece
	}
	o.block, o.some = block, true
	return o.Text(piece)
}

// Cut begins anew: what comes next needs no empty line before it.
func (o *Out) Cut() { o.some = false }
