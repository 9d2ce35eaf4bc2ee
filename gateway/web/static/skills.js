// Settings → Skills.

import { press } from "./access.js";
import { acceptSkill, page, switchSkill } from "./api.js";
import { refresh } from "./apply.js";
import { widening } from "./confirm.js";
import { announce, toast } from "./say.js";
import { confirmed } from "./sheet.js";

const here = () => document.getElementById("skill-list") ?? document.getElementById("skill");

export function startSkills() {
  if (!here()) return;
  press("[data-skill]", async (button) => {
    const { skill, hash } = button.dataset;
    if (button.getAttribute("aria-checked") === "true") await switchSkill(skill, false, "");
    else await widening("skill", () => switchSkill(skill, true, hash));
    await lookAtSkill();
  });
  press("[data-accept-skill]", async (button) => {
    const { acceptSkill: skill, hash } = button.dataset;
    if (await confirmed("skill-accept")) await widening("skill", () => acceptSkill(skill, hash));
    await lookAtSkill();
  });
  press("[data-copy]", (button) => copy(document.getElementById(button.dataset.copy)));
  // Skills are files that other programs change, so coming back looks again.
  const back = () => {
    if (document.visibilityState !== "visible") return;
    if (document.getElementById("skill")) lookAtSkill();
    else refresh();
  };
  addEventListener("focus", back);
  document.addEventListener("visibilitychange", back);
}

// lookAtSkill shows a skill's own page as it is now. It is replaced only when the skill is another one, since a
// person may have opened its files and be reading.
async function lookAtSkill() {
  if (!document.getElementById("skill")) return;
  const fresh = (await page(location.pathname))?.getElementById("skill");
  const now = document.getElementById("skill");
  if (!fresh || fresh.dataset.version === now.dataset.version) return;
  now.replaceWith(document.adoptNode(fresh));
  announce(fresh.querySelector(".skill-say")?.textContent);
}

async function copy(el) {
  try {
    await navigator.clipboard.writeText(el.textContent);
    toast("Copied.", { kind: "info", ms: 4000 });
    announce("Copied.");
  } catch {
    getSelection().selectAllChildren(el);
    toast("This window may not copy by itself.", { next: "The path is selected: copy it with your keyboard." });
  }
}
