// Settings → Security checkup and Repair: a press puts one thing right, or starts on all of it.

import { fixCare, repairAll } from "./api.js";
import { refresh } from "./apply.js";
import { announce, problem, toast } from "./say.js";

const stays = 8000;

export function startCare() {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-care-fix], [data-care-repair]");
    if (!button || button.getAttribute("aria-busy") === "true") return;
    button.setAttribute("aria-busy", "true");
    try {
      if ("careFix" in button.dataset) {
        const { fixed, say } = await fixCare(button.dataset.careFix);
        toast(say, fixed ? { kind: "info", ms: stays } : {});
        await refresh(); // shows what is, not what was asked for
      } else {
        announce("Repairing.");
        await repairAll();
        if ("offline" in document.body.dataset) await refresh();
      }
    } catch (err) {
      problem(err);
      await refresh();
    } finally {
      button.removeAttribute("aria-busy");
    }
  });
}
