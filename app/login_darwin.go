package main

import (
	"conch/driver/mac"
)

// loginService is Conch among macOS's login items.
type loginService struct{}

// State asks macOS.
func (loginService) State() loginState {
	switch mac.LoginItem() {
	case mac.LoginOn:
		return loginOn
	case mac.LoginWaits:
		return loginWaits
	case mac.LoginNever:
		return loginUnknown
	case mac.LoginOff:
	}
	return loginOff
}

// Set asks macOS, then looks what came of it: macOS may want the person's approval first, which the menu says.
func (l loginService) Set(on bool) error {
	if err := mac.SetLoginItem(on); err != nil {
		return err
	}
	switch s := l.State(); {
	case on && (s == loginOn || s == loginWaits), !on && s == loginOff:
		return nil
	}
	return &said{Say: "macOS took the change and shows it as it was.", Next: "Look in System Settings, General, Login Items."}
}
