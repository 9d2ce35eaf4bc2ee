// ⌘K, or Ctrl+K: one field that goes to any chat, page or known app. It only goes there and changes nothing. All of it
// is in the page already, so it works while Conch is away.

import { best } from "./match.js";
import { announce } from "./say.js";

const most = 12; // shown at once
const lately = 4; // chats before anything is typed

const apple = /Mac|iPhone|iPad/.test(navigator.platform);

// opens says whether a press is the palette's. Where the layout has no Latin K, its place on the keyboard counts.
// On a Mac Ctrl+K is an edit in the box that is being typed in.
function opens(event) {
  const held = apple ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  const k = event.key.toLowerCase() === "k" || (event.code === "KeyK" && !/^[\x20-\x7e]$/.test(event.key));
  return held && k && !event.shiftKey && !event.altKey;
}

// composing says that a press belongs to an input method. Safari ends composing before the press that ended it.
const composing = (event) => event.isComposing || event.keyCode === 229;

export function startPalette() {
  const palette = document.getElementById("palette");
  if (!palette) return;
  const field = document.getElementById("palette-query");
  const list = document.getElementById("palette-list");
  const places = [...list.children].map(thing);
  let all = places;
  let shown = [];
  let active = -1;

  // select marks the option that Enter goes to.
  function select(i) {
    active = i;
    for (const [n, { option }] of shown.entries()) option.setAttribute("aria-selected", String(n === i));
    if (i < 0) field.removeAttribute("aria-activedescendant");
    else field.setAttribute("aria-activedescendant", shown[i].option.id);
  }

  function move(i) {
    if (!shown.length) return;
    select((i + shown.length) % shown.length);
    shown[active].option.scrollIntoView({ block: "nearest" });
  }

  function show() {
    const typed = field.value.trim() !== "";
    const found = typed ? best(field.value, all) : usual(all);
    shown = found.slice(0, most);
    list.replaceChildren(...shown.map(({ option }) => option));
    list.hidden = !shown.length;
    list.scrollTop = 0;
    document.getElementById("palette-none").hidden = shown.length > 0;
    field.setAttribute("aria-expanded", String(shown.length > 0));
    select(shown.length ? 0 : -1);
    return found.length;
  }

  function open() {
    all = [...places, ...chats()];
    field.value = "";
    show();
    palette.showModal();
    field.focus();
  }

  function close() {
    palette.close();
    // What had the focus has it again, unless it is gone.
    if (document.activeElement === document.body) (document.getElementById("box") ?? document.getElementById("main")).focus({ preventScroll: true });
  }

  field.addEventListener("input", () => {
    const n = show();
    if (!n) announce("Nothing is called that.");
    else announce(n > most ? `${n} found, ${most} are shown.` : `${n} found.`);
  });

  const keys = {
    ArrowDown: () => move(active + 1),
    ArrowUp: () => move(active - 1),
    Home: () => move(0),
    End: () => move(shown.length - 1),
    Enter: (event) => event.repeat || shown[active]?.option.click(),
  };
  field.addEventListener("keydown", (event) => {
    if (composing(event) || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key](event);
  });
  palette.addEventListener("keydown", (event) => {
    if (composing(event)) return;
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation(); // a drawer or menu below stays
      close();
    } else if (event.key === "Tab") {
      event.preventDefault();
      (event.target === field ? palette.querySelector("[data-palette=close]") : field).focus();
    }
  });
  palette.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (event.target === palette) close(); // beside it
    else if (option && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      close();
      arrive(option);
    }
  });
  list.addEventListener("pointermove", (event) => {
    const i = shown.findIndex(({ option }) => option.contains(event.target));
    if (i >= 0 && i !== active) select(i);
  });

  document.addEventListener("keydown", (event) => {
    if (!opens(event) || event.defaultPrevented || composing(event)) return;
    event.preventDefault(); // it is the browser's search otherwise
    if (event.repeat) return;
    if (palette.open) close();
    else if (!document.querySelector("dialog[open]")) open(); // a sheet is answered first
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-palette]");
    if (button?.dataset.palette === "open") open();
    else if (button) close();
  });
  showKeys();
}

const thing = (option) => ({
  option,
  title: option.querySelector(".palette-title").textContent,
  words: option.dataset.words ?? "",
  usual: "usual" in option.dataset,
});

// chats are the rail's, newest first, as they are called now.
function chats() {
  const blank = document.getElementById("palette-chat").content.firstElementChild;
  return [...document.querySelectorAll("[data-rail-chat]")].map((link) => {
    const option = document.importNode(blank, true);
    option.id = `go-chat-${link.dataset.railChat}`;
    option.href = link.href;
    option.querySelector(".palette-title").textContent = link.querySelector("bdi").textContent;
    option.querySelector(".palette-under").textContent = link.closest("section")?.querySelector("h2").textContent ?? "";
    return { ...thing(option), chat: true, here: link.hasAttribute("aria-current") };
  });
}

// usual is what shows before anything is typed: a new chat, the last few, then where people mostly go.
function usual(all) {
  const [first, ...rest] = all.filter((one) => one.usual);
  return [first, ...all.filter((one) => one.chat && !one.here).slice(0, lately), ...rest];
}

// arrive takes the focus along to a part of the page that shows already; the link itself brings it into view.
function arrive(option) {
  const to = new URL(option.href);
  if (to.pathname !== location.pathname || !to.hash) return;
  const part = document.getElementById(to.hash.slice(1));
  if (!part) return;
  part.tabIndex = -1;
  part.focus({ preventScroll: true });
}

// showKeys has the button in the rail say which keys it is on this computer.
function showKeys() {
  const button = document.querySelector("[data-palette=open]");
  if (!button) return;
  button.setAttribute("aria-keyshortcuts", apple ? "Meta+K" : "Control+K");
  const keys = button.querySelector("kbd");
  keys.textContent = apple ? "⌘K" : "Ctrl K";
  keys.hidden = false;
}
