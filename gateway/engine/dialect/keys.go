package dialect

import (
	"strings"

	"conch/driver/key"
)

// chords reads the names of keys that are pressed together, and keeps the modifiers apart.
func chords(names []string) (mods key.Mods, others []key.Chord, err error) {
	for _, name := range names {
		c, err := key.Parse(keyName(name))
		if err != nil {
			return 0, nil, cannot("%s", err.Error())
		}
		mods |= c.Key.Mod()
		if c.Key.Mod() != 0 {
			mods |= c.Mods
			continue
		}
		others = append(others, c)
	}
	return mods, others, nil
}

// keyName is a key's name as Conch reads it. Providers write a letter's key as a capital, and Shift by its name.
func keyName(name string) string {
	if len(name) == 1 && name[0] >= 'A' && name[0] <= 'Z' {
		return strings.ToLower(name)
	}
	return name
}

// modsWord names modifiers as the computer tool reads them; empty where there are none.
func modsWord(m key.Mods) string {
	var words []string
	for _, k := range m.Keys() {
		words = append(words, key.Chord{Key: k}.String())
	}
	return strings.Join(words, "+")
}
