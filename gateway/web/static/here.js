// A one-time code in the address proves that this browser is on the person's computer. It is taken out of the
// address first, so it is never kept in the history or seen by anyone looking.

import { redeem } from "./api.js";

// takeCode returns the code in the address, or "".
function takeCode() {
  const found = /^#here=([\w-]+)$/.exec(location.hash);
  if (!found) return "";
  history.replaceState(null, "", location.pathname + location.search);
  return found[1];
}

// ours lets only a path of this very address through.
function ours(path) {
  const to = path ? new URL(path, location.href) : null;
  return to && to.origin === location.origin ? to.pathname + to.search : "";
}

// inPage redeems a code on a page that shows already; a stale one is no trouble there.
export async function inPage() {
  const code = takeCode();
  if (code) await redeem(code).catch(() => {});
}

// onSmallPage redeems a code on the page that a browser without proof gets, then goes on.
export async function onSmallPage() {
  const box = document.getElementById("here");
  if (!box) return;
  const code = takeCode();
  const title = box.querySelector("h1");
  const say = document.getElementById("here-say");
  const tell = (what, more) => {
    title.textContent = what;
    say.textContent = more;
  };
  if (!code) {
    if (box.dataset.state === "waiting") tell("Open Conch from the menu bar", "This address has no code in it. Choose Open in Conch’s menu.");
    return;
  }
  tell("Opening Conch", "One moment.");
  try {
    await redeem(code);
    location.replace(ours(box.dataset.next) || location.pathname + location.search);
  } catch (err) {
    tell("Open Conch from the menu bar again", `${err.say ?? "That didn’t work."} ${err.next ?? ""}`.trim());
  }
}
