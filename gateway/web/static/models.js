// Settings → Models, and the model of a chat.

import { press } from "./access.js";
import { addPlace, chooseModel, findPlaces, models, removePlace, setChatModel, setLimits, setPlaceKey, testPlace } from "./api.js";
import { refresh } from "./apply.js";
import { asked, widening } from "./confirm.js";
import { pickModel } from "./picked.js";
import { announce, problem, toast } from "./say.js";
import { confirmed } from "./sheet.js";

export function startModels() {
  startChatModel();
  if (!document.getElementById("model-places")) return;
  press("[data-place]", (button) => {
    const { place, name } = button.dataset;
    switch (button.dataset.do) {
      case "test":
        return waiting(button, "Testing…", async () => said(await testPlace(place)));
      case "key":
        return changeKey(place, name, "needsKey" in button.dataset);
      case "remove":
        return remove(place, name);
    }
    return undefined;
  });
  press("[data-add-place]", add);
  press("[data-find-places]", (button) => waiting(button, "Looking…", find));
  press("[data-found]", (button) =>
    waiting(button, "Adding…", async () => {
      let answer;
      if (await widening("models", async () => (answer = await addPlace({ kind: button.dataset.found })))) await offer(answer);
    }),
  );
  startKinds();
  startUsual();
  startLimits();
  look();
}

// look asks the places and this computer once, so that the page says how things stand without a press.
async function look() {
  await Promise.allSettled([models(), findPlaces()]);
  await refresh();
}

// waiting says on a button what goes on.
async function waiting(button, words, does) {
  const before = button.textContent;
  button.textContent = words;
  try {
    await does();
  } finally {
    button.textContent = before;
  }
}

// said tells what a test found.
function said({ works, say, next }) {
  if (works) toast(say, { kind: "info", ms: 8000 });
  else toast(say, { next });
}

async function find() {
  const { found } = await findPlaces();
  if (found.length) announce(`Found ${found.join(", ")}.`);
  else toast("Nothing new runs on this computer.", { next: "Start Ollama, LM Studio or vLLM, then press Find again.", kind: "info", ms: 8000 });
}

async function add() {
  const dialog = document.getElementById("place-add");
  dialog.querySelector("form").reset();
  shown(dialog.querySelector("form"));
  const done = dialog.querySelector("[value=yes]");
  let answer;
  const taken = await asked("place-add", (form) =>
    waiting(done, "Testing…", async () => {
      const { kind, address, place, key } = form.elements;
      answer = undefined;
      await widening("models", async () => {
        answer = await addPlace({ kind: kind.value, address: address.value, name: place.value, key: key.value });
      });
    }).then(() => answer !== undefined),
  );
  if (taken) await offer(answer);
}

// offer lets a person choose among the models of a place that was just added.
async function offer(answer) {
  await refresh();
  if (!answer.works || answer.models.length === 0) {
    said(answer);
    return;
  }
  announce(answer.say);
  const dialog = document.getElementById("place-model");
  dialog.querySelector("h2").textContent = `${answer.name} works`;
  const select = dialog.querySelector("select");
  select.replaceChildren(...answer.models.map(option));
  if (!(await confirmed("place-model"))) return;
  await widening("models", () => chooseModel(select.value));
}

async function changeKey(place, name, needed) {
  const dialog = document.getElementById("place-key");
  dialog.querySelector("h2").textContent = `Change the key of ${name}`;
  dialog.querySelector("input").required = needed;
  const changed = await asked("place-key", (form) => widening("models", () => setPlaceKey(place, form.elements.key.value)));
  if (changed) said(await testPlace(place));
}

async function remove(place, name) {
  document.querySelector("#place-remove h2").textContent = `Remove ${name}?`;
  if (!(await confirmed("place-remove"))) return;
  await removePlace(place);
  announce(`Removed ${name}.`);
}

// startKinds shows only what the picked kind of place needs.
function startKinds() {
  const form = document.querySelector("#place-add form");
  form.elements.kind.addEventListener("change", () => shown(form));
}

