package gateway

import (
	"context"
	"net/http"
	"strings"

	"conch/gateway/guard"
	"conch/gateway/memory"
	"conch/gateway/web"
)

// factBody is the size of a request about a fact: six bytes of JSON for each byte of its longest text.
const factBody = 6*4*memory.TextMax + 1<<10

// queryMax is the size of a search that a page may ask for, in bytes.
const queryMax = 1000

func (g *Gateway) pageMemory(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	query := r.URL.Query().Get("q")
	if len(query) > queryMax {
		return problem(CodeInvalid, "That is too long to search for.", "Look for a few words.")
	}
	frame, err := g.frame(ctx)
	if err != nil {
		return err
	}
	v := web.Memory{Frame: frame, Query: query}
	if v.Waiting, err = g.memoryWaiting(ctx); err != nil {
		return err
	}
	if v.Facts, err = g.memoryFacts(ctx, query); err != nil {
		return err
	}
	if v.Forgotten, err = g.memoryForgotten(ctx); err != nil {
		return err
	}
	return g.writePage(w, http.StatusOK, v)
}

// memoryParts are the live parts of that page. The list of a search is read by the page itself.
func (g *Gateway) memoryParts(ctx context.Context) ([]web.PartView, error) {
	waiting, err := g.memoryWaiting(ctx)
	if err != nil {
		return nil, err
	}
	facts, err := g.memoryFacts(ctx, "")
	if err != nil {
		return nil, err
	}
	forgotten, err := g.memoryForgotten(ctx)
	return []web.PartView{waiting, facts, forgotten}, err
}

// pageParts are the parts of the page that a socket says it is for, when they change.
func (g *Gateway) pageParts(ctx context.Context, page string, what stateChange) ([]web.PartView, error) {
	skill, one := strings.CutPrefix(page, "skill:")
	switch {
	case page == "memory" && what == stateMemory:
		return g.memoryParts(ctx)
	case page == "models" && what == stateModels:
		return g.modelParts(ctx)
	case page == "skills" && what == stateSkills:
		return []web.PartView{g.skillList()}, nil
	case one && what == stateSkills:
		sk, err := g.skills.Get(skill)
		if err != nil {
			return nil, nil //nolint:nilerr // it is gone, and its page stays as it was until it is loaded again
		}
		return []web.PartView{g.skillView(sk)}, nil
	}
	return nil, nil
}

// words is the body of what changes a fact.
type words struct {
	Text string `json:"text"`
}

// postFact takes {text}: a fact that the person wrote.
func (g *Gateway) postFact(w http.ResponseWriter, r *http.Request) error {
	return g.changeFact(w, r, "Facts can be added", func(ctx context.Context, _, text string) error { return g.memory.Add(ctx, text) })
}

// postFactEdit takes {text}: the fact in other words.
func (g *Gateway) postFactEdit(w http.ResponseWriter, r *http.Request) error {
	return g.changeFact(w, r, "Facts can be edited", g.memory.Edit)
}

// postFactKeep takes {text}: a suggestion is kept, in other words where there are any.
func (g *Gateway) postFactKeep(w http.ResponseWriter, r *http.Request) error {
	return g.changeFact(w, r, "Suggestions can be kept", g.memory.Keep)
}

// postFactUndo brings back what was forgotten or refused.
func (g *Gateway) postFactUndo(w http.ResponseWriter, r *http.Request) error {
	return g.changeFact(w, r, "What was forgotten can be brought back", func(ctx context.Context, id, _ string) error { return g.memory.Undo(ctx, id) })
}

// changeFact changes what chats and apps are told of the person, so it is for their own page.
func (g *Gateway) changeFact(w http.ResponseWriter, r *http.Request, what string, change func(ctx context.Context, id, text string) error) error {
	var in words
	if err := readJSON(r, &in); err != nil {
		return err
	}
	if err := g.may(r, guard.Widens, what); err != nil {
		return err
	}
	if err := change(r.Context(), r.PathValue("id"), in.Text); err != nil {
		return memoryProblem(err)
	}
	return noContent(w)
}

// postFactForget and postFactRefuse narrow, so proof is enough.
func (g *Gateway) postFactForget(w http.ResponseWriter, r *http.Request) error {
	return g.dropFact(w, r, g.memory.Forget)
}

func (g *Gateway) postFactRefuse(w http.ResponseWriter, r *http.Request) error {
	return g.dropFact(w, r, g.memory.Refuse)
}

func (g *Gateway) dropFact(w http.ResponseWriter, r *http.Request, drop func(context.Context, string) error) error {
	if err := readJSON(r, &struct{}{}); err != nil {
		return err
	}
	if err := drop(r.Context(), r.PathValue("id")); err != nil {
		return memoryProblem(err)
	}
	return noContent(w)
}
