package main

import (
	"context"
	_ "embed"
	"sync"

	"fyne.io/systray"
)

// trayIcon is the shell in the menu bar in colour, 44 pixels square: for menu bars that draw it as it is.
//
//go:embed icon.png
var trayIcon []byte

// menuDo is what the menu needs of the program.
type menuDo struct {
	// Press does what an item is for. It returns at once.
	Press func(do)
	// Watch calls with the facts as they are and each time that they change, until ctx ends.
	Watch func(context.Context, func(menuFacts))
}

// tray draws the menu with systray and keeps it as the value says.
type tray struct {
	press func(do)

	mu    sync.Mutex
	drawn []menuItem
	items []shown
}

// shown is an item as it is drawn; nil for a separator.
type shown struct {
	*systray.MenuItem
	sub []*systray.MenuItem
}

// fillMenu draws the menu and follows what is pressed and what happens, until ctx ends. It waits for nothing.
func fillMenu(ctx context.Context, m menuDo) {
	t := &tray{press: m.Press}
	t.show(ctx, menuOf(menuFacts{}))
	go m.Watch(ctx, func(f menuFacts) {
		t.show(ctx, menuOf(f))
		systray.SetTooltip("Conch: " + menuLine(f.Status))
	})
}

func (t *tray) show(ctx context.Context, menu []menuItem) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, want := range menu {
		if i == len(t.drawn) {
			t.items = append(t.items, t.add(ctx, want))
			t.drawn = append(t.drawn, want)
			continue
		}
		change(t.items[i].MenuItem, t.drawn[i], want)
		for n, sub := range t.items[i].sub {
			change(sub, t.drawn[i].Sub[n], want.Sub[n])
		}
		t.drawn[i] = want
	}
}

func (t *tray) add(ctx context.Context, want menuItem) shown {
	if want.Title == "" {
		systray.AddSeparator()
		return shown{}
	}
	var item *systray.MenuItem
	if want.Box {
		item = systray.AddMenuItemCheckbox(want.Title, want.About, want.Checked)
	} else {
		item = systray.AddMenuItem(want.Title, want.About)
	}
	t.ready(ctx, item, want)
	out := shown{MenuItem: item}
	for _, sub := range want.Sub {
		one := item.AddSubMenuItem(sub.Title, sub.About)
		t.ready(ctx, one, sub)
		out.sub = append(out.sub, one)
	}
	return out
}

// ready has an item that was drawn do what it is for.
func (t *tray) ready(ctx context.Context, item *systray.MenuItem, want menuItem) {
	if want.Off {
		item.Disable()
	}
	if want.Hidden {
		item.Hide()
	}
	if want.Do != "" {
		// Each item has a listener of its own, since a press that nobody waits for is lost.
		go func() {
			for {
				select {
				case <-item.ClickedCh:
					t.press(want.Do)
				case <-ctx.Done():
					return
				}
			}
		}()
	}
}

// change tells the menu bar only what is different.
func change(item *systray.MenuItem, was, want menuItem) {
	if item == nil {
		return
	}
	if was.Title != want.Title {
		item.SetTitle(want.Title)
	}
	if was.About != want.About {
		item.SetTooltip(want.About)
	}
	switch {
	case was.Hidden && !want.Hidden:
		item.Show()
	case !was.Hidden && want.Hidden:
		item.Hide()
	}
	switch {
	case was.Off && !want.Off:
		item.Enable()
	case !was.Off && want.Off:
		item.Disable()
	}
	switch {
	case !was.Checked && want.Checked:
		item.Check()
	case was.Checked && !want.Checked:
		item.Uncheck()
	}
}
