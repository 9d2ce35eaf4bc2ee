package gateway

import (
	"context"
	"errors"

	"conch/gateway/chat"
	"conch/gateway/engine"
)

// pick says what thinks for a chat's turn.
func (g *Gateway) pick(ctx context.Context, id string) (chat.Mind, error) {
	if g.cfg.Minds == nil {
		return chat.Mind{Engine: g.cfg.Engine}, nil
	}
	c, err := g.store.Chat(ctx, id)
	if err != nil {
		return chat.Mind{}, err
	}
	mind, err := g.cfg.Minds.Pick(ctx, c)
	if errors.Is(err, ErrNoMind) {
		return chat.Mind{Engine: g.cfg.Engine}, nil
	}
	return mind, err
}

// used writes down what a request took, and ends the turn where it went over what the person set.
func (g *Gateway) used(ctx context.Context, id, turn string, m engine.Model, u engine.Usage) error {
	by := m
	if u.By.ID != "" {
		by = u.By
	}
	dollars, known := m.Cost(u)
	err := g.store.Use(ctx, chat.Usage{
		Chat: id, Turn: turn, Model: by.ID, In: u.In, Out: u.Out, CacheRead: u.CacheRead, CacheMade: u.CacheMade,
		Dollars: dollars, Known: known,
	})
	if err != nil {
		g.log.Error("what a request took could not be written down", "turn", turn, "err", err)
	}
	g.publish(id, stateCost)
	if g.cfg.Minds == nil {
		return nil
	}
	return g.cfg.Minds.Use(ctx, id, turn, m, u)
}
