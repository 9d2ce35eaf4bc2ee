package web

import "strings"

// Place is a page, or a part of one, that the palette leads to.
type Place struct {
	Title string // as the page calls it
	Under string // where it belongs; may be empty
	To    string // its path; a part of a page has its fragment
	Icon  string
	Words string // what else a person may call it
	Usual bool   // it shows before anything is typed

	only func(Palette) bool // nil: it is always there
}

// AppName is a known app that can be connected.
type AppName struct{ ID, Name string }

// Palette is what ⌘K opens on every page that has the rail, "palette": one field that finds every page and each of
// the rail's chats. It only leads to them; what widens a power is asked for there. It is made with the page and not
// replaced, since a person may be typing in it.
type Palette struct {
	Practice bool      // there is a practice desktop
	Apps     []AppName // apps that can be connected; none: other apps can't be
}

func (Palette) part() string { return "palette" }

// ElementID is the id of the element that it renders to.
func (Palette) ElementID() string { return "palette" }

func (p Palette) practises() bool { return p.Practice }
func (p Palette) connects() bool  { return len(p.Apps) > 0 }

// places is every page without a name of its own in its path, and the parts of pages that a person looks for. Tests
// hold it against the routes, the rail and Settings. Where two fit what was typed equally well, the first comes first.
var places = []Place{
	{Title: "New chat", To: PathHome, Icon: "plus", Usual: true, Words: "start ask write begin message"},
	{Title: "Settings", To: PathSettings, Icon: "gear", Usual: true, Words: "preferences options"},
	{Title: "Activity", To: PathActivity, Icon: "clock", Usual: true, Words: "history log audit steps what happened"},
	{
		Title: "Use your apps", Under: "This computer", To: PathComputer, Icon: "screen", Usual: true,
		Words: "computer use control screen mouse keyboard click type desktop permissions accessibility recording turn on off",
	},
	{
		Title: "Models", Under: "Your assistant", To: PathModels, Icon: "spark", Usual: true,
		Words: "API key Anthropic Claude OpenAI GPT ChatGPT Gemini Google OpenRouter Ollama LM Studio vLLM LLM AI provider local default",
	},
	{Title: "What Conch knows", Under: "Your assistant", To: PathMemory, Icon: "book", Usual: true, Words: "memory memories remember facts forget about me"},
	{Title: "Skills", Under: "Your assistant", To: PathSkills, Icon: "wand", Usual: true, Words: "instructions how to"},
	{
		Title: "Other apps", Under: "This computer", To: PathApps, Icon: "app", Usual: true, only: Palette.connects,
		Words: "MCP server connect client editor launcher integration lend tools paired",
	},
	{Title: "Practice desktop", Under: "New chat", To: PathHome + "#practice", Icon: "screen", only: Palette.practises, Words: "try test screen sandbox live"},
	{Title: "Security checkup", Under: "Safety", To: PathCheckup, Icon: "shield", Words: "safe privacy check who can reach access"},
	{Title: "Repair everything", Under: "Safety", To: PathRepair, Icon: "tool", Words: "fix mend broken problem wrong help doctor trouble"},
	{Title: "Confirm that it’s you", Under: "Safety", To: PathSettings + "#confirm-row", Icon: "shield", Words: "password Touch ID fingerprint login identity"},
	{
		Title: "Other devices", Under: "This computer", To: PathDevices, Icon: "device",
		Words: "phone tablet iPhone iPad Android laptop remote elsewhere network address HTTPS certificate domain password sign in",
	},
	{Title: "This computer", Under: "Settings", To: PathSettings + "#this-computer", Icon: "gear", Words: "Mac PC Linux"},
	{Title: "Your assistant", Under: "Settings", To: PathSettings + "#your-assistant", Icon: "gear"},
	{Title: "Safety", Under: "Settings", To: PathSettings + "#safety", Icon: "gear", Words: "security privacy"},
	{Title: "About", Under: "Settings", To: PathSettings + "#about", Icon: "info", Words: "version folder files where data update"},
	{Title: "Pause when I take over", Under: "Use your apps", To: PathComputer + "#pause-switch", Icon: "screen", Words: "interrupt stop mouse keyboard"},
	{Title: "What it never touches", Under: "Use your apps", To: PathComputer + "#never", Icon: "block", Words: "password manager bank payment crypto terminal private secret protected"},
	{Title: "Apps always allowed", Under: "Use your apps", To: PathComputer + "#allowed", Icon: "check", Words: "permissions remove take back"},
	{Title: "Stop from anywhere", Under: "Use your apps", To: PathComputer + "#stop-key", Icon: "stop", Words: "key keys shortcut escape end cancel"},
	{Title: "What it may cost", Under: "Models", To: PathModels + "#limits", Icon: "spark", Words: "limit limits money dollars price budget spend usage"},
	{Title: "Add a skill", Under: "Skills", To: PathSkills + "#skill-add", Icon: "wand", Words: "new folder install"},
	{Title: "Another app", Under: "Other apps", To: PathApps + "#apps-others", Icon: "app", only: Palette.connects, Words: "add MCP server connect lines key"},
}

// Places is where the palette leads, beside chats.
func (p Palette) Places() []Place {
	var all []Place
	for _, one := range places {
		if one.only == nil || one.only(p) {
			all = append(all, one)
		}
	}
	for _, a := range p.Apps {
		all = append(all, Place{
			Title: a.Name, Under: "Other apps", To: PathApps + "#" + knownAppID(a.ID), Icon: "app",
			Words: "connect " + strings.ReplaceAll(a.ID, "-", " "),
		})
	}
	return all
}

// knownAppID is the element of a known app in Settings → Other apps, while it is on this computer.
func knownAppID(app string) string { return "known-" + app }
