package gateway

import (
	"context"
	"net/http"

	"conch/gateway/ask"
	"conch/gateway/chat"
	"conch/gateway/computer"
	"conch/gateway/guard"
	"conch/gateway/tool"
)

var modes = map[chat.Mode]guard.Mode{
	chat.Plan: guard.Plan, chat.Ask: guard.AskFirst, chat.Auto: guard.Auto, chat.Trust: guard.FullTrust,
}

var origins = map[chat.Origin]guard.Origin{
	chat.ByPerson: guard.Person, chat.ByClient: guard.Client, chat.ByRoutine: guard.Routine, chat.ByTask: guard.Task,
	chat.ByChatApp: guard.ChatApp,
}

var effects = map[tool.Effect]guard.Kind{tool.Reads: guard.Reads, tool.Changes: guard.Changes, tool.Sends: guard.Sends}

// facts is what the guard needs to know of a chat, as it is now: a mode that is picked in a turn holds from its next
// step. What can't be read is the careful value. name is the tool that is wished for.
func (g *Gateway) facts(ctx context.Context, id, name string) guard.Turn {
	t := guard.Turn{Surface: guard.InChat, Attended: g.attended(id), ReadScreen: true, ReadOutside: true}
	c, err := g.store.Chat(ctx, id)
	if err != nil {
		return t
	}
	t.Mode, t.Origin = modes[c.Mode], origins[c.Origin]
	if t.Origin == guard.Client {
		t.Surface = guard.Door
	}
	t.Skill, t.Listed = g.skillFacts(id, name)
	sources, err := g.store.Sources(ctx, id)
	if err != nil {
		return t
	}
	t.ReadScreen, t.ReadOutside = false, false
	for _, s := range sources {
		if s == computer.TaintSource {
			t.ReadScreen = true
			continue
		}
		t.ReadOutside, t.Source = true, s
	}
	return t
}

// permit judges a call of a tool that doesn't judge its own steps, and asks the person where the guard says so. What
// was true when the question was put is read again after the answer.
func (g *Gateway) permit(ctx context.Context, id, turn string, t tool.Tool, args []byte) (string, *tool.Result) {
	kind, known := effects[t.Effect]
	if !known {
		kind = guard.Sends
	}
	f := guard.Facts{Turn: g.facts(ctx, id, t.Name), Kind: kind, On: true, Name: t.Title}
	v := guard.Decide(f)
	if v.Do == guard.Ask {
		if !g.putCall(ctx, id, turn, t, args, v.Say) {
			return v.Rule, &tool.Result{
				Failed: true, Refused: true, Told: "You didn’t allow this.",
				Text: "The person didn't allow that. Don't try it again unless they ask for it.",
			}
		}
		f.Turn, f.Yes = g.facts(ctx, id, t.Name), true
		v = guard.Decide(f)
	}
	if v.Do != guard.Allow {
		return v.Rule, &tool.Result{Failed: true, Refused: true, Text: v.Say, Told: guard.Told(v.Rule)}
	}
	return v.Rule, nil
}

// may refuses what a page or a program wishes for where the guard does. what begins a sentence: "Using your apps can be
// turned on".
func (g *Gateway) may(r *http.Request, kind guard.Kind, what string) error {
	return g.wish(r, kind, what, g.confirm.Need)
}

// mustMay is may for what lets others in: it is confirmed always, whether or not the person turned that on.
func (g *Gateway) mustMay(r *http.Request, what string) error {
	return g.wish(r, guard.Grants, what, g.confirm.Must)
}

func (g *Gateway) wish(r *http.Request, kind guard.Kind, what string, sure func(session string) error) error {
	c := callerOf(r)
	unsure := sure(c.Session)
	v := guard.Decide(guard.Facts{
		Turn: guard.Turn{Surface: surfaceOf(c)}, Kind: kind, Name: what, Here: c.Local, Confirms: unsure != nil, Confirmed: c.sure,
	})
	switch {
	case v.Do == guard.Allow:
		return nil
	case v.Rule == "elsewhere":
		return problem(CodeConfirmPassword, "Confirm that it’s you first.", "Then try again within ten minutes.")
	case v.Rule == "unconfirmed":
		return g.confirmProblem(unsure)
	}
	return problem(CodePageOnly, what+" only in Conch's own window.", "Open Conch from the menu bar and do it there.")
}

// surfaceOf says whether a page or a program is calling.
func surfaceOf(c caller) guard.Surface {
	if c.Page {
		return guard.Page
	}
	return guard.Program
}

// putCall asks the person about one call.
func (g *Gateway) putCall(ctx context.Context, id, turn string, t tool.Tool, args []byte, why string) bool {
	title := t.Title + "?"
	if t.Asks != nil {
		title = t.Asks(args)
	}
	choice := g.desk.Put(ctx, ask.Question{
		Chat: id, Turn: turn, Title: title, Why: why, App: g.clientName(ctx, id), Same: t.Name + " " + string(args),
	})
	return choice == ask.Once || choice == ask.Always
}

// confirmWith puts a question of a model's provider to the person.
func (g *Gateway) confirmWith(ctx context.Context, id, turn, title, why string) bool {
	choice := g.desk.Put(ctx, ask.Question{Chat: id, Turn: turn, Title: title, Why: why, Same: title + " " + why})
	return choice == ask.Once || choice == ask.Always
}

// clientName is the paired app whose chat it is, for a person; empty for a person's own.
func (g *Gateway) clientName(ctx context.Context, id string) string {
	c, err := g.store.Chat(ctx, id)
	if err != nil || c.Origin != chat.ByClient {
		return ""
	}
	return c.Title
}
