// The script of every page with the rail.

import { startAccess } from "./access.js";
import { startApps } from "./apps.js";
import { stopComputer } from "./api.js";
import { markCurrent } from "./apply.js";
import { startCare } from "./care.js";
import { startConfirm } from "./confirm.js";
import { startComposer, stopping } from "./composer.js";
import { inPage } from "./here.js";
import { follow } from "./live.js";
import { startMemory } from "./memory.js";
import { startModels } from "./models.js";
import { startPalette } from "./palette.js";
import { followPractice, watchShots } from "./picture.js";
import { startQuestions } from "./question.js";
import { startRail } from "./rail.js";
import { startScroll } from "./scroll.js";
import { startSettings } from "./settings.js";
import { startSkills } from "./skills.js";
import { startSwitches } from "./switches.js";

// startFolds keeps what a person opened or closed, and closes a menu that the focus or a press leaves.
function startFolds() {
  document.addEventListener("click", (event) => {
    const fold = event.target.closest("summary")?.parentElement;
    if (fold) fold.dataset.touched = "yes";
    for (const menu of document.querySelectorAll("details.mode[open]")) {
      if (!menu.contains(event.target) && !event.target.closest("dialog")) menu.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of document.querySelectorAll("details.mode[open]")) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
}

function startStopComputer() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-stop-computer]");
    if (button) stopping(button, stopComputer);
  });
}

startFolds();
startRail();
startPalette();
startQuestions();
startStopComputer();
startSettings();
startSwitches();
startCare();
startConfirm();
startAccess();
startMemory();
startModels();
startSkills();
startApps();
startComposer();
markCurrent();
startScroll();
watchShots();
followPractice();
follow();
inPage();
document.body.dataset.ready = ""; // for tests: every press is heard from here on
