// Settings → This computer → Use your apps.

import { removeApp, switchComputer, switchPause } from "./api.js";
import { refresh } from "./apply.js";
import { widening } from "./confirm.js";
import { problem, toast } from "./say.js";
import { confirmed } from "./sheet.js";

const undoFor = 6000;

export function startSettings() {
  startSwitch("[data-computer-switch]", switchComputer, (on) => !on || confirmed("computer-confirm"));
  startSwitch("[data-pause-switch]", switchPause, () => true);
  startRemoving();
}

// startSwitch has a press on a switch turn it, if the person means it.
function startSwitch(css, turn, meant) {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest(css);
    if (!button || button.getAttribute("aria-busy") === "true") return;
    const on = button.getAttribute("aria-checked") !== "true";
    if (!(await meant(on))) return;
    button.setAttribute("aria-busy", "true");
    try {
      await widening("use", () => turn(on));
      await refresh(); // shows what is, not what was asked for
    } catch (err) {
      problem(err);
    } finally {
      button.removeAttribute("aria-busy");
    }
  });
}

// startRemoving takes an app from the list. There is a moment to undo, so nothing is sent before it is over;
// leaving the page sends at once.
function startRemoving() {
  const waiting = new Map(); // app → run now

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-remove-app]");
    if (!button) return;
    const app = button.dataset.removeApp;
    if (waiting.has(app)) return;
    const row = button.closest("li");
    row.classList.add("going");
    button.disabled = true;

    const finish = async () => {
      clearTimeout(timer);
      if (!waiting.delete(app)) return;
      note.close();
      try {
        await removeApp(app);
        await refresh();
      } catch (err) {
        stay();
        problem(err);
      }
    };
    const stay = () => {
      row.classList.remove("going");
      button.disabled = false;
      button.focus();
    };
    const timer = setTimeout(finish, undoFor);
    waiting.set(app, finish);
    const note = toast(`Removing ${button.dataset.name}.`, {
      next: "Conch will ask again before it uses it.",
      action: "Undo",
      ms: undoFor,
      kind: "info",
      run: () => {
        clearTimeout(timer);
        waiting.delete(app);
        stay();
      },
    });
  });
  addEventListener("pagehide", () => {
    for (const finish of waiting.values()) finish();
  });
}
