// What Conch knows: search as you type, and what is done to a fact.

import { press } from "./access.js";
import { addFact, editFact, forgetFact, keepFact, refuseFact, undoFact } from "./api.js";
import { refresh } from "./apply.js";
import { asked, widening } from "./confirm.js";
import { announce } from "./say.js";

const pause = 200; // between the last letter and the search

export function startMemory() {
  if (!document.getElementById("memory-query")) return;
  startSearch();
  press("[data-add-fact]", () => sheet("Add a fact", "Keep", "", addFact));
  press("[data-fact]", async (button) => {
    const { fact, text } = button.dataset;
    const next = after(button);
    switch (button.dataset.do) {
      case "edit":
        return sheet("Edit this fact", "Save", text, (words) => editFact(fact, words));
      case "edit-keep":
        return sheet("Keep it in your words", "Keep", text, (words) => keepFact(fact, words));
      case "keep":
        if (await widening("memory", () => keepFact(fact, ""))) said("Kept.", next);
        break;
      case "refuse":
        await refuseFact(fact);
        said("Not kept. Undo is under Forgotten lately.", next);
        break;
      case "forget":
        await forgetFact(fact);
        said("Forgotten. Undo is under Forgotten lately.", next);
        break;
      case "undo":
        if (await widening("memory", () => undoFact(fact))) said("Brought back.", next);
        break;
    }
  });
}

// after is the same button of the next fact, or of the one before: where a person at the keyboard goes on.
function after(button) {
  const row = button.closest("li");
  const beside = row.nextElementSibling ?? row.previousElementSibling;
  return beside?.querySelector(`[data-do="${button.dataset.do}"]`)?.dataset;
}

function said(words, next) {
  announce(words);
  if (!next) return;
  const css = `[data-fact="${CSS.escape(next.fact)}"][data-do="${CSS.escape(next.do)}"]`;
  // The list is read anew right after this; the focus would be lost with the row.
  document.querySelector(css)?.focus({ preventScroll: true });
}

// sheet asks for the words of a fact; the person may change their mind.
async function sheet(title, button, text, does) {
  const dialog = document.getElementById("fact-sheet");
  dialog.querySelector("h2").textContent = title;
  dialog.querySelector("[value=yes]").textContent = button;
  dialog.querySelector("input").value = text;
  if (await asked("fact-sheet", (form) => widening("memory", () => does(form.elements.fact.value)))) announce("Kept.");
}

function startSearch() {
  const box = document.getElementById("memory-query");
  const form = box.closest("form");
  let timer = 0;
  const look = async () => {
    clearTimeout(timer);
    const at = new URL(location.href);
    if (box.value.trim()) at.searchParams.set("q", box.value);
    else at.searchParams.delete("q");
    if (at.href === location.href) return;
    history.replaceState(null, "", at);
    await refresh();
    announce(document.querySelector("#memory-list [data-count]")?.textContent);
  };
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, pause);
  });
  // The list of a search isn't pushed, since only this page knows what is looked for.
  const again = () => {
    if (document.getElementById("memory-found")) refresh();
  };
  new MutationObserver(again).observe(document.getElementById("main"), { childList: true });
  addEventListener("focus", again);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    look();
  });
}
