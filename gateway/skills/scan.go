package skills

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"conch/gateway/plain"
)

// Finding is something in a skill that a person should read before they switch it on.
type Finding struct {
	File string
	Line int // 0: the file as a whole
	Rule string
	Say  string // a sentence
	// Quote is the line, with what is hidden in it made visible.
	Quote string
	// Danger keeps the skill off until the person accepts this exact version.
	Danger bool
}

const (
	findingsMax = 60
	quoteMax    = 160
)

// rule finds one kind of thing in a few lines at a time, folded: nothing hides in case, accents or characters
// without width.
type rule struct {
	name   string
	say    string
	danger bool
	hints  []string // every match has one of them
	find   plain.Pattern
}

func oneOf(ways ...string) plain.Pattern { return plain.NewPattern(strings.Join(ways, "|")) }

const shells = `(sudo )?(\S*/)?((ba|z|da|k|fi)?sh|python[0-9.]*|node|perl|ruby|php|iex|osascript|deno|bun|powershell|pwsh)\b`

var rules = []rule{
	{"download", "It downloads something and runs it.", true, []string{"curl", "wget", "fetch", "aria2c", "iwr", "irm", "invoke-", "iex", "downloadstring", "npx", "uvx", "bunx", "pipx", "dlx", "go run", "deno run", "git+", "http", "git@", "download", "get ", "grab"}, oneOf(
		`\b(curl|wget|fetch|aria2c|iwr|irm|invoke-webrequest|invoke-restmethod)\b[^|]{0,400}\| ?(env |command |sudo )?`+shells,
		`\b((ba|z|da|k)?sh|eval|source|python[0-9.]*)( -\w+)? ["']?(<\(|\$\(|\x60) ?(curl|wget|fetch)\b`,
		`\b(iex|invoke-expression)\b.{0,120}(downloadstring|iwr|irm|invoke-webrequest|http)`, `\bdownloadstring\(`,
		`\b(curl|wget)\b.{0,300}\b(chmod|sudo|open|start) `, `\b(curl|wget)\b.{0,300}[ ;&]\./\S`,
		`\b(npx|uvx|bunx|pipx run|pnpm dlx|yarn dlx) \S`, `\b(go|deno) run (-\S+ )*(https?:|[\w.-]+\.[a-z]{2,}/)`,
		`\b(pip3?|npm|gem|cargo|brew|go) (i|install|add|get)\b.{0,80}(git\+|https?:|git@)`,
		`\b(download|fetch|get|grab)\b.{0,80}\b(and|then)\b.{0,40}\b(run|execute|launch|install|open|start) (it|them|that|the (file|script|installer|program|binary|app))\b`,
	)},
	{"keys", "It reaches for keys or passwords.", true, []string{".ssh", ".gnupg", ".aws", ".kube", ".docker", ".azure", ".password-store", ".netrc", ".pgpass", ".npmrc", ".pypirc", ".git-credentials", ".conch", ".config/", "id_", "/etc/", "keychain", "-password", "secret-tool", "kwallet", "wallet.dat", "cookies.sqlite", "logins.json", "key4.db", "$", "printenv", "env", "ask", "prompt"}, oneOf(
		`(^|[\s"'(=/\\~\x60])\.(ssh|gnupg|aws|kube|docker|azure|password-store|netrc|pgpass|npmrc|pypirc|git-credentials|conch)\b`,
		`\.config/(gcloud|gh)\b`, `\bid_(rsa|ed25519|ecdsa|dsa)\b`, `/etc/(shadow|sudoers)\b`,
		`\b(login\.keychain|keychain-db|find-(generic|internet)-password|dump-keychain|secret-tool|kwallet|wallet\.dat|cookies\.sqlite|logins\.json|key4\.db)\b`,
		`\$\{?(env:)?([a-z][a-z0-9_]*_)?(key|apikey|token|secret|password|passwd)\b`, `\bprintenv\b`, `\benv \|`,
		`\b(read|open|cat|copy|upload|print|show|reveal|paste|send|source)\b.{0,60}[\s/"'\x60]\.env\b`,
		`\b(ask|prompt) (the |your )?(user|person|owner|them|me) (for|to (type|enter|give|paste)) (\S+ ){0,3}(password|passcode|passphrase|pin|one-time code|recovery (code|phrase)|seed phrase)`,
	)},
	{"rights", "It wants rights over the whole computer, or to stay behind on it.", true, []string{"sudo", "quarantine", "spctl", "csrutil", "crontab", "launchctl", "systemctl", ">", "authorized_keys", "rm ", "mkfs", "dd if"}, oneOf(
		`\bsudo \S`, `\bcom\.apple\.quarantine\b`, `\bspctl\b.{0,20}disable`, `\bcsrutil disable\b`, `\bcrontab\b`, `\blaunchctl (load|bootstrap)\b`,
		`\bsystemctl (\S+ )?enable\b`, `>> ?\S*\.(bash|zsh)(rc|_profile)\b`, `\bauthorized_keys\b`, `\brm -\w*(rf|fr)\b`, `\bmkfs\b`, `\bdd if=`,
	)},
	{"blob", "It unpacks text that can't be read as it stands.", true, []string{"base64", "atob", "fromcharcode", "b64decode", "unhexlify", "\\x", "xxd"}, oneOf(
		`\bbase64 (-d|--decode)\b`, `\b(atob|fromcharcode|frombase64string|b64decode|unhexlify)\b`, `(\\x[0-9a-f]{2}){8,}`, `\bxxd -r\b`,
	)},
	{"comment", "It holds a part that many programs don't show.", false, []string{"<!--"}, oneOf(`<!--`)},
	{"web", "It names addresses on the web.", false, []string{"http"}, oneOf(`\bhttps?://`)},
}

