// Settings → Other apps: connect, change and remove.

import { press } from "./access.js";
import { appPlan, appsElsewhere, appsSeen, changePaired, connectApp, removePaired } from "./api.js";
import { refresh } from "./apply.js";
import { widening } from "./confirm.js";
import { announce, toast } from "./say.js";
import { confirmed } from "./sheet.js";

const stays = 8000;

export function startApps() {
  if (!document.getElementById("other-apps")) return;
  press("[data-connect-app]", async (button) => {
    await connect(button.dataset.connectApp, button.dataset.name);
    home(row(button.dataset.connectApp));
  });
  press("[data-add-app]", async () => {
    await add();
    home("[data-add-app]");
  });
  press("[data-change-app]", async (button) => {
    await change(button);
    home(`[data-change-app="${CSS.escape(button.dataset.changeApp)}"]`);
  });
  press("[data-remove-paired]", async (button) => {
    const { removePaired: id, name } = button.dataset;
    document.getElementById("app-remove-title").textContent = `Remove ${name}?`;
    if (!(await confirmed("app-remove"))) return;
    const app = button.closest("[data-known-app]")?.dataset.knownApp;
    const { say, next } = await removePaired(id);
    toast(say, { next, kind: next ? "problem" : "info", ms: next ? 0 : stays });
    await refresh();
    home(app ? row(app) : "[data-add-app]");
  });
  press("[data-apps-seen]", appsSeen);
  press("[data-apps-elsewhere]", async (button) => {
    const on = button.getAttribute("aria-checked") !== "true";
    if (on && !(await confirmed("apps-elsewhere"))) return;
    await widening("address", () => appsElsewhere(on));
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy-app]");
    if (button) copy(document.getElementById(button.dataset.copyApp));
  });
  // Settings are files that other programs change, so coming back looks again.
  const back = () => document.visibilityState === "visible" && refresh();
  addEventListener("focus", back);
  document.addEventListener("visibilitychange", back);
}

const row = (app) => `[data-known-app="${CSS.escape(app)}"] button`;

// home gives the focus to what css names, where the button that was pressed is there no more: the list may come anew
// while a sheet is open above it. A sheet that was just closed may still have the focus, then.
function home(css) {
  const active = document.activeElement;
  const lost = !active || active === document.body || active.id === "main" || active.closest("dialog:not([open])");
  if (lost) document.querySelector(css)?.focus({ preventScroll: true });
}

const form = () => document.querySelector("#app-sheet form");
const part = (name) => document.querySelector(`#app-sheet [data-part="${name}"]`);
const plan = (name) => document.querySelector(`#app-sheet [data-plan="${name}"]`);

// prepare makes the one sheet ready for what it is asked for this time.
function prepare(title, yes, parts, { scopes = [], mode = "ask" } = {}) {
  document.getElementById("app-sheet-title").textContent = title;
  form().reset();
  form().querySelector('[value="yes"]').textContent = yes;
  for (const el of form().querySelectorAll("[data-part]")) el.hidden = !parts.includes(el.dataset.part);
  form().elements.name.required = parts.includes("name");
  for (const box of ticks()) box.checked = !box.disabled && scopes.includes(box.value);
  for (const radio of form().querySelectorAll('[name="mode"]')) radio.checked = radio.value === mode;
}

const ticks = () => [...form().querySelectorAll('[name="scope"]')];
const picked = () => ({
  scopes: ticks().filter((box) => box.checked).map((box) => box.value),
  mode: form().querySelector('[name="mode"]:checked').value,
});

