// Answers to questions. Enter never allows: a person who types on while a question appears must not agree to
// it by accident. Space and a press do.

import { answer } from "./api.js";
import { refresh } from "./apply.js";
import { widening } from "./confirm.js";
import { announce, problem } from "./say.js";

export function startQuestions() {
  // Both, since some input methods send the second without the first.
  for (const kind of ["keydown", "keypress"]) {
    document.addEventListener(kind, (event) => {
      const button = event.target.closest?.("[data-choice]");
      if (!button || event.key !== "Enter" || button.dataset.choice === "no") return;
      event.preventDefault();
      announce("Press Space to allow.", true);
    });
  }
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-choice]");
    if (!button || button.disabled) return;
    const { question, choice } = button.dataset;
    const all = document.querySelectorAll(`[data-question="${CSS.escape(question)}"]`);
    for (const one of all) one.disabled = true;
    try {
      if (!(await widening("always", () => answer(question, choice)))) {
        for (const one of all) one.disabled = false;
        return;
      }
      announce(choice === "no" ? "Answered no." : "Allowed.");
      document.getElementById("box")?.focus({ preventScroll: true });
      if ("offline" in document.body.dataset) await refresh();
    } catch (err) {
      for (const one of all) one.disabled = false;
      problem(err);
    }
  });
}
