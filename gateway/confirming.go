package gateway

import (
	"context"
	"errors"
	"net/http"
	"time"

	"conch/gateway/confirm"
	"conch/gateway/guard"
	"conch/gateway/web"
)

// confirmWithin is how long a person may take to answer the system.
const confirmWithin = 25 * time.Second // below what the server gives an answer

// confirmReasons are what a person reads after "Conch is trying to", by what needs it.
var confirmReasons = map[string]string{
	"trust":  "let a chat go ahead without asking (Full trust)",
	"always": "always let your assistant use an app without asking",
	"on":     "change how you confirm that it’s you",
	"off":    "stop asking you to confirm that it’s you",
	// What follows always takes a confirmation, where it is done.
	"use":      "let your assistant use the apps on this computer",
	"address":  "let your other devices reach Conch",
	"device":   "let a device in",
	"password": "change your Conch password",
	"models":   "change which models answer, their keys, and what they may cost",
	"memory":   "change what Conch knows about you",
	"chat":     "start a chat in the mode and with the model that you picked",
	"pair":     "let another app use Conch",
	"skill":    "let chats use a skill",
}

// confirmProblem is what confirming has to say, in words for a page.
func (g *Gateway) confirmProblem(err error) error {
	var short *confirm.PasswordError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, confirm.ErrNeeded):
		code := CodeConfirmPassword
		if g.confirm.Way() == confirm.BySystem {
			code = CodeConfirmSystem
		}
		return &Problem{Code: code, Say: "Confirm that it’s you first.", Next: "Then try again within ten minutes.", Err: err}
	case errors.Is(err, confirm.ErrWrong):
		return &Problem{Code: CodeNotYou, Say: "That isn’t the password.", Next: "Try again.", Err: err}
	case errors.Is(err, confirm.ErrWait):
		return &Problem{Code: CodeTooMany, Say: "Too many wrong passwords.", Next: "Wait a few minutes, then try again.", Err: err}
	case errors.Is(err, confirm.ErrNoPassword):
		return &Problem{Code: CodeConfirmSet, Say: "There’s no Conch password yet to confirm with.", Next: "Set one first, under Other devices.", Err: err}
	case errors.Is(err, confirm.ErrWay):
		return &Problem{Code: CodeInvalid, Say: "It isn’t confirmed that way here.", Next: "Load the page again.", Err: err}
	case errors.As(err, &short):
		return &Problem{Code: CodeInvalid, Say: short.Say, Next: "Pick another one.", Err: err}
	}
	return err
}

// postConfirm takes {what, password}: the person shows that it's them. Without a password here, the system asks.
func (g *Gateway) postConfirm(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		What     string `json:"what"`
		Password string `json:"password"`
	}
	if err := readJSON(r, &in); err != nil {
		return err
	}
	if !who(r).Page {
		return problem(CodePageOnly, "You can confirm that it’s you only in Conch's own window.", "Open Conch from the menu bar and do it there.")
	}
	reason, known := confirmReasons[in.What]
	if !known {
		return problem(CodeInvalid, "It isn’t said what this is for.", "Load the page again.")
	}
	session := who(r).Session
	// The system asks on this computer's screen, which is nothing for a device elsewhere.
	if g.confirm.Way() == confirm.ByPassword || !who(r).Local {
		if err := g.confirmProblem(g.confirm.Password(session, who(r).From, in.Password)); err != nil {
			return err
		}
		return noContent(w)
	}
	ctx, cancel := context.WithTimeout(r.Context(), confirmWithin)
	defer cancel()
	if err := g.confirm.Ask(ctx, session, reason); err != nil {
		return &Problem{Code: CodeNotYou, Say: "It wasn’t confirmed that it’s you.", Next: "Nothing was changed. Try again.", Err: err}
	}
	return noContent(w)
}

// postConfirmOn takes {password}: from now on the person is asked, in the way that there is here.
func (g *Gateway) postConfirmOn(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Password string `json:"password"`
	}
	if err := readJSON(r, &in); err != nil {
		return err
	}
	if err := g.may(r, guard.Widens, "Confirming that it’s you can be set up"); err != nil {
		return err
	}
	return g.confirmChanged(w, g.confirm.TurnOn(who(r).Session, in.Password))
}

// postConfirmOff asks no more, once the person confirmed.
func (g *Gateway) postConfirmOff(w http.ResponseWriter, r *http.Request) error {
	if err := readJSON(r, &struct{}{}); err != nil {
		return err
	}
	if err := g.may(r, guard.Widens, "Confirming that it’s you can be turned off"); err != nil {
		return err
	}
	return g.confirmChanged(w, g.confirm.TurnOff(who(r).Session))
}

func (g *Gateway) confirmChanged(w http.ResponseWriter, err error) error {
	if err := g.confirmProblem(err); err != nil {
		return err
	}
	g.settingsChanged()
	return noContent(w)
}

func (g *Gateway) confirmView(local bool) web.Confirm {
	how, err := g.confirm.How()
	set, _ := g.confirm.HasPassword()
	v := web.Confirm{On: how != confirm.Off || err != nil, Password: g.confirm.Way() == confirm.ByPassword, Set: set}
	if !local {
		v.Locked = "This is changed on the computer itself."
	}
	if said := stateProblem(err); said != nil {
		v.Locked = said.Say
	}
	return v
}
