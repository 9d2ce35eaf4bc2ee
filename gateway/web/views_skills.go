package web

import "strconv"

// PathSkills is the list of skills; a skill's own page is below it, under its name.
const PathSkills = "/settings/skills"

// Skills is Settings → Skills.
type Skills struct {
	Frame
	List   SkillList
	Folder string // where a skill's folder goes
}

// SkillPage is the page of one skill, with all of its text.
type SkillPage struct {
	Frame
	Skill Skill
}

// SkillState says where a skill stands.
type SkillState string

// The states of a skill.
const (
	SkillBroken  SkillState = "broken"
	SkillOff     SkillState = "off"
	SkillUnread  SkillState = "unread" // the person has to read and accept it
	SkillChanged SkillState = "changed"
	SkillOn      SkillState = "on"
)

// SkillList is the list of skills, "skill-list".
type SkillList struct {
	Skills  []SkillRow
	Problem string // why none is offered; may be empty
}

// SkillRow is one skill in the list.
type SkillRow struct {
	Name    string // its folder's
	About   string
	State   SkillState
	Hash    string // the version that is shown
	Dangers int    // how many places could do harm
	Problem string // why it is broken
	Page    bool   // it has a page of its own
}

// Skill is one skill with all that a person reads before they switch it on, "skill".
type Skill struct {
	SkillRow
	Tools    []string // what goes ahead without a question of the skill's
	Narrowed []string // what the skill wants in part only, so it asks
	Listed   bool     // it has a list
	Findings []SkillFinding
	Files    []SkillFile
	Where    string // its folder
}

// SkillFinding is something to read before switching it on.
type SkillFinding struct {
	File   string
	Line   int // 0: the file as a whole
	Say    string
	Quote  string
	Danger bool
}

// SkillFile is one file of a skill.
type SkillFile struct {
	Name  string
	Size  string
	Text  bool // it is text, shown in Lines
	Lines []SkillLine
}

// SkillLine is one line of a file as it is, with what is hidden in it made visible.
type SkillLine struct {
	N      int
	Text   string
	Marked bool // something that could do harm is here
}

// SkillsRow is the row in Settings.
type SkillsRow struct {
	On   int
	Look int // how many the person has to look at
}

func (Skills) page() string       { return "skills" }
func (SkillPage) page() string    { return "skill" }
func (Skills) title() string      { return "Skills" }
func (s SkillPage) title() string { return s.Skill.Name }
func (s Skills) frame() Frame     { return s.Frame }
func (s SkillPage) frame() Frame  { return s.Frame }
func (SkillList) part() string    { return "skill-list" }
func (Skill) part() string        { return "skill" }

// ElementID is the id of the element that the part renders to.
func (SkillList) ElementID() string { return "skill-list" }

// ElementID is the id of the element that the part renders to.
func (Skill) ElementID() string { return "skill" }

// Link is the address of its page.
func (r SkillRow) Link() string { return PathSkills + "/" + r.Name }

// Switch says that a switch is enough: it is on, or nothing in it has to be read first.
func (r SkillRow) Switch() bool {
	return r.State == SkillOn || r.State == SkillOff || r.State == SkillChanged && r.Dangers == 0
}

// Say is where it stands, in a sentence.
func (r SkillRow) Say() string {
	switch r.State {
	case SkillBroken:
		return "Off. " + r.Problem
	case SkillUnread:
		return "Off. Something in it could do harm: read it first."
	case SkillChanged:
		if r.Dangers > 0 {
			return "Off. It changed since you switched it on, and something in it could do harm: read it first."
		}
		return "Off. It changed since you switched it on."
	case SkillOn:
		return "On. Chats may load it."
	}
	return "Off. No chat loads it."
}

// Harm is the findings that could do harm.
func (s Skill) Harm() (out []SkillFinding) {
	for _, f := range s.Findings {
		if f.Danger {
			out = append(out, f)
		}
	}
	return out
}

// Notes are the other findings.
func (s Skill) Notes() (out []SkillFinding) {
	for _, f := range s.Findings {
		if !f.Danger {
			out = append(out, f)
		}
	}
	return out
}

// Words is what the row in Settings says at its right.
func (r SkillsRow) Words() string {
	switch {
	case r.Look > 0:
		return strconv.Itoa(r.Look) + " to look at"
	case r.On == 0:
		return "None on"
	}
	return strconv.Itoa(r.On) + " on"
}
