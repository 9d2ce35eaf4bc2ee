package gateway

import (
	"context"
	"errors"
	"slices"
	"strings"

	"conch/gateway/chat"
	"conch/gateway/memory"
	"conch/gateway/skills"
	"conch/gateway/tool"
	"conch/gateway/web"
)

// Whoever shows the skills follows this topic.
const (
	topicSkills             = "skills"
	stateSkills stateChange = "skills"
)

func (g *Gateway) openSkills() (err error) {
	g.skills, err = skills.Open(skills.Options{
		Dir: g.dir, Log: skillLog{g.store}, Now: g.cfg.Now, Logger: g.log, Changed: func() { g.publish(topicSkills, stateSkills) },
	})
	return err
}

// skillTools are list_skills and use_skill, for chats and paired apps.
func (g *Gateway) skillTools() []tool.Tool { return skills.Tools(g.skills) }

// beyondLists go ahead whatever a skill lists: the first two only narrow, the others find what the person kept and
// suggest what waits for them.
var beyondLists = []string{skills.ListTool, skills.UseTool, memory.SearchTool, memory.SuggestTool}

// skillFacts says which skill holds a chat and whether a tool is on the list. Without a skill everything is.
func (g *Gateway) skillFacts(chatID, toolName string) (skill string, listed bool) {
	allowed, held := g.skills.Hold(chatID)
	if !held {
		return "", true
	}
	return g.skills.Holding(chatID), slices.Contains(allowed, toolName) || slices.Contains(beyondLists, toolName)
}

// skillLog keeps what a chat has loaded as events of its log.
type skillLog struct{ store *chat.Store }

func (l skillLog) LoadSkill(ctx context.Context, id, turn string, h skills.Held) error {
	_, err := l.store.Append(ctx, chat.Event{Chat: id, Turn: turn, Kind: chat.KindSkill, Text: h.Skill, More: strings.Join(h.Tools, " ")})
	return err
}

func (l skillLog) LoadedSkills(ctx context.Context, id string) ([]skills.Held, error) {
	events, err := l.store.Skills(ctx, id)
	var out []skills.Held
	for _, e := range events {
		out = append(out, skills.Held{Skill: e.Text, Tools: strings.Fields(e.More)})
	}
	return out, err
}

// skillNote is what a chat's page says of a skill that it loaded.
func skillNote(e chat.Event) web.Note {
	n := web.Note{ID: seqID(e), Kind: web.NoteInfo, Text: "This chat follows the skill “" + e.Text + "”.", Next: "A tool that isn’t on its list asks you first."}
	if e.More == "" {
		n.Next = "It lists no tool, so every tool asks you first."
	}
	return n
}

// skillProblem puts what can't be switched into a page's words.
func skillProblem(err error) error {
	switch {
	case errors.Is(err, skills.ErrNone):
		return &Problem{Code: CodeNotFound, Say: "That skill isn’t here any more.", Next: "Load the page again to see what is.", Err: err}
	case errors.Is(err, skills.ErrBroken):
		return &Problem{Code: CodeInvalid, Say: "This skill can’t be read.", Next: "Its page says why.", Err: err}
	case errors.Is(err, skills.ErrVersion):
		return &Problem{Code: CodeTooLate, Say: "The skill changed since this page was shown.", Next: "Look at it as it is now, then switch it on.", Err: err}
	case errors.Is(err, skills.ErrUnread):
		return &Problem{Code: CodeInvalid, Say: "Something in this skill could do harm.", Next: "Open it, read it, and accept it there.", Err: err}
	}
	return err
}
