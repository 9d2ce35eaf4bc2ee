// A chat stays at its end while it grows, unless the person has scrolled up to read.

import { showMoment } from "./moment.js";

const near = 120;
let pinned = true;

export function toEnd() {
  if (!document.body.dataset.chat) return;
  pinned = true;
  const el = document.scrollingElement;
  el.scrollTop = el.scrollHeight;
}

// startScroll follows the growth of the stream and of the dock below it, whatever makes them grow.
export function startScroll() {
  if (!document.body.dataset.chat) return;
  const el = document.scrollingElement;
  let height = el.scrollHeight;
  addEventListener(
    "scroll",
    () => {
      // A page that has just become shorter moves by itself, which says nothing about the person.
      if (el.scrollHeight === height) pinned = height - el.scrollTop - el.clientHeight < near;
    },
    { passive: true },
  );
  const dock = document.querySelector(".dock");
  const grown = new ResizeObserver(() => {
    // What gets the focus comes into view above the dock, never under it.
    el.style.scrollPaddingBottom = `${dock.offsetHeight}px`;
    height = el.scrollHeight;
    if (pinned) toEnd();
  });
  for (const part of document.querySelectorAll(".stream, .dock")) grown.observe(part);
  addEventListener("resize", () => {
    if (pinned) toEnd();
  });
  if (showMoment()) pinned = false;
  else toEnd();
}
