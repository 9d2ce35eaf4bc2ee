package main

import (
	"context"
	_ "embed"
)

// trayIcon is the shell in the menu bar, 44 pixels square.
//
//go:embed icon.png
var trayIcon []byte

// menuState is what the menu shows of the program.
type menuState struct {
	Line    string // "Conch is using Mousepad", "Ready"
	CanStop bool
}

// menuDo is what the menu can do. Each returns at once.
type menuDo struct {
	Stop  func()
	Open  func(page string)
	Quit  func()
	Watch func(context.Context, func(menuState)) // calls with each new state until ctx ends
}
