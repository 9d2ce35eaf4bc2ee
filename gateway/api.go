package gateway

import (
	"context"
	"errors"
	"net/http"

	"conch/driver"
	"conch/gateway/access"
	"conch/gateway/ask"
	"conch/gateway/chat"
	"conch/gateway/guard"
)

// getHere answers 204 to a window that has proof.
func (g *Gateway) getHere(w http.ResponseWriter, _ *http.Request) error { return noContent(w) }

// postHere takes a one-time code {code} and gives the window its cookie.
func (g *Gateway) postHere(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Code string `json:"code"`
	}
	if err := readJSON(r, &in); err != nil {
		return err
	}
	if !g.codes.Redeem(in.Code) {
		if !g.guard.Failed(r.RemoteAddr) {
			return problem(CodeTooMany, "Too many tries.", "Wait a minute, then open Conch from the menu bar.")
		}
		return problem(CodeProof, "This way in was used already, or is older than two minutes.", "Open Conch from the menu bar again.")
	}
	http.SetCookie(w, g.proof.NewCookie(access.FromHTTP(r).Port()))
	return noContent(w)
}

// postCode answers {code}: a one-time code for opening a page, for a program of the person's own.
func (g *Gateway) postCode(w http.ResponseWriter, r *http.Request) error {
	if err := readJSON(r, &struct{}{}); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, map[string]string{"code": g.NewCode()})
	return nil
}

func (g *Gateway) getStatus(w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, http.StatusOK, g.Status())
	return nil
}

// started is what starting a turn answers.
type started struct {
	ID   string `json:"id,omitempty"` // the chat again, for pages
	Chat string `json:"chat"`
	Turn string `json:"turn"`
}

// postChat takes {text, mode?, model?} and starts a chat with it. A mode and a model that are left out are the usual
// ones; no chat is made where one that is picked isn't allowed.
func (g *Gateway) postChat(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Text  string  `json:"text"`
		Mode  *string `json:"mode"`
		Model *string `json:"model"`
	}
	if err := readJSON(r, &in); err != nil {
		return err
	}
	if err := chat.CheckText(in.Text); err != nil {
		return err
	}
	mode := chat.Ask
	if in.Mode != nil {
		var err error
		if mode, err = g.pickMode(r, *in.Mode, mode); err != nil {
			return err
		}
	}
	if in.Model != nil {
		if err := g.pickModel(r, *in.Model); err != nil {
			return err
		}
	}
	c, err := g.store.NewChat(r.Context(), in.Text)
	if err != nil {
		return err
	}
	if mode != c.Mode {
		if err := g.store.SetMode(r.Context(), c.ID, mode); err != nil {
			return err
		}
	}
	if in.Model != nil {
		if err := g.store.SetModel(r.Context(), c.ID, *in.Model); err != nil {
			return err
		}
	}
	turn, err := g.start(r, c.ID, in.Text)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, started{ID: c.ID, Chat: c.ID, Turn: turn})
	return nil
}

// postMessage takes {text} and starts a turn of a chat with it.
func (g *Gateway) postMessage(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Text string `json:"text"`
	}
	if err := readJSON(r, &in); err != nil {
		return err
	}
	id := r.PathValue("id")
	turn, err := g.start(r, id, in.Text)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, started{Chat: id, Turn: turn})
	return nil
}

func (g *Gateway) start(r *http.Request, id, text string) (string, error) {
	g.present.touch()
	turn, err := g.runner.Start(r.Context(), id, text)
	if err == nil {
		g.changed(id)
	}
	return turn, err
}

// stopped is what stopping answers.
type stopped struct {
	Stopped bool `json:"stopped"` // false: nothing ran
}

// postStopChat stops the turn of a chat and answers once all of it has ended.
func (g *Gateway) postStopChat(w http.ResponseWriter, r *http.Request) error {
	if err := readJSON(r, &struct{}{}); err != nil {
		return err
	}
	id := r.PathValue("id")
	if _, err := g.store.Chat(r.Context(), id); err != nil {
		return err
	}
	turn, running := g.runner.Running(id)
	if !running {
		writeJSON(w, http.StatusOK, stopped{})
		return nil
	}
	was, err := g.runner.Interrupt(r.Context(), turn)
	if err != nil {
		return stillEnding(err)
	}
	writeJSON(w, http.StatusOK, stopped{Stopped: was})
	return nil
}

// postStop stops whoever uses the computer.
func (g *Gateway) postStop(w http.ResponseWriter, r *http.Request) error {
	if err := readJSON(r, &struct{}{}); err != nil {
		return err
	}
	was, err := g.Stop(r.Context())
	if err != nil {
		return stillEnding(err)
	}
	writeJSON(w, http.StatusOK, stopped{Stopped: was})
	return nil
}

