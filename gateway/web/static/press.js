// What is being pressed. A control that is replaced between press and release is never clicked, so what would replace
// it waits.

const controls = "button, a, summary, label, input, select, textarea, [role]";
const longest = 2000; // a release that is never heard of

let pressed = null;
let timer = 0;
let waiting = null; // what is done on release

// pressedIn says whether a control in el is being pressed. If so, then is called once it isn't any more.
export function pressedIn(el, then) {
  if (!pressed || !el.contains(pressed)) return false;
  waiting = then;
  return true;
}

function press(el) {
  pressed = el.closest?.(controls) ?? null;
  clearTimeout(timer);
  if (pressed) timer = setTimeout(release, longest);
}

// release comes after the click, which follows the release by itself.
function release() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    pressed = null;
    const then = waiting;
    waiting = null;
    then?.();
  });
}

addEventListener("pointerdown", (event) => press(event.target), true);
addEventListener("keydown", (event) => !event.repeat && (event.key === " " || event.key === "Enter") && event.target.matches?.("button, summary, [role]") && press(event.target), true);
for (const name of ["pointerup", "pointercancel", "keyup"]) addEventListener(name, release, true);
addEventListener("blur", (event) => event.target === window && release(), true);