// What long runs of letters without a space are made of. Lines of them in a row are one blob, wrapped.
var (
	blob    = plain.NewPattern(`[A-Za-z0-9+/_-]{180,}`)
	wrapped = plain.NewPattern(`^\s*[A-Za-z0-9+/_-]{56,}={0,2}\s*$`)
)

const wrappedMin = 3

// scan looks through every file of a skill.
func scan(files []File) []Finding {
	s := &scanner{seen: map[string]bool{}}
	for _, f := range files {
		s.name(f)
		if f.IsText {
			s.text(f)
		}
	}
	// Danger first, so that a long list doesn't bury it.
	slices.SortStableFunc(s.out, func(a, b Finding) int {
		switch {
		case a.Danger == b.Danger:
			return 0
		case a.Danger:
			return -1
		}
		return 1
	})
	return s.out[:min(len(s.out), findingsMax)]
}

type scanner struct {
	out  []Finding
	seen map[string]bool
}

// add notes a finding, each kind once for a line, and what is no danger once for a file.
func (s *scanner) add(f Finding, line string) {
	key := fmt.Sprintf("%s\x00%s\x00%d", f.Rule, f.File, f.Line)
	if !f.Danger {
		key = f.Rule + "\x00" + f.File
	}
	if s.seen[key] {
		return
	}
	s.seen[key] = true
	f.Quote = plain.Clip(strings.TrimSpace(plain.Show(line)), quoteMax)
	s.out = append(s.out, f)
}

var programs = []string{".sh", ".bash", ".zsh", ".command", ".py", ".js", ".mjs", ".ts", ".rb", ".pl", ".php", ".ps1", ".bat", ".cmd", ".scpt", ".applescript", ".exe", ".app", ".jar", ".dylib", ".so", ".dll"}

// name looks at what a file is rather than at what is in it.
func (s *scanner) name(f File) {
	if r, hides := firstHidden(f.Name); hides {
		s.add(Finding{File: plain.Show(f.Name), Rule: "hidden", Danger: true, Say: fmt.Sprintf("The file's name hides a character (U+%04X).", r)}, f.Name)
	}
	switch {
	case f.Exec || slices.Contains(programs, strings.ToLower(path.Ext(f.Name))):
		s.add(Finding{File: f.Name, Rule: "program", Say: "This file is a program. Conch never runs it."}, "")
	case !f.IsText:
		s.add(Finding{File: f.Name, Rule: "unread", Say: "This file isn't text, so Conch can't look through it. Nothing of it reaches a chat."}, "")
	}
}

func (s *scanner) text(f File) {
	lines := strings.Split(f.Text, "\n")
	folded := make([]string, len(lines))
	for i, line := range lines {
		folded[i] = plain.Spaced(line)
	}
	rows := 0
	for i, line := range lines {
		at := Finding{File: f.Name, Line: i + 1, Danger: true}
		s.hidden(at, line)
		s.links(at, line)
		if rows++; !wrapped().MatchString(line) {
			rows = 0
		}
		if blob().MatchString(line) || rows == wrappedMin {
			at.Rule, at.Say = "blob", "It holds a long piece of text that nobody can read."
			s.add(at, line)
		}
		// A command or a sentence may go on in the next lines; it counts where it begins.
		some := strings.TrimSpace(strings.Join(folded[i:min(i+3, len(folded))], " "))
		for _, r := range rules {
			if !plain.Hinted(some, r.hints) {
				continue
			}
			if m := r.find().FindStringIndex(some); m != nil && m[0] < len(folded[i]) {
				s.add(Finding{File: f.Name, Line: i + 1, Rule: r.name, Say: r.say, Danger: r.danger}, line)
			}
		}
		for _, o := range plain.OrdersIn(some) {
			if o.At < len(folded[i]) {
				s.add(Finding{File: f.Name, Line: i + 1, Rule: o.Name, Say: o.Say, Danger: true}, line)
			}
		}
	}
}

func (s *scanner) hidden(at Finding, line string) {
	r, hides := firstHidden(line)
	if !hides {
		return
	}
	at.Rule, at.Say = "hidden", fmt.Sprintf("It hides a character that can't be seen (U+%04X).", r)
	if plain.Turns(r) {
		at.Say = fmt.Sprintf("It turns the direction around in which words are read (U+%04X).", r)
	}
	s.add(at, line)
}

// firstHidden is the first character of a line that can't be seen. The line's own end isn't one.
func firstHidden(line string) (rune, bool) {
	text := []rune(strings.TrimSuffix(line, "\r"))
	for i, r := range text {
		if plain.HiddenAt(text, i) || r == '\r' {
			return r, true
		}
	}
	return 0, false
}
