package gateway

import (
	"context"
	"errors"

	"conch/gateway/chat"
	"conch/gateway/engine"
	"conch/gateway/models"
)

// pick says what thinks for a chat's turn: the model that the person chose, or, without any, the engine that needs
// none.
func (g *Gateway) pick(ctx context.Context, id string) (chat.Mind, error) {
	c, err := g.store.Chat(ctx, id)
	if err != nil {
		return chat.Mind{}, err
	}
	mind, err := g.models.Pick(ctx, c)
	if errors.Is(err, models.ErrNone) {
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
	return g.models.Used(ctx, id, turn)
}
