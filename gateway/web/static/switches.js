// The system's own switches in Settings: one press opens them, and the page looks until they are on.

import { askSwitch, lookAtSwitches, reopen } from "./api.js";
import { refresh } from "./apply.js";
import { problem, toast } from "./say.js";

const every = 2000;

const part = () => document.getElementById("computer-switches");

let looking = false;

// look asks how the switches stand. What is new comes over the socket; without one the page reads it.
async function look() {
  if (looking || document.visibilityState !== "visible") return;
  looking = true;
  try {
    await lookAtSwitches();
    if ("offline" in document.body.dataset) await refresh();
  } catch {
    // The socket's own line says it when Conch is gone.
  } finally {
    looking = false;
  }
}

async function pressed(button, does) {
  if (button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  try {
    await does();
  } catch (err) {
    problem(err);
  } finally {
    button.removeAttribute("aria-busy");
  }
}

export function startSwitches() {
  if (!part()) return;
  document.addEventListener("click", (event) => {
    const ask = event.target.closest("[data-ask-switch]");
    if (ask) pressed(ask, () => askSwitch(ask.dataset.askSwitch));
    const again = event.target.closest("[data-reopen]");
    if (again) {
      pressed(again, async () => {
        await reopen();
        toast("Conch is closing and comes back in a moment.", { kind: "info" });
      });
    }
  });
  setInterval(() => {
    if (part()?.hasAttribute("data-watch")) look();
  }, every);
  // A switch may have been turned off while the person was elsewhere, so coming back looks in any case.
  const back = () => {
    if (part() && !part().hidden) look();
  };
  addEventListener("focus", back);
  document.addEventListener("visibilitychange", back);
}
