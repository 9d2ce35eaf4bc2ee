package mac

import (
	"errors"
	"strings"
	"unicode/utf8"
)

var (
	// ErrCancelled says that the person, or macOS, closed the question whether it's them.
	ErrCancelled = errors.New("you didn't confirm that it's you, so nothing was changed")
	// ErrNotYou says that neither finger nor password fitted.
	ErrNotYou = errors.New("that wasn't confirmed, so nothing was changed")
	// ErrNoNotices says that the person doesn't let Conch show notifications, or macOS doesn't.
	ErrNoNotices = errors.New("macOS shows no notifications of Conch")
)

// checkReason refuses a question without a reason: macOS would show the app's name alone, and LocalAuthentication
// raises an exception for an empty one, which text that isn't UTF-8 becomes.
func checkReason(reason string) error {
	if strings.TrimSpace(reason) == "" || strings.ContainsRune(reason, 0) || !utf8.ValidString(reason) {
		return errors.New("the person has to be told what will change")
	}
	return nil
}

// LoginState is whether Conch starts at login.
type LoginState int

// Whether Conch starts at login. What macOS doesn't say counts as off.
const (
	LoginOff LoginState = iota
	LoginOn
	LoginWaits // it wants the person's approval in System Settings, General, Login Items
	LoginNever // it can't: Conch isn't an app that macOS knows
)

// loginState reads SMAppServiceStatus.
func loginState(status int) LoginState {
	switch status {
	case 1:
		return LoginOn
	case 2:
		return LoginWaits
	case 3:
		return LoginNever
	}
	return LoginOff
}

func loginError(say string) error {
	return errors.New("macOS didn't change whether Conch starts at login: " + say +
		". Sign Conch.app and keep it in Applications, then try again, or use System Settings, General, Login Items.")
}
