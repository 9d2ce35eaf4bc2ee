// The box where a person says what to do. A draft is never lost: it goes only once Conch has taken it.

import { newChat, send, setMode, stopChat } from "./api.js";
import { widening } from "./confirm.js";
import { refresh } from "./apply.js";
import { picked, pickMode, showMode, showPicked } from "./picked.js";
import { problem, toast } from "./say.js";
import { toEnd } from "./scroll.js";
import { confirmed } from "./sheet.js";

const draftKey = () => `draft:${document.body.dataset.chat || "new"}`;

export function startComposer() {
  const form = document.getElementById("composer");
  if (!form) return;
  const box = form.elements.text;
  const touch = matchMedia("(pointer: coarse)");
  let sending = false;

  const running = () => document.getElementById("composer-state").hasAttribute("data-running");

  function grow() {
    box.style.height = "auto";
    box.style.height = `${Math.min(box.scrollHeight, Math.max(120, innerHeight * 0.3))}px`;
    box.classList.toggle("tall", box.scrollHeight > box.clientHeight + 1);
  }

  function ready() {
    const button = form.querySelector(".composer-send");
    if (button) button.disabled = sending || box.value.trim() === "";
  }

  async function submit() {
    const text = box.value.trim();
    if (!text || sending) return;
    if (running()) {
      toast("Conch is still working on the last message.", { next: "Wait for it, or press Stop.", ms: 6000, kind: "info" });
      return;
    }
    sending = true;
    ready();
    try {
      const chat = form.dataset.chat;
      if (chat) {
        await send(chat, text);
      } else {
        let made;
        if (!(await widening("chat", async () => (made = await newChat(text, picked()))))) return;
        sessionStorage.removeItem(draftKey());
        location.assign(`/chats/${encodeURIComponent(made.id)}`);
        return;
      }
      box.value = "";
      sessionStorage.removeItem(draftKey());
      grow();
      toEnd();
      if ("offline" in document.body.dataset) refresh();
    } catch (err) {
      problem(err);
    } finally {
      sending = false;
      ready();
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  const sends = (event) =>
    event.key === "Enter" && !event.isComposing && !event.shiftKey && (!touch.matches || event.ctrlKey || event.metaKey);
  box.addEventListener("keydown", (event) => {
    if (!sends(event)) return;
    event.preventDefault();
    if (!event.repeat) submit();
  });
  box.addEventListener("keypress", (event) => {
    if (sends(event)) event.preventDefault();
  });
  box.addEventListener("input", () => {
    sessionStorage.setItem(draftKey(), box.value);
    grow();
    ready();
  });
  document.addEventListener("conch:composer", () => {
    showPicked();
    ready();
  });
  document.addEventListener("click", (event) => {
    const wish = event.target.closest("[data-try]");
    if (!wish) return;
    box.value = wish.dataset.try;
    box.dispatchEvent(new Event("input"));
    box.focus();
  });

  if (touch.matches) document.getElementById("box-hint").textContent = "Enter starts a new line. Send is after the box.";
  box.value ||= sessionStorage.getItem(draftKey()) ?? "";
  grow();
  ready();
  if (!touch.matches) box.focus({ preventScroll: true });

  startStop();
  startMode();
}

// startStop makes Stop in the composer work. The button says what it waits for until the turn's end comes.
function startStop() {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-stop]");
    if (!button) return;
    await stopping(button, () => stopChat(button.dataset.stop));
  });
}

// stopping runs a stop once and shows that it is on its way.
export async function stopping(button, stop) {
  if (button.getAttribute("aria-disabled") === "true") return;
  const words = button.lastChild;
  const before = words.textContent;
  button.setAttribute("aria-disabled", "true");
  words.textContent = "Stopping…";
  try {
    await stop();
    if ("offline" in document.body.dataset) await refresh();
  } catch (err) {
    problem(err);
    button.removeAttribute("aria-disabled");
    words.textContent = before;
  }
}

function startMode() {
  document.addEventListener("change", async (event) => {
    const radio = event.target.closest("input[name=mode]");
    if (!radio) return;
    const menu = radio.closest("details");
    const was = menu.querySelector("input[name=mode][checked]");
    const back = () => {
      if (was) was.checked = true;
    };
    if (radio.value === "trust" && !(await confirmed("trust-confirm"))) {
      back();
      return;
    }
    try {
      const { chat } = radio.dataset;
      if (chat && !(await widening("trust", () => setMode(chat, radio.value)))) {
        back();
        return;
      }
      showMode(radio);
      if (!chat) pickMode(radio.value);
    } catch (err) {
      back();
      problem(err);
    }
  });
}

