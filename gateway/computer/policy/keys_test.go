package policy

import (
	"strings"
	"testing"

	"conch/driver/key"
)

// One line: what a model may write, and the refusal's name on each desktop ("-" is pressed).
const chords = `
super+Escape            stop      stop
cmd+esc                 stop      stop
⌘⎋                      stop      stop
ctrl+super+Escape       stop      stop
Super_L-Escape          stop      stop
meta + esc              stop      stop
shift+win+escape        stop      stop
cmd+option+esc          stop      stop
super+Cancel            stop      stop
Escape                  -         -
shift+Escape            -         -
ctrl+alt+Escape         force-quit force-quit
super+l                 lock      -
⌘L                      lock      -
ctrl+alt+l              lock      -
ctrl-alt-L              lock      -
ctrl+cmd+q              sign-out  lock
⌃⌘Q                     sign-out  lock
cmd+q                   -         -
cmd+shift+q             sign-out  sign-out
cmd+shift+option+q      sign-out  sign-out
ctrl+alt+Delete         sign-out  sign-out
ctrl-alt-del            sign-out  sign-out
alt+ctrl+KP_Delete      sign-out  sign-out
ctrl+alt+numpad_decimal sign-out  sign-out
ctrl+alt+shift+pgdn     sign-out  sign-out
power                   sign-out  sign-out
XF86Sleep               sign-out  sign-out
logout                  sign-out  sign-out
lockscreen              lock      lock
shift+Delete            delete-for-good delete-for-good
shift+KP_Delete         delete-for-good delete-for-good
⌘⇧⌫                     -         delete-for-good
cmd+alt+BackSpace       -         delete-for-good
cmd+alt+shift+BackSpace -         delete-for-good
Delete                  -         -
cmd+BackSpace           -         -
shift+BackSpace         -         -
cmd+space               launcher  launcher
alt+cmd+space           launcher  launcher
super                   launcher  -
win                     launcher  -
ctrl+super              launcher  -
alt+F2                  launcher  -
alt+space               launcher  -
super+r                 launcher  -
super+d                 launcher  -
ctrl+Escape             launcher  -
XF86Search              launcher  launcher
ctrl+alt+t              terminal  -
ctrl-alt-T              terminal  -
super+Return            terminal  -
super+KP_Enter          terminal  -
ctrl+alt+F1             console   console
ctrl+alt+F12            console   console
ctrl+alt+shift+F7       console   console
ctrl+alt+BackSpace      console   console
alt+SysRq               console   console
alt+PrintScreen         console   console
SysRq                   console   console
ctrl+alt+е              foreign-letter foreign-letter
super+ф                 foreign-letter foreign-letter
ctrl+ф                  -         -
ctrl+s                  -         -
cmd+s                   -         -
ctrl+shift+t            -         -
cmd+shift+t             terminal  -
alt+F4                  -         -
alt+Tab                 -         -
ctrl+alt+Left           -         -
F2                      -         -
ctrl+Delete             -         -
Return                  -         -
a                       -         -
é                       -         -
shift                   -         -
Page_Down               -         -
`

func TestRefusedKey(t *testing.T) {
	n := 0
	for line := range strings.Lines(chords) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		c, err := key.Parse(strings.Join(f[:len(f)-2], " "))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		linux, mac := f[len(f)-2], f[len(f)-1]
		for on, want := range map[Desktop]string{Linux: linux, Mac: mac} {
			got, bad := RefusedKey(c, on)
			if !bad {
				got.Name = "-"
			}
			if got.Name != want || bad && got.Say == "" {
				t.Errorf("%s on %d: %q, want %q", c, on, got.Name, want)
			}
		}
		if _, bad := RefusedKey(c, AnyDesktop); bad != (linux != "-" || mac != "-") {
			t.Errorf("%s on an unknown desktop: refused %v", c, bad)
		}
		n++
	}
	if n < 70 {
		t.Errorf("only %d chords read", n)
	}
}

// Every row decides for a chord that Parse can give, and its keys are known.
func TestChordRows(t *testing.T) {
	for _, r := range chordRows {
		if r.why.Name == "" || r.why.Say == "" {
			t.Errorf("%q says nothing", r.keys)
		}
		for _, name := range strings.Fields(r.keys) {
			if name == "F*" {
				name = "F5"
			}
			c := key.Chord{Mods: r.mods &^ key.Key(name).Mod(), Key: key.Key(name)}
			if !c.Key.Known() {
				t.Errorf("no key is called %q, so this row refuses nothing", name)
			}
			if _, bad := RefusedKey(c, r.on); !bad {
				t.Errorf("%s is pressed", c)
			}
		}
	}
}

func TestUnknownKeysAreRefused(t *testing.T) {
	for _, c := range []key.Chord{{}, {Key: "Nonsense"}, {Key: "A"}, {Mods: 0x80, Key: "a"}, {Key: "\x1b"}} {
		if got, bad := RefusedKey(c, Linux); !bad || got != refuseUnknown {
			t.Errorf("%q: %+v %v", c.Key, got, bad)
		}
	}
}

// Whatever else is held and however it is spelled, Escape is never pressed with Super.
func FuzzStopKeys(f *testing.F) {
	f.Add("ctrl+", "shift-")
	f.Add("⌃", "")
	f.Fuzz(func(t *testing.T, before, after string) {
		for _, s := range []string{before + "super+Escape", "cmd+" + before + "esc", before + "⌘⎋" + after, after + "Meta_L " + before + " escape"} {
			c, err := key.Parse(s)
			if err != nil || c.Key != "Escape" || c.Mods&key.ModSuper == 0 {
				continue
			}
			if got, bad := RefusedKey(c, Mac); !bad || got.Name != "stop" {
				t.Fatalf("%q is pressed as %v", s, c)
			}
		}
	})
}
