package computer

import (
	"context"
	"log/slog"
	"time"

	"conch/driver"
	"conch/gateway/ask"
	"conch/gateway/computer/policy"
	"conch/gateway/guard"
)

// Edge shows on the screen itself that the computer is in use, with Stop one press away.
type Edge interface {
	// Light lights the edge for a turn. An error says in one sentence why it can't be seen.
	Light(ctx context.Context, turn, label string) error
	// Step says what the turn is doing now.
	Step(turn, label string)
	// Dark darkens the edge once the turn has let go. Calling it again is free.
	Dark(turn string)
}

// Asker puts a question to the person and waits. ask.Desk is one.
type Asker interface {
	Put(context.Context, ask.Question) ask.Choice
}

// Settings is the person's own choice, read again at each step. state.ComputerUse is one. A Settings that also has
// Pauses() bool says whether the person's mouse and keyboard pause the chat's; without it they do.
type Settings interface {
	On() bool
	Allowed(driver.AppID) bool
	Allow(id driver.AppID, name string) error
}

// Chats is what the computer needs to know of a chat. A Chats that also has Title(chat string) string lets
// another chat be told which one holds the computer.
type Chats interface {
	// Turn is what the guard needs to know of a chat: who began its turn, its mode, what it has read, and whether
	// somebody is there who can press Stop. It is read again for each judgement.
	Turn(chat string) guard.Turn
	// Taint notes with the chat that it read a source, once.
	Taint(ctx context.Context, chat, source string) error
}

// TaintSource is what every step notes with its chat.
const TaintSource = "what was on your screen"

// What a duration is when Config doesn't say.
const (
	// Quiet is how long nothing may change for the screen to count as still.
	Quiet = 100 * time.Millisecond
	// First is how long the first change after an action is waited for.
	First = 300 * time.Millisecond
	// Cap is how long a screen is waited for that never gets still.
	Cap = 2 * time.Second
	// Dry is how long after windows moved a driver may still paint over parts of allowed ones, since they could hold a
	// kept-away window's pixels (driver/x11: a new window begins as a copy of the screen below it).
	Dry = 350 * time.Millisecond
	// Limit is how long one call of the driver may take.
	Limit = 10 * time.Second
	// Steps is how many steps a turn has, refused ones counted.
	Steps = 60
)

// Config is what a Computer needs. Without Driver, Settings or Chats everything is refused; without Asker every
// question is a No.
type Config struct {
	Driver   driver.Driver
	Edge     Edge
	Asker    Asker
	Settings Settings
	Chats    Chats
	// Watcher hears the person, so that a turn pauses when they take the mouse or keyboard; nil hears nobody.
	Watcher driver.Watcher

	// EdgeRequired refuses to use the computer when the edge can't be shown.
	EdgeRequired bool
	// Own tells Conch's own folder and files, read again for each judgement, so that a new file is kept away by being
	// there. nil knows the usual folder.
	Own func() policy.Own
	// Desktop says whose key chords are judged; the zero value is the strictest.
	Desktop policy.Desktop

	Quiet, First, Cap, Dry, Limit time.Duration // 0 is the constant of the same name
	Steps                         int           // 0 is Steps

	// Log is told each step's action, rule and end, and nothing of what is on the screen; nil drops it.
	Log *slog.Logger
	// OnLive is told when Live of a chat changed; may be nil. It must not block.
	OnLive func(chat string)
}

func (c Config) filled() Config {
	or := func(d *time.Duration, usual time.Duration) {
		if *d <= 0 {
			*d = usual
		}
	}
	or(&c.Quiet, Quiet)
	or(&c.First, First)
	or(&c.Cap, Cap)
	or(&c.Dry, Dry)
	or(&c.Limit, Limit)
	if c.Steps <= 0 {
		c.Steps = Steps
	}
	if c.Settings == nil {
		c.Settings = closed{}
	}
	if c.Chats == nil {
		c.Chats = closed{}
	}
	if c.Asker == nil {
		c.Asker = closed{}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Own == nil {
		c.Own = func() policy.Own { return policy.Own{} }
	}
	if c.OnLive == nil {
		c.OnLive = func(string) {}
	}
	return c
}

// closed is what stands in for a part that isn't there: off, nobody, no.
type closed struct{}

func (closed) On() bool                                     { return false }
func (closed) Allowed(driver.AppID) bool                    { return false }
func (closed) Allow(driver.AppID, string) error             { return errNoSettings }
func (closed) Turn(string) guard.Turn                       { return guard.Turn{ReadOutside: true} }
func (closed) Taint(context.Context, string, string) error  { return errNoSettings }
func (closed) Put(context.Context, ask.Question) ask.Choice { return ask.No }
