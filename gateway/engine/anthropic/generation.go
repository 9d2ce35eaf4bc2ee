package anthropic

import (
	"regexp"
	"slices"
	"strconv"

	"conch/gateway/engine"
	"conch/gateway/tool"
)

// traits are what the engine must know of a model beyond engine.Model.
type traits struct {
	adaptive bool // takes thinking of its own measure
	clears   bool // the API leaves out older tool results when asked
}

// generation is a model's line and number, read from its name: claude-opus-4-8 is opus 48. It is what is known of a
// model before the API was asked, or where the API doesn't say: /v1/models tells sizes, pictures, thinking and
// clearing, and nothing of computer tools.
type generation struct {
	line    string
	version int // 0: not known
}

var modelName = regexp.MustCompile(`^claude-(haiku|sonnet|opus|fable|mythos)-(\d{1,2})(?:-(\d))?(?:-\d{8})?$`)

func generationOf(id string) generation {
	m := modelName.FindStringSubmatch(id)
	if m == nil {
		return generation{}
	}
	major, _ := strconv.Atoi(m[2]) // digits only
	minor, _ := strconv.Atoi("0" + m[3])
	return generation{m[1], major*10 + minor}
}

// at says whether a model is of one of these lines and at least of a version. Without lines, of any.
func (g generation) at(version int, lines ...string) bool {
	return g.version >= version && (len(lines) == 0 || slices.Contains(lines, g.line))
}

// binds says that the model's thinking holds only for the very transcript that it was thought in: Fable and Mythos
// from 5.1, and all from 5.5 on.
func (g generation) binds() bool { return g.at(51, "fable", "mythos") || g.at(55) }

// computer is the newest of Anthropic's own computer tools that a model takes (Anthropic, "Computer use tool",
// November 2026). From 5.5 on the older ones are refused.
func (g generation) computer() string {
	switch {
	case g.at(50, "fable", "mythos", "sonnet"), g.at(48, "opus"), g.at(55):
		return toolset
	case g.at(45, "opus"), g.at(46, "sonnet"):
		return computer2511
	case g.at(40, "opus", "sonnet"), g.at(45, "haiku"):
		return computer2501
	}
	return ""
}

// Pictures are measured in tiles, and have a longest edge. With more than 20 in a request no edge may be over 2000
// pixels, so none of ours is.
const (
	tile       = 28
	smallTiles = 1568
	smallEdge  = 1568
	largeTiles = 4784
	largeEdge  = 2000
)

// picture is the largest picture that a model looks at as it is.
func (g generation) picture() tool.Limits {
	if g.at(47, "opus") || g.computer() == toolset {
		return tool.Limits{Edge: largeEdge, Tile: tile, Tiles: largeTiles}
	}
	return tool.Limits{Edge: smallEdge, Tile: tile, Tiles: smallTiles}
}

func (g generation) traits() traits { return traits{adaptive: g.at(46), clears: g.at(40)} }

// price is a row of the price list.
type price struct {
	line     string
	from, to int // versions
	price    engine.Price
	// long is what a prompt of more than longFrom tokens costs instead, where that is more.
	long     engine.Price
	longFrom int
}

// prices are US dollars for a million tokens, with a cache of five minutes: Anthropic's list at
// platform.claude.com/docs/en/about-claude/pricing and its models' own pages, as they stood in November 2026. A model
// that isn't here has no known price.
var prices = []price{
	{line: "fable", from: 51, to: 52, price: engine.Price{In: 10, Out: 50, CacheRead: 0.25, CacheMade: 12.5}},
	{line: "mythos", from: 51, to: 52, price: engine.Price{In: 10, Out: 50, CacheRead: 0.25, CacheMade: 12.5}},
	{line: "fable", from: 50, to: 50, price: engine.Price{In: 10, Out: 50, CacheRead: 1, CacheMade: 12.5}},
	{line: "mythos", from: 50, to: 50, price: engine.Price{In: 10, Out: 50, CacheRead: 1, CacheMade: 12.5}},
	{line: "opus", from: 55, to: 55, price: engine.Price{In: 4, Out: 20, CacheRead: 0.2, CacheMade: 5}},
	{line: "opus", from: 45, to: 50, price: engine.Price{In: 5, Out: 25, CacheRead: 0.5, CacheMade: 6.25}},
	{line: "sonnet", from: 50, to: 55, price: engine.Price{In: 2, Out: 10, CacheRead: 0.2, CacheMade: 2.5}},
	{line: "sonnet", from: 45, to: 46, price: engine.Price{In: 3, Out: 15, CacheRead: 0.3, CacheMade: 3.75}},
	{
		line: "haiku", from: 55, to: 55, price: engine.Price{In: 0.1, Out: 0.5, CacheRead: 0.01, CacheMade: 0.125},
		long: engine.Price{In: 0.5, Out: 2.5, CacheRead: 0.05, CacheMade: 0.625}, longFrom: 100_000,
	},
	{line: "haiku", from: 45, to: 45, price: engine.Price{In: 1, Out: 5, CacheRead: 0.1, CacheMade: 1.25}},
}

func priceOf(id string) (price, bool) {
	g := generationOf(id)
	for _, p := range prices {
		if p.line == g.line && g.version >= p.from && g.version <= p.to {
			return p, true
		}
	}
	return price{}, false
}

// longPrice is the higher price of a long prompt, if this one is.
func longPrice(id string, in int) (engine.Price, bool) {
	p, ok := priceOf(id)
	return p.long, ok && p.longFrom > 0 && in > p.longFrom
}
