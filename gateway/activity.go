package gateway

import (
	"context"

	"conch/gateway/chat"
	"conch/gateway/guard"
	"conch/gateway/web"
)

// activity is what was done and decided, newest first.
func (g *Gateway) activity(ctx context.Context) (web.ActivityList, error) {
	events, err := g.store.Done(ctx, activityMax)
	if err != nil {
		return web.ActivityList{}, err
	}
	titles := map[string]string{}
	now := g.cfg.Now()
	var list web.ActivityList
	for _, e := range events {
		entry, ok := activityEntry(e)
		if !ok {
			continue
		}
		title, known := titles[e.Chat]
		if !known {
			if c, err := g.store.Chat(ctx, e.Chat); err == nil {
				title = c.Title
			}
			titles[e.Chat] = title
		}
		entry.ID, entry.At, entry.Chat, entry.Title = seqID(e), e.At.Local(), e.Chat, title
		day := dayName(e.At, now)
		if n := len(list.Days); n == 0 || list.Days[n-1].Name != day {
			list.Days = append(list.Days, web.ActivityDay{Name: day})
		}
		last := &list.Days[len(list.Days)-1]
		last.Entries = append(last.Entries, entry)
	}
	return list, nil
}

// activityEntry says one event in a person's words. What ended well and nobody decided about isn't listed.
func activityEntry(e chat.Event) (web.ActivityEntry, bool) {
	switch e.Kind {
	case chat.KindStepDone:
		// What did not go ahead says why by itself. The rule's name is what a person quotes when they ask.
		entry := web.ActivityEntry{Text: e.Text, More: e.More, State: stepState(e.State), Rule: e.Rule}
		if e.State != chat.StateRefused {
			entry.Why = guard.Why(e.Rule)
		}
		return entry, true
	case chat.KindAsked:
		return web.ActivityEntry{Text: "Asked: " + e.Text, More: e.More, State: web.StepDone}, true
	case chat.KindAnswered:
		return web.ActivityEntry{Text: answerText(e.State), More: e.More, State: web.StepDone}, true
	case chat.KindEnded:
		if e.State == chat.StateDone {
			return web.ActivityEntry{}, false
		}
		return web.ActivityEntry{Text: e.Text, More: e.More, State: stepState(e.State)}, true
	}
	return web.ActivityEntry{}, false
}

func answerText(state string) string {
	switch web.Choice(state) {
	case web.ChoiceOnce:
		return "You allowed it once."
	case web.ChoiceAlways:
		return "You always allow it."
	case web.ChoiceNo:
		return "You said no."
	default:
		return "Nobody answered, so it was no."
	}
}
