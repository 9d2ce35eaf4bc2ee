package web

import (
	"fmt"
	"html/template"
)

// icons are drawn on a 20 by 20 grid with a round 1.5 line; the colour is the text's.
var icons = map[string]string{
	"plus":     `<path d="M10 4v12M4 10h12"/>`,
	"close":    `<path d="M5 5l10 10M15 5L5 15"/>`,
	"menu":     `<path d="M3.5 6h13M3.5 10h13M3.5 14h8"/>`,
	"gear":     `<path d="M3 6h7M14 6h3M3 14h3M10 14h7"/><circle cx="12" cy="6" r="2"/><circle cx="8" cy="14" r="2"/>`,
	"clock":    `<circle cx="10" cy="10" r="6.75"/><path d="M10 6.2V10l2.6 1.8"/>`,
	"send":     `<path d="M10 16V4.5M5 9.2l5-5 5 5"/>`,
	"stop":     `<rect x="5" y="5" width="10" height="10" rx="2" class="solid"/>`,
	"chevron":  `<path d="M6 8l4 4 4-4"/>`,
	"next":     `<path d="M8 5.5l4.5 4.5L8 14.5"/>`,
	"check":    `<path d="M4.5 10.5l3.6 3.6 7.4-8"/>`,
	"block":    `<circle cx="10" cy="10" r="6.75"/><path d="M5.3 14.7l9.4-9.4"/>`,
	"warning":  `<path d="M10 3.6l7 12.4H3z"/><path d="M10 8.4v3.2M10 13.7v.1"/>`,
	"question": `<circle cx="10" cy="10" r="6.75"/><path d="M8 8.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.4M10 13.6v.1"/>`,
	"info":     `<circle cx="10" cy="10" r="6.75"/><path d="M10 9.4v4M10 6.6v.1"/>`,
	"shield":   `<path d="M10 3.2l5.6 2v4.2c0 3.4-2.2 6-5.6 7.4-3.4-1.4-5.6-4-5.6-7.4V5.200z"/>`,
	"screen":   `<rect x="3" y="4" width="14" height="9.5" rx="1.5"/><path d="M7.5 16.500h5M10 13.500v3"/>`,
	"app":      `<rect x="3.2" y="3.8" width="13.6" height="12.4" rx="2"/><path d="M3.2 7.500h13.6"/>`,
	"offline":  `<path d="M4 8.500a9 9 0 0 1 12 0M6.5 11.300a5.3 5.3 0 0 1 7 0M10 14.500v.1M4 16L16 4"/>`,
	"eye":      `<path d="M2.8 10S5.4 5.2 10 5.2 17.2 10 17.2 10 14.6 14.8 10 14.8 2.8 10 2.8 10z"/><circle cx="10" cy="10" r="2.1"/>`,
	"pointer":  `<path d="M5 3.800l10.4 6.1-4.6 1.1-2.2 4.300z"/>`,
	"keys":     `<rect x="2.5" y="5.5" width="15" height="9" rx="1.5"/><path d="M5.5 8.500v.1M8.5 8.500v.1M11.5 8.500v.1M14.5 8.500v.1M7 11.700h6"/>`,
	"scroll":   `<rect x="6.2" y="2.8" width="7.6" height="14.4" rx="3.8"/><path d="M10 6v2.4"/>`,
	"drag":     `<path d="M3.5 10h13M13.5 7l3 3-3 3M6.5 7l-3 3 3 3"/>`,
	"wait":     `<path d="M6 3.500h8M6 16.500h8M7 3.500c0 4 6 4.5 6 6.500s-6 2.5-6 6.500M13 3.500c0 4-6 4.5-6 6.500s6 2.5 6 6.5"/>`,
	"spark":    `<path d="M10 3.200c.6 4.2 2.6 6.2 6.8 6.800-4.2.6-6.2 2.6-6.8 6.800-.6-4.2-2.6-6.2-6.8-6.800 4.2-.6 6.2-2.6 6.8-6.800z"/>`,
	"search":   `<circle cx="9" cy="9" r="4.75"/><path d="M12.500 12.500l4 4"/>`,
	"chat":     `<path d="M5.5 4h9A2.500 2.500 0 0 1 17 6.500v4a2.500 2.500 0 0 1-2.500 2.500H9.500L6 16v-3h-.5A2.500 2.500 0 0 1 3 10.500v-4A2.500 2.500 0 0 1 5.500 4z"/>`,
	"book":     `<path d="M10 5.500C8.500 4.300 6.300 3.900 3.500 4v11c2.800-.1 5 .3 6.500 1.500 1.500-1.200 3.700-1.600 6.500-1.500V4c-2.800-.1-5 .3-6.500 1.500zM10 5.500v11"/>`,
	"wand":     `<path d="M4 16l7.500-7.500M14 3.500v4M12 5.500h4M16.300 10v2.600M15 11.300h2.600M6.500 4v2.600M5.200 5.300h2.600"/>`,
	"tool":     `<path d="M15.800 6.400a4 4 0 0 1-5.300 4.800l-4.600 4.600a1.500 1.500 0 0 1-2.100-2.100l4.600-4.600a4 4 0 0 1 4.800-5.300l-2.300 2.300.5 2.100 2.100.5z"/>`,
	"device":   `<rect x="6" y="2.800" width="8" height="14.400" rx="1.800"/><path d="M9.300 14.600h1.400"/>`,
	"dots":     `<path d="M5 10v.1M10 10v.1M15 10v.1"/>`,
}

// icon draws one icon; an unknown name is a mistake in a template.
func icon(name string) (template.HTML, error) {
	shape, ok := icons[name]
	if !ok {
		return "", fmt.Errorf("no icon is called %q", name)
	}
	//nolint:gosec // a constant of this file
	return template.HTML(`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">` + shape + `</svg>`), nil
}

// actionIcons says which icon stands for which action of the computer tool.
var actionIcons = map[string]string{
	"computer":   "screen", // the tool as a whole, where the action isn't known
	"screenshot": "eye", "look": "eye", "zoom": "eye", "cursor_position": "eye",
	"left_click": "pointer", "right_click": "pointer", "middle_click": "pointer", "double_click": "pointer",
	"triple_click": "pointer", "mouse_move": "pointer", "left_mouse_down": "pointer", "left_mouse_up": "pointer",
	"left_click_drag": "drag", "type": "keys", "key": "keys", "hold_key": "keys",
	"scroll": "scroll", "wait": "wait", "open_app": "app", "list_apps": "app",
}

func stepIcon(s Step) string {
	name, ok := actionIcons[s.Kind]
	if !ok {
		name = "dots"
	}
	return stateIcon(s.State, name)
}

// stateIcon is the icon of a state that must be seen, otherwise the plain one.
func stateIcon(s StepState, plain string) string {
	switch s {
	case StepRefused:
		return "block"
	case StepFailed:
		return "warning"
	case StepStopped:
		return "stop"
	}
	return plain
}

func noteIcon(k NoteKind) string {
	switch k {
	case NoteStopped:
		return "stop"
	case NoteFailed:
		return "warning"
	}
	return "info"
}

func choiceIcon(c Choice) string {
	if c == ChoiceStopped {
		return "stop"
	}
	if c == ChoiceOnce || c == ChoiceAlways {
		return "check"
	}
	return "block"
}
