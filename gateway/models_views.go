package gateway

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"conch/gateway/chat"
	"conch/gateway/engine"
	"conch/gateway/models"
	"conch/gateway/web"
)

// Whoever shows the models follows this topic.
const (
	topicModels             = "models"
	stateModels stateChange = "models"
)

// modelsChanged says that the places or what is chosen is another now. Open chats show what answers, so they follow.
func (g *Gateway) modelsChanged() { g.publish(topicModels, stateModels) }

// finding remembers which servers were found on this computer. The zero value has found none.
type finding struct {
	mu    sync.Mutex
	kinds []models.Kind
}

func (f *finding) set(kinds []models.Kind) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kinds = kinds
}

func (f *finding) get() []models.Kind {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.kinds)
}

// modelParts are the live parts of Settings → Models.
func (g *Gateway) modelParts(ctx context.Context) ([]web.PartView, error) {
	limits, err := g.limitsView(ctx)
	return []web.PartView{g.placesView(), g.foundView(), g.usualView(), limits}, err
}

func (g *Gateway) placesView() web.ModelPlaces {
	var v web.ModelPlaces
	if err := g.models.Problem(); err != nil {
		v.Problem = problemOf(err).Error()
		return v
	}
	for _, p := range g.models.Places() {
		k, _ := models.KindOf(p.Kind)
		one := web.ModelPlace{ID: p.ID, Name: p.Name, Kind: k.Name, At: p.Base, Key: k.Key, Program: k.Program != "", State: web.PlaceNew}
		if one.At == "" {
			one.At = k.Base
		}
		if last, asked := g.models.Last(p.ID); asked {
			one.State, one.Models = web.PlaceWorks, len(last.Models)
			if last.Problem != nil {
				one.State, one.Say, one.Next = web.PlaceWrong, last.Problem.Say, onPage(last.Problem.Next)
			}
		}
		if lacks := k.Missing(); lacks != nil {
			one.State, one.Say, one.Next = web.PlaceWrong, lacks.Say, lacks.Next
		}
		v.Places = append(v.Places, one)
	}
	return v
}

// onPage is what to do next, for who looks at Settings → Models already.
func onPage(next string) string {
	return strings.NewReplacer(" in Settings → Models", " here", " into Settings → Models", " here").Replace(next)
}

func (g *Gateway) foundView() web.ModelsFound {
	var v web.ModelsFound
	for _, k := range g.found.get() {
		if !g.models.Has(k) {
			v.Kinds = append(v.Kinds, kindView(k))
		}
	}
	return v
}

func kindView(k models.Kind) web.ModelKind {
	v := web.ModelKind{ID: k.ID, Name: k.Name, Keys: k.Keys, Key: k.Key, Own: k.Own, Base: k.Base, Program: k.Program != ""}
	if lacks := k.Missing(); lacks != nil {
		v.Missing = lacks.Say + " " + lacks.Next
	}
	return v
}

// usualView lists what may be chosen: the models of each place as it said last, and the one that is chosen.
func (g *Gateway) usualView() web.ModelUsual {
	v := web.ModelUsual{Now: g.models.Default()}
	for _, p := range g.models.Places() {
		v.Places++
		last, _ := g.models.Last(p.ID)
		group := web.ModelGroup{Place: p.Name, Choices: choices(p.ID, last.Models)}
		if one, known := g.models.Known(v.Now); known && len(group.Choices) == 0 && models.PlaceOf(v.Now) == p.ID {
			group.Choices = choices(p.ID, []engine.Model{one})
		}
		if len(group.Choices) > 0 {
			v.Groups = append(v.Groups, group)
		}
	}
	return v
}

func choices(place string, list []engine.Model) []web.ModelChoice {
	var out []web.ModelChoice
	for _, m := range list {
		c := web.ModelChoice{Name: place + "/" + m.ID, Label: m.Name, Sees: m.Sees, Tools: m.Tools, Local: m.Local, In: m.Price.In, Out: m.Price.Out}
		if c.Label == "" {
			c.Label = m.ID
		}
		out = append(out, c)
	}
	return out
}

func (g *Gateway) limitsView(ctx context.Context) (web.ModelLimits, error) {
	now := g.cfg.Now().Local()
	today, err := g.store.SpentSince(ctx, time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location()))
	l := g.models.Limits()
	return web.ModelLimits{Turn: l.Turn, Day: l.Day, Today: spentView(today)}, err
}

func spentView(s chat.Spent) web.Spent {
	return web.Spent{Dollars: s.Dollars, Requests: s.Requests, Unknown: s.Unknown}
}

// costView is what a chat has cost, and its last reply.
func (g *Gateway) costView(ctx context.Context, id string) (web.ChatCost, error) {
	all, err := g.store.SpentIn(ctx, id, "")
	if err != nil {
		return web.ChatCost{}, err
	}
	last, err := g.store.SpentLast(ctx, id)
	return web.ChatCost{Chat: spentView(all), Last: spentView(last)}, err
}

// modelsRow is the row in Settings.
func (g *Gateway) modelsRow() web.ModelsRow {
	return web.ModelsRow{Places: len(g.models.Places()), Usual: g.models.Name(g.models.Answers(""))}
}

// modelParts are the parts of a socket's page that say what answers, and what it cost.
func (s *socket) modelParts(ctx context.Context, what stateChange) ([]web.PartView, error) {
	if s.chat == "" {
		return s.g.pageParts(ctx, s.page, what)
	}
	if what == stateCost {
		cost, err := s.g.costView(ctx, s.chat)
		return []web.PartView{cost}, err
	}
	c, err := s.g.store.Chat(ctx, s.chat)
	return []web.PartView{s.g.composer(c)}, err
}

// live shows what an answer waits for, or the words that came.
func (s *socket) live(t chat.LiveText) error {
	if t.Doing {
		s.doing = t.Text != ""
		return s.replace(web.Doing{Say: t.Text}, 0)
	}
	if err := s.goesOn(); err != nil {
		return err
	}
	return s.append(web.IDStream, web.Message{ID: t.ID, Who: web.ByConch, Text: t.Text, At: s.g.cfg.Now().Local()}, 0)
}

// goesOn takes away what an answer waited for.
func (s *socket) goesOn() error {
	if !s.doing {
		return nil
	}
	s.doing = false
	return s.replace(web.Doing{}, 0)
}
