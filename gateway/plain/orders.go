package plain

import (
	"slices"
	"strings"
)

// order is one way in which words try to steer an assistant.
type order struct {
	name string
	say  string // "It …", for a person
	// hints are parts of words of which every match has one. They are looked for first, since that is much faster.
	hints []string
	find  Pattern
}

// orders are looked for in folded text, in which every run of space is one space. What is between their words
// is at most a few words, so that two sentences which have nothing to do with each other don't meet.
var orders = []order{
	{"ignore", "It tells an assistant to ignore its rules.", []string{"ignor", "disregard", "forget", "overrid", "bypass", "follow", "игнориру", "забуд", "忽略", "无视", "無視"}, oneOf(
		`\b(ignor\w*|disregard\w*|forget|overrid\w*|bypass\w*|do not follow|don't follow|stop following)( \S+){0,4} (instructions?|rules?|prompts?|guidelines?|polic(y|ies)|safety|restrictions?|guardrails?|warnings?)\b`,
		`\bignor(iere|iert|ez|ar?|e) (\S+ ){0,4}(anweisungen|regeln|instruktionen|instructions|regles|consignes|instrucciones|reglas|istruzioni|regole|instrucoes|regras)\b`,
		`(игнориру|забуд)\S* (\S+ ){0,4}(инструкции|правила|указания)`,
		`(忽略|无视|無視).{0,12}(指令|规则|規則|指示|ルール)`,
	)},
	{"role", "It tries to give an assistant another role.", []string{"you are now", "from now on", "act as", "pretend", "developer mode", "jail", "system", "assistant", "im_start", "im_end", "user", "inst"}, oneOf(
		`\b(you are now|from now on,? you( are|'re| will| must)?|act as (an? )?(unrestricted|admin|root|developer|system)|pretend (to be|you are|that you)|developer mode|jail ?break)\b`,
		`(\bsystem prompt\b|<\|?/?(system|im_start|im_end|assistant|user)\|?>|\[/?(inst|system)\]|^ ?#{0,4} ?(system|assistant) ?:)`,
	)},
	{"allow", "It asks that things be allowed without asking you.", []string{"allow", "approve", "accept", "confirm", "agree", "say yes", "answer yes", "click", "ask", "permission", "approval", "immer", "toujours", "siempre", "всегда"}, oneOf(
		`\b(always|automatically|silently) (allow|approve|accept|confirm|agree|say yes|answer yes|click (allow|yes|ok))`,
		`\b(never|do not|don't|without|no need to) (\S+ ){0,2}(ask|asking|confirm|confirming|confirmation|permission|approval)\b`,
		`\b(pre-?approved|already approved|auto-?approve)\b`,
		`\bimmer (erlauben|zustimmen|bestatigen)\b`, `\btoujours (autoriser|accepter|approuver)\b`, `\bsiempre (permitir|permite|aceptar|acepta|aprobar)\b`,
		`всегда (разреш|соглаша|подтвержда)`,
	)},
	{"hide", "It asks to keep something from you.", []string{"tell", "mention", "reveal", "show", "inform", "notify", "alert", "know", "notic", "secret", "hidden"}, oneOf(
		`\b(do not|don't|never) (\S+ ){0,2}(tell|mention|reveal|show|inform|notify|alert)( \S+){0,3} (user|person|human|owner|them|him|her|anyone|this)\b`,
		`\b(without (the )?(user|person|owner)('s)? (knowing|knowledge|noticing))\b`, `\bkeep (this|it) (a )?(secret|hidden) from\b`,
	)},
	{"send", "It tells an assistant to send something out.", []string{"send", "forward", "upload", "post", "mail", "copy", "share", "exfiltrate", "transfer", "submit", "leak"}, oneOf(
		`\b(send|forward|upload|post|e-?mail|copy|share|exfiltrate|transfer|submit|leak) (\S+ ){0,8}(to|at|into) (\S+ ){0,3}(https?:|www\.|\S+@\S+\.\S+|\S+\.(com|net|org|io|xyz|ru|cn)\b)`,
		`\b(send|forward|upload|e-?mail|exfiltrate|leak) (\S+ ){0,4}(passwords?|keys?|tokens?|secrets?|credentials?|cookies?)\b`,
	)},
}

// secret looks for what has no place in plain text: a password or a key with its value.
var secret = NewPattern(`\b(password|passwort|passphrase|passcode|mot de passe|contrasena|pin( code)?|cvv|api[ _-]?key|secret[ _-]?key|access[ _-]?token|private key|recovery (code|phrase)|seed phrase)\b( \S+){0,3}? ?(is|are|:|=|ist|est|es|-) ?\S` +
	`|\b(sk-[a-z0-9_-]{16,}|ghp_[a-z0-9]{20,}|xox[abp]-[a-z0-9-]{10,}|akia[0-9a-z]{12,})|-----begin [a-z ]*private key|парол\S* ?(:|=|-) ?\S`)

func oneOf(ways ...string) Pattern {
	return NewPattern(`(?m)` + strings.Join(ways, `|`))
}

// Order is something in a text that reads as an instruction to an assistant.
type Order struct {
	Name string // "ignore", "role", "allow", "hide", "send"
	Say  string // a sentence for a person
	At   int    // where it begins in the folded text
}

// Orders says what in a text reads as an instruction to an assistant, each kind once. The text is folded first.
func Orders(s string) []Order { return OrdersIn(Spaced(s)) }

// OrdersIn is Orders for text that is folded and spaced already.
func OrdersIn(folded string) []Order {
	var out []Order
	for _, o := range orders {
		if !Hinted(folded, o.hints) {
			continue
		}
		if at := o.find().FindStringIndex(folded); at != nil {
			out = append(out, Order{Name: o.name, Say: o.say, At: at[0]})
		}
	}
	return out
}

// Hinted says whether any of the hints is in s.
func Hinted(s string, hints []string) bool {
	return slices.ContainsFunc(hints, func(h string) bool { return strings.Contains(s, h) })
}

// Spaced is a folded text in which every run of space is one space.
func Spaced(s string) string { return strings.Join(strings.Fields(Fold(s)), " ") }

// Secret says that a text seems to hold a password or a key.
func Secret(s string) bool { return secret().MatchString(Spaced(s)) }
