package gateway

import (
	"context"
	"errors"
	"fmt"

	"conch/gateway/ask"
	"conch/gateway/chat"
	"conch/gateway/hub"
)

// Topics of the hub beside the chats' ids.
const (
	topicRail     = "rail"     // the list of chats and the status
	topicSettings = "settings" // the switch, the allowed apps, the screen
)

// stateChange says which part of the state is different now. Whoever shows that part reads it again.
type stateChange string

const (
	stateRail     stateChange = "rail"
	stateChat     stateChange = "chat"     // a turn began or ended, or the mode changed
	stateLive     stateChange = "live"     // the live card
	stateAsking   stateChange = "asking"   // the questions of a chat
	stateCost     stateChange = "cost"     // what a chat has cost
	stateSettings stateChange = "settings" // what the settings' pages show
)

// logged hands out an event that was written to the log.
func (g *Gateway) logged(e chat.Event) {
	g.hub.Publish(hub.Event{Topic: e.Chat, Seq: e.Seq, Data: e})
	g.tellActivity(e)
}

func (g *Gateway) liveText(chatID string, t chat.LiveText) {
	key := "text"
	if t.Doing {
		key = "doing" // it doesn't take the place of words that nobody has seen yet
	}
	g.hub.Publish(hub.Event{Topic: chatID, Key: key, Data: t})
}

func (g *Gateway) publish(topic string, what stateChange) {
	g.hub.Publish(hub.Event{Topic: topic, Key: string(what), Data: what})
}

// changed says that a chat's turn, mode or place in the list is another now.
func (g *Gateway) changed(chatID string) {
	g.publish(chatID, stateChat)
	g.publish(topicRail, stateRail)
}

func (g *Gateway) settingsChanged() {
	g.publish(topicSettings, stateSettings)
	if g.cfg.ToolsChanged != nil {
		g.cfg.ToolsChanged()
	}
}

// lingers says that a question may still be answered once it was given up: nobody said anything in time, or the app
// that asked went away. What the person stopped stays stopped.
func lingers(c ask.Change) bool {
	return c.Reason == ask.Expired || c.Reason == ask.Ended && errors.Is(c.Cause, chat.ErrHungUp)
}

// asked writes a question and its answer to the chat's log and tells the pages.
func (g *Gateway) asked(c ask.Change) {
	q := c.Question
	e := chat.Event{Chat: q.Chat, Turn: q.Turn, ID: q.ID}
	switch {
	case !c.Done:
		e.Kind, e.Text, e.More, e.App, e.Always = chat.KindAsked, q.Title, q.Why, q.App, q.Always
	case c.Reason == ask.Unseen:
		e.Kind, e.Text = chat.KindNote, fmt.Sprintf("“%s” was answered with no, since nobody could see it.", q.Title)
		e.More = "Keep this page open, then send that again."
	default:
		e.Kind, e.State, e.Text, e.App = chat.KindAnswered, c.Choice.String(), q.Title, q.App
		switch {
		case c.Reason == ask.Ended && errors.Is(c.Cause, chat.ErrStopped):
			e.State = chat.AnswerStopped
		case c.Reason == ask.Ended:
			e.State = chat.AnswerEnded
		case c.Reason == ask.Late:
			e.State, e.More = c.Choice.String(), "It was answered late: when the same is asked again within ten minutes, it goes by this."
		case c.Reason == ask.Before:
			e.More = "You answered that before."
		case c.Reason != ask.Answered:
			e.State = chat.AnswerExpired
		}
		if c.KeepErr != nil {
			g.log.Error("an always could not be kept", "err", c.KeepErr)
			e.More = "It goes ahead this once. Always could not be remembered, because Conch couldn't write its settings."
		}
	}
	if _, err := g.store.Append(context.Background(), e); err != nil {
		g.log.Error("a question could not be written down", "err", err)
	}
	g.publish(q.Chat, stateAsking)
	g.publish(topicRail, stateRail)
	g.lateEnds(c)
	if c.Choice == ask.Always {
		g.settingsChanged()
	}
}
