// Puts updates into the page. What a person is doing stays: an open fold, the focus, the place in the page.

import { page } from "./api.js";
import { pressedIn } from "./press.js";
import { announce } from "./say.js";
import { swapLive } from "./picture.js";

// fragment reads the one element of an update. It belongs to this page at once, since pictures of a template
// don't load.
function fragment(html) {
  const box = document.createElement("template");
  box.innerHTML = html;
  return document.importNode(box.content, true).firstElementChild;
}

// The parts that a reread brings up to date.
const parts = ["rail-chats", "stream", "asking", "live", "composer-state", "computer-switch", "screen-state", "computer-switches", "confirm-row", "allowed-apps", "activity-list", "care-checkup", "care-repair", "repair-run", "address-row", "devices", "memory-waiting", "memory-list", "memory-forgotten", "skill-list", "other-apps", "needs-ok", "model-places", "models-found", "models-usual", "models-limits", "doing", "chat-cost"];

// touched says when an update last changed a part. A reread that was asked for before then is older.
const touched = new Map();
let clock = 0;

function touch(target) {
  const part = target?.closest(parts.map((id) => `#${id}`).join());
  if (part) touched.set(part.id, ++clock);
}

// apply does what one update says. It may come twice.
export function apply({ op, id, html }) {
  const target = document.getElementById(id);
  touch(target);
  if (op === "remove") {
    target?.remove();
  } else if (op === "replace") {
    if (target) put(target, fragment(html));
  } else if (op === "append" || op === "prepend") {
    const fresh = fragment(html);
    const old = fresh?.id ? document.getElementById(fresh.id) : null;
    if (old) put(old, fresh);
    else if (target && fresh) add(target, fresh, op);
    else refresh();
  }
}

function add(target, fresh, op) {
  document.getElementById("welcome")?.remove();
  target[op](fresh);
  const fold = target.closest(".steps");
  if (fold) recount(fold);
  read(fresh);
}

// recount keeps a fold's line right while steps come one by one.
function recount(fold) {
  const n = fold.querySelectorAll(".step").length;
  fold.querySelector(".steps-count").textContent = n === 1 ? "1 step" : `${n} steps`;
}

// read tells a screen reader what is new.
function read(el) {
  if (el.matches(".step")) announce(words(el.querySelector(".step-text")));
  else if (el.matches(".message.conch, .note")) announce(words(el));
  else if (el.matches(".question.waiting")) announce(`Conch asks: ${words(el.querySelector("h2"))}`, true);
}

const words = (el) => el?.textContent.replace(/\s+/g, " ").trim() ?? "";

function put(old, fresh) {
  if (!fresh) return;
  if (fresh.id === "live") {
    swapLive(old, fresh);
    return;
  }
  // What is the same stays: a press that has begun on it would be lost with it.
  if (old.isEqualNode(fresh) || pressedIn(old, refresh)) return;
  const held = holdFocus(old);
  glint(old, fresh);
  if (old.matches("details") && old.dataset.touched) {
    fresh.open = old.open;
    fresh.dataset.touched = old.dataset.touched;
  }
  old.replaceWith(fresh);
  if (fresh.id === "rail-chats" || fresh.matches("[id^='rail-']")) markCurrent();
  if (fresh.id === "composer-state") document.dispatchEvent(new CustomEvent("conch:composer"));
  if (fresh.matches(".step, .message.conch")) read(fresh);
  if (fresh.id === "needs-ok") readNeeds(old, fresh);
  held(fresh);
}

// glint marks a switch of the system's that turned on since the page was drawn, and reads it out.
function glint(old, fresh) {
  for (const row of fresh.querySelectorAll('[data-switch][data-state="on"]')) {
    const was = old.querySelector(`[data-switch="${CSS.escape(row.dataset.switch)}"]`);
    if (!was || was.dataset.state === "on") continue;
    row.classList.add("glint");
    announce(`${words(row.querySelector("strong"))} is on.`);
  }
}

// readNeeds reads out which apps need an OK that didn't before.
function readNeeds(old, fresh) {
  for (const one of fresh.children) {
    if (!old.querySelector(`#${CSS.escape(one.id)}`)) announce(`${words(one.querySelector("strong"))}: ${words(one.children[1])}`, true);
  }
}

// holdFocus remembers what had the focus inside el; the function that it returns gives it back, or to the
// box when there is nothing like it any more.
function holdFocus(el) {
  const active = document.activeElement;
  if (!active || !el.contains(active)) return () => {};
  const like = ["data-question", "data-choice", "data-remove-app", "data-remove-device", "data-ask-switch", "data-reopen", "data-care-fix", "data-care-repair", "data-stop", "data-stop-computer", "data-fact", "data-place", "data-do", "data-skill", "data-connect-app", "data-change-app", "data-remove-paired", "name", "role"]
    .filter((name) => active.hasAttribute(name))
    .map((name) => `[${name}="${CSS.escape(active.getAttribute(name))}"]`)
    .join("");
  return (fresh) => {
    const heir = like ? fresh.querySelector(active.tagName + like) : null;
    (heir ?? document.getElementById("box") ?? document.getElementById("main"))?.focus({ preventScroll: true });
  };
}

// markCurrent shows which chat in the rail is this page's.
export function markCurrent() {
  for (const link of document.querySelectorAll("[data-rail-chat]")) {
    if (link.dataset.railChat === document.body.dataset.chat) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

let reading = null; // the reread that is under way
let next = null; // the one that was asked for meanwhile

// refresh reads this page again and takes over what changed. It returns the log's last event in it. What is asked
// for during a reread waits for one that begins afterwards, since the one under way may have been answered already.
export function refresh() {
  if (!reading) {
    reading = reread().finally(() => {
      reading = null;
    });
    return reading;
  }
  const again = () => {
    next = null;
    return refresh();
  };
  next ??= reading.then(again, again);
  return next;
}

async function reread() {
  const asked = clock;
  const now = await page(location.pathname + location.search);
  if (!now) return 0;
  for (const part of parts) {
    if (touched.get(part) > asked) continue;
    const old = document.getElementById(part);
    const fresh = now.getElementById(part);
    if (old && fresh && old.outerHTML !== fresh.outerHTML) put(old, document.adoptNode(fresh));
  }
  // A stream that stayed as it was knows less than the page that was read.
  return touched.get("stream") > asked ? 0 : Number(now.body.dataset.after) || 0;
}
