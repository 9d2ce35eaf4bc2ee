package engine

import "conch/gateway/tool"

// Model is one mind of a place. What isn't known is zero, and zero is the careful value: it doesn't see, its
// price isn't known, its transcript only grows.
type Model struct {
	ID     string // as the provider spells it
	Name   string // for a person
	Sees   bool   // takes pictures
	Tools  bool   // calls tools
	Window int    // of tokens, in and out
	MaxOut int    // of tokens in one answer
	// Picture is the largest picture that the model takes without making it smaller, since points in a picture that
	// was made smaller are off.
	Picture tool.Limits
	// Computer names the provider's own computer tool where the model takes one; empty: Conch's general tool.
	Computer string
	// Forgets says that pictures may be taken out of the transcript again. Some models refuse a transcript that
	// isn't the one they thought about.
	Forgets bool
	// OnGrid says that it names points by cells of a grid of 1000 by 1000 over the picture, as it was trained to,
	// whatever the picture's size. A provider's own computer tool does as that is documented.
	OnGrid bool
	Price  Price
	// Local says that it runs on this computer, so that nothing leaves it.
	Local bool
}

// Price is what a million tokens cost, in US dollars. Zero isn't known, unless the model is local.
type Price struct{ In, Out, CacheRead, CacheMade float64 }

// Cost is what a request cost in US dollars, and whether that is known.
func (m Model) Cost(u Usage) (dollars float64, known bool) {
	if u.By.ID != "" {
		m = u.By
	}
	if m.Local {
		return 0, true
	}
	p := m.Price
	if p.In == 0 && p.Out == 0 {
		return 0, false
	}
	fresh := max(u.In-u.CacheRead-u.CacheMade, 0)
	or := func(price, usual float64) float64 {
		if price == 0 {
			return usual
		}
		return price
	}
	return (float64(fresh)*p.In + float64(u.Out)*p.Out + float64(u.CacheRead)*or(p.CacheRead, p.In) +
		float64(u.CacheMade)*or(p.CacheMade, p.In)) / 1e6, true
}
