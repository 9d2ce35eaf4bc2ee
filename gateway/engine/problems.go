package engine

// Where is where a request went, for the words of a problem.
type Where struct {
	Place string // "Anthropic"
	Model string // the model's name for a person; may be empty
	Own   bool   // a server of the person's own, rather than an account with a provider
}

const settings = "Settings → Models"

// Problem is what to say about a problem of a kind. These are all the words that engines have for problems; what
// the provider wrote is never among them.
func (w Where) Problem(kind ProblemKind, err error) *Problem {
	p := &Problem{Kind: kind, Err: err}
	switch kind {
	case BadKey:
		p.Say, p.Next = w.Place+" doesn't take this key.", "Put a new one in "+settings+"."
	case NoCredit:
		p.Say, p.Next = "The account with "+w.Place+" has no credit left.", "Add some there, or choose another model in "+settings+"."
	case Busy:
		p.Say, p.Next = w.Place+" is busy and didn't answer in time.", "Wait a few minutes, then send that again, or choose another model."
	case Unreachable:
		p.Say, p.Next = w.Place+" can't be reached.", "Look whether this computer is online, then try again."
		if w.Own {
			p.Next = "Start it, or look whether its address in " + settings + " is right."
		}
	case NoModel:
		p.Say, p.Next = w.Place+" has no model called “"+w.model()+"”.", "Choose another one in "+settings+"."
		if w.Model == "" {
			p.Say = "There's nothing at this address that I can talk to."
			p.Next = "Look at the address of " + w.Place + " in " + settings + "."
		}
	case TooLong:
		p.Say, p.Next = "This chat has become too long for "+w.model()+".", "Start a new chat, or choose a model that takes more."
	case Declined:
		p.Say, p.Next = w.model()+" declined to answer that.", "Say it another way, or choose another model."
	case Blind:
		p.Say, p.Next = w.model()+" can't look at pictures, so it can't use your apps.", "Choose a model that sees in "+settings+"."
	case Limit:
		p.Say, p.Next = "This would cost more than the limit that you set.", "Raise the limit in "+settings+", or wait until tomorrow."
	default:
		p.Say, p.Next = w.Place+" didn't accept what I sent.", "Try again, or choose another model."
	}
	return p
}

// CutOff is an answer that ended in the middle.
func (w Where) CutOff(err error) *Problem {
	return &Problem{Kind: Other, Err: err, Say: "The answer of " + w.Place + " broke off in the middle.", Next: "Send that again."}
}

// Strange is an answer that can't be read.
func (w Where) Strange(err error) *Problem {
	return &Problem{Kind: Other, Err: err, Say: w.Place + " answered in a way that I can't read.", Next: "Try again, or choose another model."}
}

// OutOfRoom is an answer that was longer than the model may write.
func (w Where) OutOfRoom() *Problem {
	return &Problem{Kind: Other, Say: "The answer became longer than " + w.model() + " may write at once.", Next: "Ask for less at a time."}
}

// Open is an address that a key would travel to for everyone on the way to read.
func (w Where) Open() *Problem {
	return &Problem{
		Kind: Other, Say: "The address of " + w.Place + " isn't protected, so I don't send your key there.",
		Next: "Use an address that begins with https:// in " + settings + ".",
	}
}

func (w Where) model() string {
	if w.Model == "" {
		return "this model"
	}
	return w.Model
}
