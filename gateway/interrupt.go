package gateway

import "context"

// Interrupt stops one turn and returns once it has ended, or with ctx's error; it says whether the turn ran.
// A turn that has ended already is left as it is.
func (g *Gateway) Interrupt(ctx context.Context, turn string) (was bool, err error) {
	return g.runner.Interrupt(ctx, turn)
}
