// Every call that the pages make. Bodies are JSON; an error is a Problem with words for a person.

export class Problem extends Error {
  constructor(code, say, next) {
    super(say);
    this.code = code;
    this.say = say;
    this.next = next || "";
  }
}

const gone = () => new Problem("gone", "Conch isn’t running.", "Open it from the menu bar, then try again.");

async function call(method, path, body, more = {}) {
  let answer;
  try {
    answer = await fetch(path, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      cache: "no-store",
      ...more,
    });
  } catch {
    throw gone();
  }
  const text = await answer.text();
  let data = {};
  try {
    data = text ? JSON.parse(text) : {};
  } catch {
    data = {};
  }
  if (answer.ok) return data;
  if (data.say) throw new Problem(data.code, data.say, data.next);
  if (answer.status === 401) {
    throw new Problem("proof", "This browser hasn’t shown that it is on your computer.", "Open Conch from the menu bar.");
  }
  throw new Problem("broken", "Conch couldn’t do that.", "Load the page again, then try once more.");
}

const id = encodeURIComponent;

export const redeem = (code) => call("POST", "/api/here", { code });
// newChat starts a chat; mode and model are left out where they are the usual ones.
export const newChat = (text, { mode, model }) => call("POST", "/api/chats", { text, mode, model });
export const send = (chat, text) => call("POST", `/api/chats/${id(chat)}/messages`, { text });
export const stopChat = (chat) => call("POST", `/api/chats/${id(chat)}/stop`, {});
export const setMode = (chat, mode) => call("POST", `/api/chats/${id(chat)}/mode`, { mode });
export const answer = (question, choice) => call("POST", `/api/questions/${id(question)}`, { choice });
export const stopComputer = () => call("POST", "/api/computer-use/stop", {});
export const switchComputer = (on) => call("POST", "/api/computer-use", { on });
export const switchPause = (pause) => call("POST", "/api/computer-use/pause", { pause });
export const confirmYou = (what, password) => call("POST", "/api/confirm", { what, password });
export const confirmOn = (password) => call("POST", "/api/confirm/on", { password });
export const confirmOff = () => call("POST", "/api/confirm/off", {});
export const signIn = (password) => call("POST", "/api/sign-in", { password });
export const device = () => call("GET", "/api/device");
export const letIn = (device) => call("POST", `/api/devices/${id(device)}`, {});
export const removeDevice = (device) => call("DELETE", `/api/devices/${id(device)}`);
export const setPassword = (password) => call("POST", "/api/password", { password });
export const turnAddressOn = (address) => call("POST", "/api/address", address);
export const turnAddressOff = () => call("DELETE", "/api/address");
export const addFact = (text) => call("POST", "/api/memory", { text });
export const editFact = (fact, text) => call("POST", `/api/memory/${id(fact)}`, { text });
export const keepFact = (fact, text) => call("POST", `/api/memory/${id(fact)}/keep`, { text });
export const refuseFact = (fact) => call("POST", `/api/memory/${id(fact)}/refuse`, {});
export const forgetFact = (fact) => call("POST", `/api/memory/${id(fact)}/forget`, {});
export const undoFact = (fact) => call("POST", `/api/memory/${id(fact)}/undo`, {});
export const switchSkill = (skill, on, hash) => call("POST", `/api/skills/${id(skill)}`, { on, hash });
export const acceptSkill = (skill, hash) => call("POST", `/api/skills/${id(skill)}/accept`, { hash });
export const models = () => call("GET", "/api/models");
export const addPlace = (place) => call("POST", "/api/models", place);
export const setPlaceKey = (place, key) => call("POST", `/api/models/${id(place)}/key`, { key });
export const testPlace = (place) => call("POST", `/api/models/${id(place)}/test`, {});
export const removePlace = (place) => call("DELETE", `/api/models/${id(place)}`);
export const findPlaces = () => call("POST", "/api/models/find", {});
export const chooseModel = (model) => call("POST", "/api/models/usual", { model });
export const setLimits = (turn, day) => call("POST", "/api/models/limits", { turn, day });
export const setChatModel = (chat, model) => call("POST", `/api/chats/${id(chat)}/model`, { model });
export const lookAtSwitches = () => call("POST", "/api/computer-use/switches/look", {});
export const askSwitch = (name) => call("POST", `/api/computer-use/switches/${id(name)}`, {});
export const reopen = () => call("POST", "/api/computer-use/reopen", {});
export const appPlan = (app) => call("POST", "/api/other-apps/plan", { app });
export const connectApp = (what) => call("POST", "/api/other-apps", what);
export const changePaired = (app, what) => call("POST", `/api/other-apps/${id(app)}`, what);
export const removePaired = (app) => call("DELETE", `/api/other-apps/${id(app)}`);
export const appsElsewhere = (on) => call("POST", "/api/other-apps/elsewhere", { on });
export const appsSeen = () => call("POST", "/api/other-apps/seen", {});
export const fixCare = (fix) => call("POST", "/api/care/fix", { id: fix });
export const repairAll = () => call("POST", "/api/care/repair", {});
// keepalive, since a person may leave the page while it is on its way.
export const removeApp = (app) => call("DELETE", `/api/computer-use/apps/${id(app)}`, undefined, { keepalive: true });

// page reads a page of ours again, for when the socket is away. null when nothing answers.
export async function page(path) {
  try {
    const answer = await fetch(path, { credentials: "same-origin", cache: "no-store" });
    return answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
  } catch {
    return null;
  }
}

// practiceShot answers {same}, {picture, tag} or {broken}.
export async function practiceShot(tag) {
  try {
    const answer = await fetch("/api/practice/shot", {
      credentials: "same-origin",
      cache: "no-store",
      headers: tag ? { "If-None-Match": tag } : {},
    });
    if (answer.status === 304) return { same: true };
    if (!answer.ok) return { broken: true };
    return { picture: await answer.blob(), tag: answer.headers.get("ETag") || "" };
  } catch {
    return { broken: true };
  }
}