func stillEnding(err error) error {
	return &Problem{Code: CodeUnavailable, Say: "It was told to stop and hasn't ended yet.", Next: "Look at the screen before you go on.", Err: err}
}

// modeRank orders the modes by the power they give.
var modeRank = map[chat.Mode]int{chat.Plan: 1, chat.Ask: 2, chat.Auto: 3, chat.Trust: 4}

// postMode takes {mode}. A mode that gives more is only for a page.
func (g *Gateway) postMode(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Mode string `json:"mode"`
	}
	if err := readJSON(r, &in); err != nil {
		return err
	}
	c, err := g.store.Chat(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	mode, err := g.pickMode(r, in.Mode, c.Mode)
	if err != nil {
		return err
	}
	if err := g.store.SetMode(r.Context(), c.ID, mode); err != nil {
		return err
	}
	g.changed(c.ID)
	return noContent(w)
}

// pickMode reads the mode that is picked for a chat that has the mode now, and refuses who may not have it ask less.
func (g *Gateway) pickMode(r *http.Request, picked string, now chat.Mode) (chat.Mode, error) {
	mode, ok := chat.ParseMode(picked)
	if !ok {
		return "", problem(CodeInvalid, "There's no such mode.", "Pick plan, ask, auto or trust.")
	}
	if modeRank[mode] <= modeRank[now] {
		return mode, nil
	}
	kind := guard.Widens
	if mode == chat.Trust {
		kind = guard.Grants
	}
	return mode, g.may(r, kind, "A mode that asks less can be picked")
}

// postQuestion takes {choice}: once, always or no. The first answer counts.
func (g *Gateway) postQuestion(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Choice string `json:"choice"`
	}
	if err := readJSON(r, &in); err != nil {
		return err
	}
	choice, ok := ask.ParseChoice(in.Choice)
	if !ok {
		return problem(CodeInvalid, "That isn't an answer.", "Answer once, always or no.")
	}
	if choice == ask.Always {
		if err := g.may(r, guard.Grants, "Always can be answered"); err != nil {
			return err
		}
	}
	if !g.desk.Answer(r.PathValue("id"), choice) {
		return problem(CodeTooLate, "This question doesn't wait any more.", "Look at the chat to see how it was answered.")
	}
	return noContent(w)
}

// postComputerUse takes {on}. Turning it on is only for a page on the computer itself; off is for anyone
// with proof, and stops what uses the computer.
func (g *Gateway) postComputerUse(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		On *bool `json:"on"`
	}
	if err := readJSON(r, &in); err != nil {
		return err
	}
	if in.On == nil {
		return problem(CodeInvalid, "It isn't said whether to turn it on or off.", "Send on as true or false.")
	}
	if *in.On {
		if err := g.may(r, guard.Widens, "Using your apps can be turned on"); err != nil {
			return err
		}
	}
	err := g.turnUse(r.Context(), *in.On)
	g.settingsChanged()
	if err != nil {
		return err
	}
	return noContent(w)
}

// turnUse turns using apps on or off; off also stops what uses them.
func (g *Gateway) turnUse(ctx context.Context, on bool) error {
	if on {
		return g.use.Set(true)
	}
	// What runs is stopped by the person, rather than refused at its next step; and what took hold in between as well.
	return errors.Join(g.stopHolder(ctx), g.use.Set(false), g.stopHolder(ctx))
}

// stopHolder stops the turn that has the computer.
func (g *Gateway) stopHolder(ctx context.Context) error {
	_, turn, held := g.computer.Holder()
	if !held {
		return nil
	}
	if _, err := g.runner.Interrupt(ctx, turn); err != nil {
		return stillEnding(err)
	}
	return nil
}

// postPause takes {pause}: whether what uses the computer pauses when the person takes the mouse or keyboard.
// Turning that off is only for a page on the computer itself. It holds from the next turn on.
func (g *Gateway) postPause(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Pause *bool `json:"pause"`
	}
	if err := readJSON(r, &in); err != nil {
		return err
	}
	if in.Pause == nil {
		return problem(CodeInvalid, "It isn't said whether to pause.", "Send pause as true or false.")
	}
	if !*in.Pause {
		if err := g.may(r, guard.Widens, "Pausing when you take over can be turned off"); err != nil {
			return err
		}
	}
	if err := g.use.SetPauses(*in.Pause); err != nil {
		return err
	}
	g.settingsChanged()
	return noContent(w)
}

// deleteApp takes an app off the list of those that are always allowed.
func (g *Gateway) deleteApp(w http.ResponseWriter, r *http.Request) error {
	was, err := g.use.TakeBack(driver.AppID(r.PathValue("id")))
	if err != nil {
		return err
	}
	if !was {
		return problem(CodeNotFound, "That app isn't on the list.", "Load the page again.")
	}
	g.settingsChanged()
	return noContent(w)
}