async function connect(app, name) {
  const p = await appPlan(app);
  const parts = ["plan"];
  if (p.link) parts.push("link");
  if (p.bundle) parts.push("bundle");
  prepare(`Connect ${name}`, p.left ? "Pair it, I add the lines" : "Connect", parts);
  part("link").textContent = `Let ${name} add it`;
  show("head", p.left ? "What to add" : "What Conch writes");
  show("left", p.left);
  show("file", p.file);
  plan("create").hidden = !p.create;
  show("before", p.before);
  plan("was").hidden = !p.before;
  show("lines", p.lines);
  plan("first").hidden = !p.first;
  plan("first").querySelector("span").textContent = p.first ?? "";
  plan("note").hidden = Boolean(p.left);
  await ask(async (pressed) => {
    const way = pressed === "yes" ? (p.left ? "hand" : "settings") : pressed;
    return connectApp({ plan: p.plan, way, ...picked() });
  });
}

function show(name, text) {
  const el = plan(name);
  el.textContent = text ?? "";
  el.hidden = !text;
}

async function add() {
  prepare("Add another app", "Add", ["name"]);
  await ask(() => connectApp({ way: form().elements.way.value, name: form().elements.name.value, ...picked() }));
}

async function change(button) {
  const { changeApp: id, name, mode, scopes, http, remote } = button.dataset;
  prepare(`What ${name} may use`, "Save", http ? ["remote"] : [], { scopes: scopes.split(" "), mode });
  form().elements.remote.checked = Boolean(remote);
  await ask(async () => {
    await changePaired(id, { ...picked(), remote: Boolean(http) && form().elements.remote.checked });
    return null;
  });
}

// ask keeps the sheet open until does took it or the person cancelled, then says what came of it.
async function ask(does) {
  const sheet = document.getElementById("app-sheet");
  const wrong = sheet.querySelector(".wrong");
  const result = await new Promise((resolve) => {
    const done = new AbortController();
    const { signal } = done;
    const settle = (value) => {
      done.abort();
      wrong.textContent = "";
      sheet.close();
      resolve(value);
    };
    const go = async (pressed) => {
      if (form().getAttribute("aria-busy") === "true") return;
      form().setAttribute("aria-busy", "true");
      let answer = null;
      try {
        if (await widening("pair", async () => (answer = await does(pressed)))) settle(answer);
      } catch (err) {
        wrong.textContent = [err.say || "That didn’t work.", err.next].filter(Boolean).join(" ");
        wrong.scrollIntoView({ block: "nearest" });
      } finally {
        form().removeAttribute("aria-busy");
      }
    };
    form().addEventListener(
      "submit",
      (event) => {
        event.preventDefault();
        go("yes");
      },
      { signal },
    );
    for (const other of form().querySelectorAll("[data-way]")) other.addEventListener("click", () => go(other.dataset.way), { signal });
    sheet.querySelector("[data-cancel]").addEventListener("click", () => settle(null), { signal });
    sheet.addEventListener("cancel", () => settle(null), { signal });
    sheet.showModal();
    sheet.scrollTop = 0;
  });
  if (result) await finished(result);
}

// finished says what was done. A key is in this page for as long as the sheet is open, and nowhere else.
async function finished({ say, link, bundle, lines, address, header }) {
  await refresh();
  if (link) location.assign(link);
  if (bundle) location.assign(bundle);
  if (!lines && !header) {
    toast(say, { kind: "info", ms: stays });
    announce(say);
    return;
  }
  const sheet = document.getElementById("app-done");
  const put = (box, id, text) => {
    sheet.querySelector(`[data-done="${box}"]`).hidden = !text;
    document.getElementById(id).textContent = text ?? "";
  };
  sheet.querySelector('[data-done="say"]').textContent = say;
  put("address-box", "app-address", address);
  put("header-box", "app-header", header);
  put("lines-box", "app-lines", lines);
  await confirmed("app-done");
  for (const id of ["app-address", "app-header", "app-lines"]) document.getElementById(id).textContent = "";
}

async function copy(el) {
  try {
    await navigator.clipboard.writeText(el.textContent);
    announce("Copied.", true);
  } catch {
    getSelection().selectAllChildren(el);
    announce("It is selected: copy it with your keyboard.", true);
  }
}
