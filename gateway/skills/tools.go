package skills

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"conch/gateway/plain"
	"conch/gateway/tool"
)

// The tools' names.
const (
	ListTool = "list_skills"
	UseTool  = "use_skill"
)

// Scope is what a paired app must have been given for them.
const Scope = "skills"

const argsMax = 4 << 10 // bytes of arguments

var (
	//go:embed list_skills.md
	listAbout string
	//go:embed list_skills.json
	listSchema []byte
	//go:embed use_skill.md
	useAbout string
	//go:embed use_skill.json
	useSchema []byte
)

// Tools are list_skills and use_skill. A skill's text is what the person switched on, so neither answers with
// somebody else's words, and neither changes anything: loading a skill only narrows what goes without asking.
func Tools(s *Skills) []tool.Tool {
	return []tool.Tool{
		{
			Name: ListTool, Title: "List your skills", About: strings.TrimSpace(listAbout), Schema: listSchema, Effect: tool.Reads, Scope: Scope,
			Run: func(_ context.Context, c tool.Call) tool.Result { return s.runList(c.Args) },
		},
		{
			Name: UseTool, Title: "Use a skill", About: strings.TrimSpace(useAbout), Schema: useSchema, Effect: tool.Reads, Scope: Scope,
			Run: s.runUse,
		},
	}
}

func parseList(raw []byte) error {
	if len(raw) == 0 {
		return nil
	}
	if err := unmarshal(raw, &struct{}{}); err != nil {
		return errors.New("I can't read that. list_skills takes nothing.")
	}
	return nil
}

func parseUse(raw []byte) (name string, err error) {
	var in struct {
		Name *string `json:"name"`
	}
	if err := unmarshal(raw, &in); err != nil || in.Name == nil {
		return "", errors.New("I can't read that. Give name, as list_skills has it.")
	}
	if !skillName.MatchString(*in.Name) || len(*in.Name) > nameMax {
		return "", errors.New("That isn't a skill's name. Give name, as list_skills has it.")
	}
	return *in.Name, nil
}

func unmarshal(raw []byte, v any) error {
	if len(raw) > argsMax {
		return errors.New("too long")
	}
	return json.Unmarshal(raw, v, json.RejectUnknownMembers(true))
}

// Listed is a skill as a program gets it.
type Listed struct {
	Name  string   `json:"name"`
	About string   `json:"description"`
	Tools []string `json:"allowed_tools"`
}

func (s *Skills) runList(raw []byte) tool.Result {
	if err := parseList(raw); err != nil {
		return refused(err.Error())
	}
	list := []Listed{}
	var b strings.Builder
	for _, sk := range s.Offered() {
		list = append(list, Listed{Name: sk.Name, About: sk.About, Tools: append([]string{}, sk.Tools...)})
		fmt.Fprintf(&b, "\n- %s: %s", sk.Name, sk.About)
	}
	data, err := json.Marshal(struct {
		Skills []Listed `json:"skills"`
	}{list})
	if err != nil {
		return tool.Result{Failed: true, Text: "The skills could not be put into words."}
	}
	text := "No skill is switched on. The person can add one in Settings, Skills."
	if len(list) > 0 {
		text = "The skills that are switched on:" + b.String()
	}
	return tool.Result{Text: text, Data: data, Kind: ListTool, Did: "Listed your skills"}
}

// runUse gives a chat a skill's text. That the chat is held comes first: without it nothing is given.
func (s *Skills) runUse(ctx context.Context, c tool.Call) tool.Result {
	name, err := parseUse(c.Args)
	if err != nil {
		return refused(err.Error())
	}
	sk, err := s.Get(name)
	if err != nil {
		return refused(fmt.Sprintf("There is no skill called “%s”. list_skills has those that are switched on.", name))
	}
	if why, off := unavailable[sk.State]; off || sk.State != On {
		return refused(fmt.Sprintf("The skill “%s” %s", name, why))
	}
	if err := s.opt.Log.LoadSkill(ctx, c.Chat, c.Turn, Held{Skill: sk.Name, Tools: sk.Tools}); err != nil {
		s.opt.Logger.Error("a skill could not be written down", "err", err)
		return tool.Result{Failed: true, Refused: true, Text: "It could not be written down that this chat uses the skill, so it was not loaded."}
	}
	return tool.Result{
		Text: fmt.Sprintf("The skill “%s”. %s\n\n%s", sk.Name, heldTo(sk), plain.Show(sk.Text)),
		Kind: UseTool, Did: fmt.Sprintf("Loaded the skill “%s”", sk.Name),
	}
}

var unavailable = map[State]string{
	Off:     "isn't switched on. The person can do that in Settings, Skills.",
	Unread:  "isn't switched on: the person has to read and accept it first, in Settings, Skills.",
	Changed: "was changed since it was switched on, so it is off. The person can look at it in Settings, Skills.",
	Broken:  "can't be read. Settings, Skills says why.",
}

func heldTo(sk Skill) string {
	if len(sk.Tools) == 0 {
		return "It lists no tool, so every tool asks the person first from now on."
	}
	return "From now on these tools go ahead as before, and every other one asks the person first: " + strings.Join(sk.Tools, ", ") + "."
}

func refused(say string) tool.Result { return tool.Result{Failed: true, Refused: true, Text: say} }
