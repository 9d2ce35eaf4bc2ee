// Which things fit what was typed, the best first.

const letters = { "Ø": "O", "Ł": "L", "Đ": "D", "Æ": "AE", "Œ": "OE" }; // those that Unicode doesn't take apart

// fold leaves of a text what counts: no accents, no case, no punctuation. It goes by capitals, of which Greek and
// German have one where they have two small forms.
export function fold(text) {
  return text
    .normalize("NFKD")
    .replace(/[\p{M}\p{Cf}'’ʼ]/gu, "")
    .toUpperCase()
    .replace(/[ØŁĐÆŒ]/g, (letter) => letters[letter])
    .replace(/[\p{P}\s]+/gu, " ")
    .trim();
}

// best are the things {title, words} in which every typed word occurs: at the title's start, then at a word's start,
// then inside the title. Inside what else a thing may be called it would be found by accident. What fits equally well
// stays in its order.
export function best(query, things) {
  const typed = fold(query);
  if (!typed) return [];
  return things
    .map((thing) => [rank(typed, fold(thing.title), fold(thing.words)), thing])
    .filter(([at]) => at < never)
    .sort(([a], [b]) => a - b)
    .map(([, thing]) => thing);
}

const never = Infinity;

function rank(typed, title, words) {
  if (title === typed) return -1;
  return typed.split(" ").reduce((sum, word) => sum + place(word, title, words), 0);
}

function place(word, title, words) {
  if (title.startsWith(word)) return 0;
  if (` ${title} ${words}`.includes(` ${word}`)) return 1;
  return title.includes(word) ? 2 : never;
}