function shown(form) {
  const { kind, address, key, place } = form.elements;
  const { own, program, base, keys, missing } = kind.selectedOptions[0].dataset;
  const needed = "key" in kind.selectedOptions[0].dataset;
  form.querySelector("[data-address]").hidden = own === undefined;
  form.querySelector("[data-own-name]").hidden = kind.value !== "server";
  if (own === undefined) address.value = "";
  if (kind.value !== "server") place.value = "";
  address.placeholder = base || address.dataset.example;
  address.required = own !== undefined && !base;
  form.querySelector("[data-key-field]").hidden = program !== undefined;
  if (program !== undefined) key.value = "";
  key.required = needed;
  form.querySelector("[data-key-label]").textContent = needed ? "Key" : "Key, if it asks for one";
  form.querySelector("[data-keys-at]").textContent = missing || about(keys, base, program);
}

// about is what to know of a kind of place before it is added.
function about(keys, base, program) {
  if (program !== undefined) return "It thinks on your own plan, as you are signed in with it, and needs no key here.";
  if (keys) return `Get one at ${keys}.`;
  return base ? "Leave the address empty if it runs on this computer as usual." : "It has to speak Chat Completions, as most servers do.";
}

function startUsual() {
  document.addEventListener("change", async (event) => {
    const select = event.target.closest("select[name=usual]");
    if (!select) return;
    try {
      if (await widening("models", () => chooseModel(select.value))) announce("Chosen.");
    } catch (err) {
      problem(err);
    }
    select.value = select.dataset.now;
    await refresh();
  });
}

function startLimits() {
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("[data-limits]");
    if (!form) return;
    event.preventDefault();
    const { turn, day } = form.elements;
    try {
      if (!(await widening("models", () => setLimits(Number(turn.value) || 0, Number(day.value) || 0)))) return;
      toast("Saved.", { kind: "info", ms: 4000 });
      await refresh();
    } catch (err) {
      problem(err);
    }
  });
}

function option({ name, label, marks }) {
  const el = document.createElement("option");
  el.value = name;
  el.dataset.label = label;
  el.textContent = marks ? `${label} · ${marks}` : label;
  return el;
}

// startChatModel fills the menu of a chat's model when it is opened, since its places are asked then.
function startChatModel() {
  document.addEventListener(
    "toggle",
    (event) => {
      if (event.target.matches?.("details.model") && event.target.open) fill(event.target);
    },
    true,
  );
  document.addEventListener("change", async (event) => {
    const select = event.target.closest("select[name=chat-model]");
    if (!select) return;
    const menu = select.closest("details");
    const { chat, now } = select.dataset;
    if (!chat) {
      pickModel(select.selectedOptions[0]);
      menu.open = false;
      menu.querySelector("summary").focus();
      return;
    }
    try {
      if (await widening("models", () => setChatModel(chat, select.value))) {
        announce("Chosen. It counts from your next message on.");
        await refresh();
        menu.open = false;
        return;
      }
    } catch (err) {
      problem(err);
    }
    select.value = now;
  });
}

async function fill(menu) {
  const select = menu.querySelector("select");
  if (!select.disabled) {
    select.focus({ preventScroll: true });
    return;
  }
  const note = menu.querySelector("[data-model-note]");
  try {
    const { usual, places } = await models();
    if (!select.isConnected) return;
    const now = select.dataset.now;
    const choices = [option({ name: "", label: usual ? `The usual one: ${usual}` : "None: plain words" })];
    for (const place of places) {
      const group = document.createElement("optgroup");
      group.label = place.works ? place.name : `${place.name} can’t be used now`;
      group.append(...place.models.map(option));
      choices.push(group);
    }
    select.replaceChildren(...choices);
    if (now && ![...select.options].some((o) => o.value === now)) select.append(option({ name: now, label: now }));
    select.value = now;
    select.disabled = false;
    select.focus({ preventScroll: true });
    if (places.length === 0) note.textContent = "No model is set up yet, so Conch goes by plain words.";
  } catch (err) {
    menu.open = false;
    problem(err);
  }
}
