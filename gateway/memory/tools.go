package memory

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"conch/gateway/tool"
)

// The tools' names.
const (
	SearchTool  = "search_memory"
	SuggestTool = "suggest_memory"
)

// What a paired app must have been given for each.
const (
	ReadScope  = "memory.read"
	WriteScope = "memory.write"
)

const (
	argsMax    = 16 << 10 // bytes of arguments
	limitUsual = 10
	limitMax   = 50
)

var (
	//go:embed search_memory.md
	searchAbout string
	//go:embed search_memory.json
	searchSchema []byte
	//go:embed suggest_memory.md
	suggestAbout string
	//go:embed suggest_memory.json
	suggestSchema []byte
)

// Tools are search_memory and suggest_memory. from says whose suggestion a call is; when it doesn't know,
// nothing is suggested. Neither needs a question: the one finds only what the person kept, and what the other
// adds waits for them.
func Tools(s *Store, from func(context.Context, tool.Call) (Source, error)) []tool.Tool {
	return []tool.Tool{SearchMemory(s), SuggestMemory(s, from)}
}

// SearchMemory is the tool that finds kept facts.
func SearchMemory(s *Store) tool.Tool {
	return tool.Tool{
		Name: SearchTool, Title: "Look up what Conch knows", About: strings.TrimSpace(searchAbout), Schema: searchSchema, Effect: tool.Reads, Scope: ReadScope, Direct: true,
		Run: func(ctx context.Context, c tool.Call) tool.Result { return s.runSearch(ctx, c.Args) },
	}
}

// SuggestMemory is the tool that has a fact wait for the person. By itself it changes nothing that anything
// goes by, so it counts as reading.
func SuggestMemory(s *Store, from func(context.Context, tool.Call) (Source, error)) tool.Tool {
	return tool.Tool{
		Name: SuggestTool, Title: "Suggest something to remember", About: strings.TrimSpace(suggestAbout), Schema: suggestSchema, Effect: tool.Reads, Scope: WriteScope, Direct: true,
		Run: func(ctx context.Context, c tool.Call) tool.Result { return s.runSuggest(ctx, c, from) },
	}
}

type searchArgs struct {
	Query *string `json:"query"`
	Limit *int    `json:"limit"`
}

func parseSearch(raw []byte) (query string, limit int, err error) {
	var in searchArgs
	if err := unmarshal(raw, &in); err != nil || in.Query == nil {
		return "", 0, errors.New("I can't read that. Give query, a few words, and limit, a number, if you need one.")
	}
	limit = limitUsual
	if in.Limit != nil {
		limit = *in.Limit
	}
	if limit < 1 || limit > limitMax {
		return "", 0, fmt.Errorf("limit is from 1 to %d.", limitMax)
	}
	if len(*in.Query) > queryMax {
		return "", 0, errors.New("That is too long to search for. Give a few words.")
	}
	return *in.Query, limit, nil
}

func parseSuggest(raw []byte) (fact string, err error) {
	var in struct {
		Fact *string `json:"fact"`
	}
	if err := unmarshal(raw, &in); err != nil || in.Fact == nil {
		return "", errors.New("I can't read that. Give fact, one short sentence.")
	}
	return *in.Fact, nil
}

func unmarshal(raw []byte, v any) error {
	if len(raw) > argsMax {
		return errors.New("too long")
	}
	return json.Unmarshal(raw, v, json.RejectUnknownMembers(true))
}

// Found is a fact as a program gets it.
type Found struct {
	Fact  string `json:"fact"`
	Since string `json:"since"` // the day
}

func (s *Store) runSearch(ctx context.Context, raw []byte) tool.Result {
	query, limit, err := parseSearch(raw)
	if err != nil {
		return refused(err.Error())
	}
	facts, err := s.Search(ctx, query, limit)
	if err != nil {
		return tool.Result{Failed: true, Text: "What Conch knows could not be read just now. Nothing was changed."}
	}
	list := make([]Found, 0, len(facts))
	var b strings.Builder
	for _, f := range facts {
		list = append(list, Found{Fact: f.Text, Since: f.Changed.Local().Format("2006-01-02")})
		fmt.Fprintf(&b, "\n- %s", f.Text)
	}
	data, err := json.Marshal(struct {
		Facts []Found `json:"facts"`
	}{list})
	if err != nil {
		return tool.Result{Failed: true, Text: "What was found could not be put into words."}
	}
	out := tool.Result{Data: data, Kind: SearchTool, Did: "Looked up what Conch knows"}
	switch {
	case len(facts) > 0:
		out.Text = "What the person had Conch remember, best match first:" + b.String()
	case strings.TrimSpace(query) == "":
		out.Text = "Conch knows nothing about the person yet."
	default:
		out.Text = "Conch knows nothing that fits these words. Try others, or ask the person."
	}
	return out
}

// suggested says nothing of what Conch knows: an app that may only suggest isn't to learn it.
const suggested = "Passed on. Unless it is known, waits, or was refused lately, it now waits for the person to keep it."

func (s *Store) runSuggest(ctx context.Context, c tool.Call, from func(context.Context, tool.Call) (Source, error)) tool.Result {
	fact, err := parseSuggest(c.Args)
	if err != nil {
		return refused(err.Error())
	}
	source, err := from(ctx, c)
	if err != nil {
		return refused("It isn't known who suggests this, so nothing was suggested.")
	}
	err = s.Suggest(ctx, fact, source)
	if no, ok := errors.AsType[*Refusal](err); ok {
		return refused(no.Error())
	}
	if err != nil {
		return tool.Result{Failed: true, Text: "It could not be written down, so nothing was suggested."}
	}
	return tool.Result{Text: suggested, Kind: SuggestTool, Did: "Suggested something to remember"}
}

func refused(say string) tool.Result { return tool.Result{Failed: true, Refused: true, Text: say} }
