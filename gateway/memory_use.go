package gateway

import (
	"context"
	"errors"

	"conch/gateway/chat"
	"conch/gateway/computer"
	"conch/gateway/memory"
	"conch/gateway/tool"
	"conch/gateway/web"
)

// Whoever shows what Conch knows follows this topic.
const (
	topicMemory             = "memory"
	stateMemory stateChange = "memory"
)

func (g *Gateway) openMemory(ctx context.Context) (err error) {
	g.memory, err = memory.Open(ctx, g.store.DB(), memory.Options{Now: g.cfg.Now, Readers: g.store.Readers(), Changed: func() { g.publish(topicMemory, stateMemory) }})
	return err
}

// memoryTools are search_memory and suggest_memory, for chats and paired apps.
func (g *Gateway) memoryTools() []tool.Tool { return memory.Tools(g.memory, g.factFrom) }

// factFrom says which chat or app suggests something, and what it had read by then. A call of an app that has no
// turn names the app; that comes from the door, which knows who called.
func (g *Gateway) factFrom(ctx context.Context, c tool.Call) (memory.Source, error) {
	if c.Chat == "" && c.Client != "" {
		return memory.Source{Kind: memory.FromApp, ID: c.Client, Name: c.Client}, nil
	}
	one, err := g.store.Chat(ctx, c.Chat)
	if err != nil {
		return memory.Source{}, err
	}
	from := memory.Source{Kind: memory.FromChat, ID: one.ID, Name: one.Title}
	if one.Origin == chat.ByClient {
		from.Kind = memory.FromApp
	}
	read, err := g.store.Sources(ctx, c.Chat)
	if err != nil {
		return memory.Source{}, err
	}
	if len(read) > 0 {
		from.Read = readWords(read)
	}
	return from, nil
}

// readWords names what a chat has read: what is most telling first, and only one of it.
func readWords(sources []string) string {
	first := sources[0]
	for _, s := range sources {
		if s != computer.TaintSource {
			first = s
			break
		}
	}
	if len(sources) > 1 {
		return first + " and more"
	}
	return first
}

// memoryProblem puts what memory refuses into a page's words.
func memoryProblem(err error) error {
	no, ok := errors.AsType[*memory.Refusal](err)
	if !ok {
		return err
	}
	code := CodeInvalid
	switch no.Code {
	case memory.NotFound:
		code = CodeNotFound
	case memory.Known, memory.Full:
		code = CodeTooLate
	}
	// The words may be a fact's, which are for the page and not for the log.
	return &Problem{Code: code, Say: no.Say, Next: no.Next, Err: errors.New("memory refused it: " + string(no.Code))}
}

const (
	factsShown   = 200
	waitingShown = memory.WaitingMax
)

func (g *Gateway) memoryWaiting(ctx context.Context) (web.MemoryWaiting, error) {
	facts, err := g.memory.List(ctx, memory.Waiting, waitingShown)
	var v web.MemoryWaiting
	for _, f := range facts {
		w := web.WaitingFact{ID: f.ID, Text: f.Text, Read: f.Source.Read, Flags: memory.Flags(f.Text), At: f.Made.Local()}
		w.From = g.factSource(ctx, f.Source)
		v.Facts = append(v.Facts, w)
	}
	return v, err
}

// factSource is who a fact is from; a chat that is gone is named, and leads nowhere.
func (g *Gateway) factSource(ctx context.Context, from memory.Source) web.FactSource {
	v := web.FactSource{Name: from.Name}
	switch from.Kind {
	case memory.FromChat:
		v.Kind = web.FromChat
		if _, err := g.store.Chat(ctx, from.ID); err == nil {
			v.Chat = from.ID
		} else if !errors.Is(err, chat.ErrNoChat) {
			g.log.Warn("the chat of a suggestion could not be read", "err", err)
		}
	case memory.FromApp:
		v.Kind = web.FromApp
	default:
		v.Kind = web.FromYou
	}
	return v
}

func (g *Gateway) memoryFacts(ctx context.Context, query string) (web.MemoryFacts, error) {
	v := web.MemoryFacts{Query: query}
	total, err := g.memory.Count(ctx, memory.Kept)
	if err != nil {
		return v, err
	}
	facts, err := g.memory.Search(ctx, query, factsShown)
	v.Total = total
	for _, f := range facts {
		v.Facts = append(v.Facts, web.KnownFact{ID: f.ID, Text: f.Text, From: g.factSource(ctx, f.Source), Since: f.Changed.Local()})
	}
	return v, err
}

func (g *Gateway) memoryForgotten(ctx context.Context) (web.MemoryForgotten, error) {
	facts, err := g.memory.List(ctx, memory.Forgotten, factsShown)
	var v web.MemoryForgotten
	for _, f := range facts {
		until := f.Changed.Add(memory.UndoFor).Local()
		v.Facts = append(v.Facts, web.ForgottenFact{ID: f.ID, Text: f.Text, Refused: f.Was == memory.Waiting, Until: until})
	}
	return v, err
}

// memoryRow is the row in Settings.
func (g *Gateway) memoryRow(ctx context.Context) (web.MemoryRow, error) {
	kept, err := g.memory.Count(ctx, memory.Kept)
	if err != nil {
		return web.MemoryRow{}, err
	}
	waiting, err := g.memory.Count(ctx, memory.Waiting)
	return web.MemoryRow{Kept: kept, Waiting: waiting}, err
}

// assistantRows are the rows of Settings about what the assistant goes by.
func (g *Gateway) assistantRows(ctx context.Context) (web.Assistant, error) {
	known, err := g.memoryRow(ctx)
	return web.Assistant{Models: g.modelsRow(), Memory: known, Skills: g.skillsRow()}, err
}
