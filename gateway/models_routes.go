package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"conch/gateway/chat"
	"conch/gateway/engine"
	"conch/gateway/guard"
	"conch/gateway/models"
	"conch/gateway/web"
)

const (
	// placeBody is the size of a request about a place: six bytes of JSON for each of its key and address at worst.
	placeBody = 16 << 10
	// listWithin is how long a page waits for all places to say which models they have.
	listWithin = 8 * time.Second
)

// What is behind these is decided in one place each: models.Models checks what was put in, and the guard who may.

func (g *Gateway) pageModels(w http.ResponseWriter, r *http.Request) error {
	frame, err := g.frame(r.Context())
	if err != nil {
		return err
	}
	limits, err := g.limitsView(r.Context())
	if err != nil {
		return err
	}
	v := web.Models{
		Frame: frame, Places: g.placesView(), Found: g.foundView(), Usual: g.usualView(), Limits: limits,
		Where: g.cfg.Secrets.Where(), Safe: g.cfg.Secrets.Safe(),
	}
	for _, k := range models.Kinds() {
		v.Kinds = append(v.Kinds, kindView(k))
	}
	return g.writePage(w, http.StatusOK, v)
}

// offered is a model as a page offers it.
type offered struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Marks string `json:"marks"`
}

// tested is what a place said when it was asked: whether it can be used, in words, and its models.
type tested struct {
	ID     string    `json:"id"`
	Name   string    `json:"name"`
	Works  bool      `json:"works"`
	Say    string    `json:"say"`
	Next   string    `json:"next,omitempty"`
	Models []offered `json:"models"`
}

// test asks a place which models it has.
func (g *Gateway) test(ctx context.Context, p models.Place, fresh bool) tested {
	out := tested{ID: p.ID, Name: p.Name, Models: []offered{}}
	list, err := g.models.List(ctx, p.ID, fresh)
	if err != nil {
		said := modelsProblem(err)
		out.Say, out.Next = said.Say, onPage(said.Next)
		return out
	}
	for _, c := range choices(p.ID, list) {
		out.Models = append(out.Models, offered{c.Name, c.Label, c.Marks()})
	}
	out.Works, out.Say = true, fmt.Sprintf("%s works: %d models.", p.Name, len(list))
	switch len(list) {
	case 0:
		out.Say, out.Next = p.Name+" answers, but has no model.", "Get one there, then test it again."
	case 1:
		out.Say = p.Name + " works: 1 model."
	}
	return out
}

// getModels answers {usual, places}: what a chat may choose from.
func (g *Gateway) getModels(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), listWithin)
	defer cancel()
	places := g.models.Places()
	out := struct {
		Usual  string   `json:"usual"`
		Places []tested `json:"places"`
	}{g.models.Name(g.models.Answers("")), make([]tested, len(places))}
	var all sync.WaitGroup
	for i, p := range places {
		all.Go(func() { out.Places[i] = g.test(ctx, p, false) })
	}
	all.Wait()
	writeJSON(w, http.StatusOK, out)
	return nil
}

// postPlace takes {kind, name, address, key}, adds the place and tests it at once. It never answers with the key.
func (g *Gateway) postPlace(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Kind    string `json:"kind"`
		Name    string `json:"name"`
		Address string `json:"address"`
		Key     string `json:"key"`
	}
	if err := readJSON(r, &in); err != nil {
		return err
	}
	if err := g.may(r, guard.Widens, "Models can be added"); err != nil {
		return err
	}
	p, err := g.models.Add(in.Kind, in.Name, in.Address, in.Key)
	if err != nil {
		return modelsProblem(err)
	}
	out := g.test(r.Context(), p, true)
	g.modelsChanged()
	writeJSON(w, http.StatusCreated, out)
	return nil
}

// postPlaceKey takes {key}: another key for a place.
func (g *Gateway) postPlaceKey(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Key string `json:"key"`
	}
	if err := readJSON(r, &in); err != nil {
		return err
	}
	if err := g.may(r, guard.Widens, "Keys can be changed"); err != nil {
		return err
	}
	return g.changeModels(w, g.models.SetKey(r.PathValue("id"), in.Key))
}

// postPlaceTest asks a place anew and answers what it said.
func (g *Gateway) postPlaceTest(w http.ResponseWriter, r *http.Request) error {
	if err := readJSON(r, &struct{}{}); err != nil {
		return err
	}
	for _, p := range g.models.Places() {
		if p.ID == r.PathValue("id") {
			out := g.test(r.Context(), p, true)
			g.modelsChanged()
			writeJSON(w, http.StatusOK, out)
			return nil
		}
	}
	return modelsProblem(models.ErrNoPlace)
}

