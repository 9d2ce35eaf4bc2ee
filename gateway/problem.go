package gateway

import (
	"errors"
	"net/http"

	"conch/driver"
	"conch/gateway/access"
	"conch/gateway/chat"
	"conch/gateway/state"

	"github.com/go-json-experiment/json"
)

// Code names a kind of problem for a program.
type Code string

// The codes of problems, beside those of access.Refusal.
const (
	CodeInvalid  Code = "invalid"   // the request can't be read or makes no sense
	CodeNotFound Code = "not-found" // there is no such thing
	CodeBusy     Code = "busy"      // the chat still works on the last message
	CodeTooLate  Code = "too-late"  // the question was answered before
	CodePageOnly Code = "page-only" // adds power, so only Conch's own window may do it
	CodeProof    Code = "proof"     // a one-time code that isn't good
	// What widens for good waits for the person to confirm that it's them, in the way that there is here.
	CodeConfirmPassword Code = "confirm-password"
	CodeConfirmSystem   Code = "confirm-system"
	CodeConfirmSet      Code = "confirm-set" // there is no Conch password yet to confirm with
	CodeNotYou          Code = "not-you"     // it wasn't confirmed
	CodeTooMany         Code = "too-many"    // too many tries
	CodeUnavailable     Code = "unavailable" // the screen, or Conch itself, can't be used now
	CodeState           Code = "state"       // a file of Conch's own stands in the way
	CodeInternal        Code = "internal"    // a mistake in Conch
)

var statuses = map[Code]int{
	CodeInvalid: http.StatusBadRequest, CodeNotFound: http.StatusNotFound, CodeBusy: http.StatusConflict,
	CodeTooLate: http.StatusConflict, CodePageOnly: http.StatusForbidden, CodeProof: http.StatusForbidden,
	CodeConfirmPassword: http.StatusForbidden, CodeConfirmSystem: http.StatusForbidden, CodeConfirmSet: http.StatusForbidden,
	CodeNotYou:  http.StatusForbidden,
	CodeTooMany: http.StatusTooManyRequests, CodeUnavailable: http.StatusServiceUnavailable,
	CodeState: http.StatusConflict, CodeInternal: http.StatusInternalServerError,
}

// Problem is an error that was written for a person: what happened, and what to do next.
type Problem struct {
	Code Code   `json:"code"`
	Say  string `json:"say"`
	Next string `json:"next,omitempty"`

	Err    error `json:"-"` // for the log; never leaves the process
	Status int   `json:"-"` // 0: as the code says
}

func (p *Problem) Error() string {
	if p.Next == "" {
		return p.Say
	}
	return p.Say + " " + p.Next
}

func (p *Problem) Unwrap() error { return p.Err }

func (p *Problem) status() int {
	if p.Status != 0 {
		return p.Status
	}
	if s, ok := statuses[p.Code]; ok {
		return s
	}
	return http.StatusInternalServerError
}

func problem(code Code, say, next string) *Problem { return &Problem{Code: code, Say: say, Next: next} }

// problemOf turns any error into one that may be shown. An error that wasn't written for a reader is a
// mistake of ours, and nobody is shown it.
func problemOf(err error) *Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	if r, ok := errors.AsType[*access.Refusal](err); ok {
		return &Problem{Code: Code(r.Code), Say: r.Say, Next: r.Next, Err: err, Status: r.Status}
	}
	if e, ok := errors.AsType[*chat.BusyError](err); ok {
		return &Problem{
			Code: CodeBusy, Say: "This chat is still working on your last message.",
			Next: "Wait until it is done, or press Stop.", Err: e,
		}
	}
	if e, ok := errors.AsType[*chat.TextError](err); ok {
		return &Problem{Code: CodeInvalid, Say: e.Say, Next: "Write what you want done, then send it.", Err: e}
	}
	if u, ok := errors.AsType[*driver.Unready](err); ok {
		return &Problem{Code: CodeUnavailable, Say: u.Say, Next: u.Next, Err: err}
	}
	if said := stateProblem(err); said != nil {
		return said
	}
	switch {
	case errors.Is(err, chat.ErrReadOnly):
		return &Problem{Code: CodeBusy, Say: "This is the log of an app, so nobody writes in it.", Next: "Start a chat of your own.", Err: err}
	case errors.Is(err, chat.ErrNoChat):
		return &Problem{Code: CodeNotFound, Say: "There's no such chat.", Next: "Start a new one.", Err: err}
	case errors.Is(err, chat.ErrClosing):
		return &Problem{Code: CodeUnavailable, Say: "Conch is closing.", Next: "Open it again, then try again.", Err: err}
	}
	return &Problem{Code: CodeInternal, Say: "Something inside Conch went wrong.", Next: "Try again. If it stays, close Conch and open it again.", Err: err}
}

// stateProblem says what the files in Conch's folder have to say; their errors are written for a person.
func stateProblem(err error) *Problem {
	if e, ok := errors.AsType[*state.NewerError](err); ok {
		return &Problem{Code: CodeState, Say: e.Error(), Err: err}
	}
	if e, ok := errors.AsType[*state.NotRegularError](err); ok {
		return &Problem{Code: CodeState, Say: e.Error(), Err: err}
	}
	return nil
}

// writeProblem is the one writer of errors.
func writeProblem(w http.ResponseWriter, p *Problem) {
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, p.status(), p)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		// Only values of our own types come here, so this is a mistake that a test meets first.
		http.Error(w, "Something inside Conch went wrong.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n'))
}
