package gateway

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"conch/gateway/guard"
	"conch/gateway/plain"
	"conch/gateway/skills"
	"conch/gateway/web"
)

func (g *Gateway) pageSkills(w http.ResponseWriter, r *http.Request) error {
	frame, err := g.frame(r.Context())
	if err != nil {
		return err
	}
	return g.writePage(w, http.StatusOK, web.Skills{Frame: frame, List: g.skillList(), Folder: g.skills.Path()})
}

func (g *Gateway) pageSkill(w http.ResponseWriter, r *http.Request) error {
	sk, err := g.skills.Get(r.PathValue("name"))
	if err != nil {
		return g.notFound(w, r)
	}
	frame, err := g.frame(r.Context())
	if err != nil {
		return err
	}
	return g.writePage(w, http.StatusOK, web.SkillPage{Frame: frame, Skill: g.skillView(sk)})
}

func (g *Gateway) skillList() web.SkillList {
	list, problem := g.skills.List()
	v := web.SkillList{Problem: problem}
	for _, sk := range list {
		v.Skills = append(v.Skills, skillRow(sk))
	}
	return v
}

// skillsRow is the row in Settings.
func (g *Gateway) skillsRow() web.SkillsRow {
	list, _ := g.skills.List()
	var v web.SkillsRow
	for _, sk := range list {
		switch sk.State {
		case skills.On:
			v.On++
		case skills.Unread, skills.Changed:
			v.Look++
		}
	}
	return v
}

var skillStates = map[skills.State]web.SkillState{
	skills.Broken: web.SkillBroken, skills.Off: web.SkillOff, skills.Unread: web.SkillUnread, skills.Changed: web.SkillChanged, skills.On: web.SkillOn,
}

func skillRow(sk skills.Skill) web.SkillRow {
	v := web.SkillRow{
		Name: plain.Clip(plain.Show(sk.Folder), 80), About: sk.About, State: skillStates[sk.State], Hash: sk.Hash, Problem: sk.Problem,
		Dangers: count(sk.Findings), Page: sk.Name != "" || sk.Files != nil,
	}
	return v
}

func count(findings []skills.Finding) (dangers int) {
	for _, f := range findings {
		if f.Danger {
			dangers++
		}
	}
	return dangers
}

// skillView shows a skill whole. Its words are shown as they are, with what is hidden in them made visible.
func (g *Gateway) skillView(sk skills.Skill) web.Skill {
	v := web.Skill{
		SkillRow: skillRow(sk), Tools: sk.Tools, Narrowed: sk.Narrowed, Listed: sk.Listed,
		Where: filepath.Join(g.skills.Path(), sk.Folder),
	}
	marked := map[string][]int{}
	for _, f := range sk.Findings {
		v.Findings = append(v.Findings, web.SkillFinding{File: f.File, Line: f.Line, Say: f.Say, Quote: f.Quote, Danger: f.Danger})
		if f.Danger {
			marked[f.File] = append(marked[f.File], f.Line)
		}
	}
	for _, f := range sk.Files {
		file := web.SkillFile{Name: plain.Show(f.Name), Size: sizeWords(f.Size), Text: f.IsText}
		if f.IsText {
			for i, line := range strings.Split(strings.TrimSuffix(f.Text, "\n"), "\n") {
				file.Lines = append(file.Lines, web.SkillLine{N: i + 1, Text: plain.Show(line), Marked: slices.Contains(marked[f.Name], i+1)})
			}
		}
		v.Files = append(v.Files, file)
	}
	// What a chat is given comes first.
	slices.SortStableFunc(v.Files, func(a, b web.SkillFile) int {
		switch {
		case a.Name == b.Name:
			return 0
		case a.Name == "SKILL.md":
			return -1
		case b.Name == "SKILL.md":
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return v
}

func sizeWords(n int) string {
	if n < 1000 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d kB", (n+500)/1000)
}

// skillSwitch is the body of what switches a skill: which, and the version that the page showed.
type skillSwitch struct {
	On   *bool  `json:"on"`
	Hash string `json:"hash"`
}

// postSkill takes {on, hash}. Switching on is only for a page.
func (g *Gateway) postSkill(w http.ResponseWriter, r *http.Request) error {
	var in skillSwitch
	if err := readJSON(r, &in); err != nil {
		return err
	}
	if in.On == nil {
		return problem(CodeInvalid, "It isn't said whether to turn it on or off.", "Send on as true or false.")
	}
	if *in.On {
		if err := g.may(r, guard.Widens, "A skill can be switched on"); err != nil {
			return err
		}
	}
	if err := g.skills.Set(r.PathValue("name"), *in.On, in.Hash); err != nil {
		return skillProblem(err)
	}
	return noContent(w)
}

// postSkillAccept takes {hash}: the person read a dangerous skill and wants this very version.
func (g *Gateway) postSkillAccept(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Hash string `json:"hash"`
	}
	if err := readJSON(r, &in); err != nil {
		return err
	}
	if err := g.may(r, guard.Grants, "A skill can be accepted"); err != nil {
		return err
	}
	if err := g.skills.Accept(r.PathValue("name"), in.Hash); err != nil {
		return skillProblem(err)
	}
	return noContent(w)
}
