// The socket: parts of the page come over it as they change. Without it the page reads itself again now and
// then, so it keeps working, less lively.

import { apply, refresh } from "./apply.js";

const first = 500;
const longest = 8000;
const showAfter = 1200; // a short gap isn't worth a word
const rereadEvery = 3000;

export function follow() {
  const chat = document.body.dataset.chat;
  let after = Number(document.body.dataset.after) || 0;
  let wait = first;
  let retry = 0;
  let reread = 0;
  let late = 0;
  let leaving = false;
  let socket = null;

  const offline = document.getElementById("offline");

  const seen = (seq) => {
    if (seq > after) after = seq;
  };

  function open() {
    clearTimeout(retry);
    if (socket && socket.readyState <= WebSocket.OPEN) return;
    const at = new URL("/live", location.href);
    at.protocol = at.protocol === "https:" ? "wss:" : "ws:";
    if (chat) at.searchParams.set("chat", chat);
    if (chat === "" && "activity" in document.body.dataset) at.searchParams.set("activity", document.body.dataset.activity);
    at.searchParams.set("after", String(after));
    const { follow: shows } = document.querySelector("main").dataset;
    if (shows) at.searchParams.set("page", shows);
    socket = new WebSocket(at);
    socket.addEventListener("open", () => {
      wait = first;
      clearTimeout(late);
      clearInterval(reread);
      late = reread = 0;
      offline.hidden = true;
      delete document.body.dataset.offline;
    });
    socket.addEventListener("message", (event) => {
      let update;
      try {
        update = JSON.parse(event.data);
      } catch {
        return;
      }
      apply(update);
      seen(update.seq);
    });
    socket.addEventListener("close", lost);
  }

  function lost() {
    if (leaving) return;
    if (!late) {
      late = setTimeout(() => {
        offline.hidden = false;
        document.body.dataset.offline = "";
      }, showAfter);
    }
    if (!reread) reread = setInterval(async () => seen(await refresh()), rereadEvery);
    clearTimeout(retry);
    retry = setTimeout(open, wait * (0.75 + Math.random() / 2));
    wait = Math.min(wait * 2, longest);
  }

  const hurry = () => {
    if (late && document.visibilityState === "visible") {
      wait = first;
      clearTimeout(retry);
      retry = setTimeout(open, 0);
    }
  };
  addEventListener("online", hurry);
  document.addEventListener("visibilitychange", hurry);
  addEventListener("pagehide", () => {
    leaving = true;
  });
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    leaving = false;
    open();
  });
  open();
}
