package skills

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"conch/gateway/state"
)

// StateFile is the document that says what is switched on; Folder is where the skills are. Both are in Conch's
// folder.
const (
	StateFile = "skills.json"
	Folder    = "skills"
)

// State says where a skill stands.
type State string

// The states. Only a skill that is on is offered to a chat.
const (
	Broken  State = "broken"  // it can't be read as a skill
	Off     State = "off"     // the person hasn't switched it on
	Unread  State = "unread"  // off, and dangerous: the person has to read and accept it first
	Changed State = "changed" // it was on, and isn't the version that was
	On      State = "on"
)

// Skill is one folder, as it is now.
type Skill struct {
	Folder string // its name
	Matter
	Text     string // of SKILL.md, below the front matter
	Files    []File
	Hash     string // over all of it
	Findings []Finding
	Problem  string // why it is broken, for a person
	State    State
}

// Dangerous says that the person has to accept this version before it can be on.
func (s Skill) Dangerous() bool {
	return slices.ContainsFunc(s.Findings, func(f Finding) bool { return f.Danger })
}

// Held is what a chat is held to by a skill that it loaded.
type Held struct {
	Skill string
	Tools []string
}

// Log keeps what chats have loaded, in the chats' own log.
type Log interface {
	LoadSkill(ctx context.Context, chat, turn string, h Held) error
	LoadedSkills(ctx context.Context, chat string) ([]Held, error)
}

// entry is what the person said about a skill.
type entry struct {
	state.Versioned
	Name string `json:"name"`
	On   bool   `json:"on"`
	Hash string `json:"hash"` // the version that was switched on
	// Accepted is the dangerous version that the person read and accepted.
	Accepted string    `json:"accepted,omitempty"`
	Since    time.Time `json:"since"`
}

type document struct {
	state.Versioned
	Skills []entry `json:"skills,omitempty"`
}

// Options are what Skills need.
type Options struct {
	Dir *state.Dir
	Log Log
	Now func() time.Time
	// Changed is told when the person switched something; may be nil.
	Changed func()
	Logger  *slog.Logger
}

// Skills are the person's skills. Each method looks at the folders as they are now. It is safe for several
// goroutines.
type Skills struct {
	opt  Options
	path string
	file *state.File[document]

	mu      sync.Mutex
	scanned map[string][]Finding // by hash
}

// Open declares the folder and the document, and makes the folder when there is none.
func Open(opt Options) (*Skills, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Changed == nil {
		opt.Changed = func() {}
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	opt.Dir.Declare(Folder)
	s := &Skills{opt: opt, path: opt.Dir.Path(Folder), scanned: map[string][]Finding{}}
	s.file = state.NewFile[document](opt.Dir, StateFile, 1, opt.Logger)
	if err := os.Mkdir(s.path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("make the folder for skills: %w", err)
	}
	return s, nil
}

// Path is the folder that a person puts a skill's folder in.
func (s *Skills) Path() string { return s.path }

// root opens the folder of skills. A link in its place is refused.
func (s *Skills) root() (*os.Root, error) {
	info, err := os.Lstat(s.path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &state.NotRegularError{Path: s.path}
	}
	return os.OpenRoot(s.path)
}

// List is every skill, by name, with one line for a person when they can't all be seen.
func (s *Skills) List() (list []Skill, problem string) {
	root, err := s.root()
	if err != nil {
		return nil, "The folder of skills can't be read, so none is offered."
	}
	defer func() { _ = root.Close() }()
	all, err := names(root)
	if err != nil {
		return nil, "The folder of skills can't be read, so none is offered."
	}
	said, err := s.file.Read()
	if err != nil {
		problem = err.Error()
	}
	for _, name := range all {
		list = append(list, s.one(root, name, said))
	}
	return list, problem
}

// Get is one skill. ErrNone says that there is no such folder.
func (s *Skills) Get(name string) (Skill, error) {
	root, err := s.root()
	if err != nil {
		return Skill{}, ErrNone
	}
	defer func() { _ = root.Close() }()
	if !skillName.MatchString(name) || len(name) > nameMax {
		return Skill{}, ErrNone
	}
	if _, err := root.Lstat(name); err != nil {
		return Skill{}, ErrNone
	}
	// A document that can't be read means off.
	said, _ := s.file.Read()
	return s.one(root, name, said), nil
}

// one reads a skill, looks through it, and works out where it stands.
func (s *Skills) one(root *os.Root, name string, said document) Skill {
	sk := load(root, name)
	if sk.Problem != "" {
		sk.State = Broken
		return sk
	}
	sk.Findings = s.look(sk.Hash, sk.Files)
	sk.State = stateOf(sk, said)
	return sk
}

// stateOf is the one place that says whether a skill is on.
func stateOf(sk Skill, said document) State {
	i := slices.IndexFunc(said.Skills, func(e entry) bool { return e.Name == sk.Folder })
	switch {
	case sk.Problem != "" || sk.Hash == "":
		return Broken
	case i >= 0 && said.Skills[i].On && said.Skills[i].Hash != sk.Hash:
		return Changed
	case sk.Dangerous() && (i < 0 || said.Skills[i].Accepted != sk.Hash):
		return Unread
	case i >= 0 && said.Skills[i].On:
		return On
	}
	return Off
}

const scannedMax = 400

// look scans a version once.
func (s *Skills) look(hash string, files []File) []Finding {
	s.mu.Lock()
	found, done := s.scanned[hash]
	s.mu.Unlock()
	if done {
		return found
	}
	found = scan(files)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.scanned) >= scannedMax {
		clear(s.scanned)
	}
	s.scanned[hash] = found
	return found
}

