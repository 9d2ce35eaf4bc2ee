// Confirming that it's you: what lets others in always asks for it, and the rest of what widens for good does where
// the person turned that on.

import { confirmOff, confirmOn, confirmYou, setPassword } from "./api.js";
import { refresh } from "./apply.js";
import { announce, problem } from "./say.js";

// widening does something that may need confirming, and once more after the person confirmed. It says whether
// it was done; a person who cancels changed their mind, which is no error.
export async function widening(what, does) {
  try {
    await does();
    return true;
  } catch (err) {
    if (err.code === "confirm-system") {
      announce("Your computer asks whether it’s you.", true);
      await confirmYou(what, "");
    } else if (err.code === "confirm-set") {
      if (!(await newPassword(what))) return false;
    } else if (err.code !== "confirm-password") {
      throw err;
    } else if (!(await asked("confirm-you", (form) => confirmYou(what, form.elements.password.value)))) {
      return false;
    }
  }
  await does();
  return true;
}

// newPassword asks for a Conch password and sets it. Where something waits for the first one, the person confirms with
// what they just typed. It says whether that was done.
export function newPassword(first) {
  document.querySelector("#password-set [data-first]").hidden = !first;
  return asked("password-set", async (form) => {
    const password = form.elements.password.value;
    if (!(await widening("password", () => setPassword(password)))) return false;
    if (first) await confirmYou(first, password);
    return true;
  });
}

// asked opens a sheet with something to type and stays until does took it or the person cancelled. Where does says
// false, the person changed their mind about a part of it, and the sheet stays.
export function asked(id, does) {
  const sheet = document.getElementById(id);
  const form = sheet.querySelector("form");
  const field = sheet.querySelector("input");
  const secret = sheet.querySelector("input[type=password]");
  const wrong = sheet.querySelector(".wrong");
  const done = new AbortController();
  const { signal } = done;
  return new Promise((resolve) => {
    const settle = (yes) => {
      done.abort();
      if (secret) secret.value = "";
      wrong.textContent = "";
      sheet.close();
      resolve(yes);
    };
    form.addEventListener(
      "submit",
      async (event) => {
        event.preventDefault();
        if (form.getAttribute("aria-busy") === "true") return;
        form.setAttribute("aria-busy", "true");
        try {
          if ((await does(form)) !== false) settle(true);
        } catch (err) {
          wrong.textContent = [err.say || "That didn’t work.", err.next].filter(Boolean).join(" ");
          field.select();
        } finally {
          form.removeAttribute("aria-busy");
        }
      },
      { signal },
    );
    sheet.querySelector("[data-cancel]").addEventListener("click", () => settle(false), { signal });
    sheet.addEventListener("cancel", () => settle(false), { signal });
    sheet.showModal();
    field.focus();
  });
}

// startConfirm is the row in Settings.
export function startConfirm() {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-confirm-switch]");
    if (!button || button.getAttribute("aria-busy") === "true") return;
    button.setAttribute("aria-busy", "true");
    try {
      if (button.getAttribute("aria-checked") === "true") await widening("off", confirmOff);
      else if (button.dataset.confirmSwitch === "password") await asked("confirm-set", (form) => confirmOn(form.elements.password.value));
      else await widening("on", () => confirmOn(""));
      await refresh();
    } catch (err) {
      problem(err);
    } finally {
      button.removeAttribute("aria-busy");
    }
  });
}