// deletePlace removes a place and its key. That narrows, so proof is enough.
func (g *Gateway) deletePlace(w http.ResponseWriter, r *http.Request) error {
	return g.changeModels(w, g.models.Remove(r.PathValue("id")))
}

// postFindPlaces looks for servers on this computer and answers their names.
func (g *Gateway) postFindPlaces(w http.ResponseWriter, r *http.Request) error {
	if err := readJSON(r, &struct{}{}); err != nil {
		return err
	}
	kinds := g.models.Find(r.Context())
	g.found.set(kinds)
	names := []string{}
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	writeJSON(w, http.StatusOK, map[string][]string{"found": names})
	return nil
}

// choosing is the body of what chooses a model; the empty name is none.
type choosing struct {
	Model *string `json:"model"`
}

func (c choosing) name() (string, error) {
	if c.Model == nil {
		return "", problem(CodeInvalid, "It isn't said which model.", "Send model as a name, or as an empty one for none.")
	}
	return *c.Model, nil
}

// postUsual takes {model}: what answers in chats that name none.
func (g *Gateway) postUsual(w http.ResponseWriter, r *http.Request) error {
	var in choosing
	if err := readJSON(r, &in); err != nil {
		return err
	}
	name, err := in.name()
	if err != nil {
		return err
	}
	if err := g.may(r, guard.Widens, "The usual model can be chosen"); err != nil {
		return err
	}
	return g.changeModels(w, g.models.Choose(r.Context(), name, true))
}

// postChatModel takes {model}: what answers in a chat from its next message on.
func (g *Gateway) postChatModel(w http.ResponseWriter, r *http.Request) error {
	var in choosing
	if err := readJSON(r, &in); err != nil {
		return err
	}
	name, err := in.name()
	if err != nil {
		return err
	}
	c, err := g.store.Chat(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	if c.Client != "" {
		return chat.ErrReadOnly
	}
	if err := g.pickModel(r, name); err != nil {
		return err
	}
	if err := g.store.SetModel(r.Context(), c.ID, name); err != nil {
		return err
	}
	g.changed(c.ID)
	return noContent(w)
}

// pickModel refuses a chat's model that isn't there, or who may not choose it.
func (g *Gateway) pickModel(r *http.Request, name string) error {
	if err := g.may(r, guard.Widens, "A chat's model can be chosen"); err != nil {
		return err
	}
	if err := g.models.Choose(r.Context(), name, false); err != nil {
		return modelsProblem(err)
	}
	return nil
}

// postLimits takes {turn, day}, in dollars; 0 is no limit.
func (g *Gateway) postLimits(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Turn *float64 `json:"turn"`
		Day  *float64 `json:"day"`
	}
	if err := readJSON(r, &in); err != nil {
		return err
	}
	if in.Turn == nil || in.Day == nil {
		return problem(CodeInvalid, "It isn't said what the limits are.", "Send turn and day as numbers of dollars; 0 is no limit.")
	}
	if err := g.may(r, guard.Widens, "What it may cost can be changed"); err != nil {
		return err
	}
	return g.changeModels(w, g.models.SetLimits(models.Limits{Turn: *in.Turn, Day: *in.Day}))
}

// changeModels answers a change, and tells the pages also where only a part of it was done.
func (g *Gateway) changeModels(w http.ResponseWriter, err error) error {
	g.modelsChanged()
	if err != nil {
		return modelsProblem(err)
	}
	return noContent(w)
}

// modelsProblem puts what can't be done with a place into a page's words. The errors' own text goes nowhere, since an
// address or what a server wrote may hold a key.
func modelsProblem(err error) *Problem {
	if bad, ok := errors.AsType[*models.Bad](err); ok {
		return &Problem{Code: CodeInvalid, Say: bad.Say, Next: bad.Next, Err: errors.New("models refused it")}
	}
	if p, ok := errors.AsType[*engine.Problem](err); ok {
		return &Problem{Code: CodeUnavailable, Say: p.Say, Next: p.Next, Err: errors.New("the place can't be used now")}
	}
	if errors.Is(err, models.ErrNoPlace) {
		return &Problem{Code: CodeNotFound, Say: "That place isn’t here any more.", Next: "Load the page again.", Err: err}
	}
	if said := stateProblem(err); said != nil {
		return said
	}
	return problemOf(fmt.Errorf("models: %T", err))
}
