// Pictures of a computer: the live card's, and the practice desktop's while nothing runs.

import { practiceShot } from "./api.js";

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
let turn = 0; // only the newest picture counts

// swapLive takes over a new live card. The picture changes only once the next one is decoded, so nothing
// flickers, and the card fades when it goes.
export function swapLive(old, fresh) {
  const mine = ++turn;
  const oldCard = old.querySelector(".live-card");
  const newCard = fresh.querySelector(".live-card");
  if (!oldCard || !newCard) {
    leave(oldCard, () => {
      if (mine !== turn) return;
      document.getElementById("live")?.replaceWith(fresh);
      document.dispatchEvent(new CustomEvent("conch:live"));
    });
    return;
  }
  oldCard.classList.remove("leaving");
  oldCard.querySelector(".live-step").replaceWith(newCard.querySelector(".live-step"));
  const oldFrame = oldCard.querySelector(".frame");
  const newFrame = newCard.querySelector(".frame");
  const shot = newFrame.querySelector(".shot");
  if (!shot) return;
  if (oldFrame.querySelector(".shot")?.getAttribute("src") === shot.getAttribute("src")) return;
  shot.decode().then(
    () => {
      if (mine === turn) oldFrame.replaceWith(newFrame);
    },
    () => {}, // the picture is gone already; the one that shows stays until the next
  );
}

// watchShots says that the picture is awaited where one is gone before it could be shown.
export function watchShots() {
  const gone = (shot) => {
    const wait = document.createElement("p");
    wait.className = "frame-wait";
    wait.textContent = "Waiting for the next picture…";
    shot.closest(".screen").replaceWith(wait);
  };
  document.addEventListener("error", (event) => event.target.matches?.("#live .shot") && gone(event.target), true);
  for (const shot of document.querySelectorAll("#live .shot")) if (shot.complete && !shot.naturalWidth) gone(shot);
}

function leave(card, then) {
  if (!card || still()) {
    then();
    return;
  }
  card.classList.add("leaving");
  setTimeout(then, 170);
}

const quick = 700;
const slow = 4000;

// followPractice shows the practice desktop. It looks less often while nothing changes, and not at all while
// nobody sees it or a turn shows its own pictures.
export function followPractice() {
  const card = document.getElementById("practice");
  if (!card) return;
  const fold = card.querySelector("[data-practice-fold]");
  let tag = "";
  let wait = quick;
  let timer = 0;
  let shown = "";

  const wanted = () =>
    document.visibilityState === "visible" && !card.classList.contains("folded") && document.getElementById("live")?.hidden !== false;

  async function look() {
    clearTimeout(timer);
    if (!wanted()) return;
    const got = await practiceShot(tag);
    if (got.broken) {
      card.dataset.state = "broken";
      wait = slow;
    } else if (got.same) {
      card.dataset.state = "ready";
      wait = Math.min(wait * 1.5, slow);
    } else {
      wait = got.tag ? quick : Math.min(wait * 1.5, slow);
      await show(got.picture);
      tag = got.tag;
    }
    timer = setTimeout(look, wait);
  }

  async function show(picture) {
    const fresh = new Image();
    const address = URL.createObjectURL(picture);
    fresh.src = address;
    const old = card.querySelector(".shot");
    fresh.className = "shot";
    fresh.alt = old.alt;
    try {
      await fresh.decode();
      fresh.width = fresh.naturalWidth;
      fresh.height = fresh.naturalHeight;
      old.replaceWith(fresh);
      card.dataset.state = "ready";
      if (shown) URL.revokeObjectURL(shown);
      shown = address;
    } catch {
      URL.revokeObjectURL(address);
    }
  }

  const again = () => {
    wait = quick;
    look();
  };
  // Hidden once, it stays hidden from page to page in this tab.
  const key = "practice-hidden";
  const setFolded = (folded) => {
    card.classList.toggle("folded", folded);
    fold.textContent = folded ? "Show" : "Hide";
    fold.setAttribute("aria-expanded", String(!folded));
  };
  setFolded(sessionStorage.getItem(key) === "yes");
  fold.addEventListener("click", () => {
    const folded = !card.classList.contains("folded");
    sessionStorage.setItem(key, folded ? "yes" : "no");
    setFolded(folded);
    again();
  });
  document.addEventListener("visibilitychange", again);
  document.addEventListener("conch:live", again);
  look();
}