// Why a skill can't be switched.
var (
	ErrNone    = errors.New("there is no such skill")
	ErrBroken  = errors.New("this skill can't be read")
	ErrVersion = errors.New("the skill isn't the version that was shown")
	ErrUnread  = errors.New("this skill has to be read and accepted first")
)

// Set switches a skill. Switching on is for the version that the person was shown; a dangerous one has to be
// accepted instead. The caller has made sure that it is the person who switches on.
func (s *Skills) Set(name string, on bool, hash string) error {
	if !on {
		return s.off(name)
	}
	sk, err := s.version(name, hash)
	if err != nil {
		return err
	}
	return s.change(name, func(e *entry) error {
		if sk.Dangerous() && e.Accepted != sk.Hash {
			return ErrUnread
		}
		e.On, e.Hash, e.Since = true, sk.Hash, s.opt.Now().UTC().Truncate(time.Second)
		return nil
	})
}

// off switches a skill off, one whose folder is gone too.
func (s *Skills) off(name string) error {
	known := false
	err := s.file.Change(func(d *document) error {
		for i := range d.Skills {
			if d.Skills[i].Name == name {
				d.Skills[i].On, known = false, true
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case known:
		s.opt.Changed()
		return nil
	}
	_, err = s.Get(name)
	return err
}

// Accept switches on the very version of a dangerous skill that the person read. The caller has made sure that
// it is the person.
func (s *Skills) Accept(name, hash string) error {
	sk, err := s.version(name, hash)
	if err != nil {
		return err
	}
	return s.change(name, func(e *entry) error {
		e.On, e.Hash, e.Accepted, e.Since = true, sk.Hash, sk.Hash, s.opt.Now().UTC().Truncate(time.Second)
		return nil
	})
}

// version is a skill that can be read and whose hash is the one that was shown.
func (s *Skills) version(name, hash string) (Skill, error) {
	sk, err := s.Get(name)
	switch {
	case err != nil:
		return sk, err
	case sk.State == Broken:
		return sk, ErrBroken
	case hash == "" || sk.Hash != hash:
		return sk, ErrVersion
	}
	return sk, nil
}

func (s *Skills) change(name string, change func(*entry) error) error {
	err := s.file.Change(func(d *document) error {
		i := slices.IndexFunc(d.Skills, func(e entry) bool { return e.Name == name })
		if i < 0 {
			d.Skills = append(d.Skills, entry{Name: name})
			i = len(d.Skills) - 1
		}
		return change(&d.Skills[i])
	})
	if err == nil {
		s.opt.Changed()
	}
	return err
}

// Offered are the skills that a chat may load: on, and every byte as it was when it was switched on.
func (s *Skills) Offered() []Skill {
	list, _ := s.List()
	return slices.DeleteFunc(list, func(sk Skill) bool { return sk.State != On })
}

// Hold says what a chat is held to: every tool that is on the list of each skill that it loaded. A log that
// can't be read holds it to nothing.
func (s *Skills) Hold(chat string) (allowed []string, held bool) {
	loaded, err := s.opt.Log.LoadedSkills(context.Background(), chat)
	if err != nil {
		return nil, true
	}
	for i, h := range loaded {
		if i == 0 {
			allowed = slices.Clone(h.Tools)
			continue
		}
		allowed = slices.DeleteFunc(allowed, func(name string) bool { return !slices.Contains(h.Tools, name) })
	}
	return allowed, len(loaded) > 0
}

// Holding names the skill that holds a chat, the last that it loaded, for a person; empty when none does.
func (s *Skills) Holding(chat string) string {
	loaded, err := s.opt.Log.LoadedSkills(context.Background(), chat)
	switch {
	case err != nil:
		return "unknown"
	case len(loaded) == 0:
		return ""
	}
	return loaded[len(loaded)-1].Skill
}
