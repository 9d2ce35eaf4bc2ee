// Signing in from elsewhere: the password, then waiting to be let in, then on to the page that was asked for.

import { device, signIn } from "./api.js";

const every = 2000;

const box = document.getElementById("signin");
const title = document.getElementById("signin-title");
const wrong = document.getElementById("signin-wrong");
const form = document.getElementById("signin-form");
const wait = document.getElementById("signin-wait");
const number = document.getElementById("signin-number");

function show(state, said = "") {
  box.dataset.state = state;
  title.textContent = state === "waiting" ? "Let this device in" : "Sign in to Conch";
  form.hidden = state === "waiting";
  wait.hidden = state !== "waiting";
  wrong.textContent = said;
  if (state !== "waiting") form.elements.password.focus();
}

// look asks whether this device was let in. A window that came by a link from elsewhere is one that was, and shows
// this page only because its cookie was not sent along.
async function look() {
  try {
    const now = await device();
    if (now.state === "in") {
      location.replace(location.pathname + location.search);
      return;
    }
    if (now.state === "waiting") {
      number.textContent = now.number;
      show("waiting");
    }
  } catch (err) {
    if (err.code === "gone") {
      // The network, or Conch, is away for a moment.
    } else if (box.dataset.state === "waiting") {
      show("out", "This device was not let in, or waited for more than an hour. Sign in to try again.");
      return;
    } else {
      return;
    }
  }
  if (box.dataset.state === "waiting") setTimeout(look, every);
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (form.getAttribute("aria-busy") === "true") return;
  form.setAttribute("aria-busy", "true");
  wrong.textContent = "";
  const field = form.elements.password;
  try {
    await signIn(field.value);
    field.value = "";
    show("waiting");
    look();
  } catch (err) {
    wrong.textContent = [err.say || "That didn’t work.", err.next].filter(Boolean).join(" ");
    field.select();
  } finally {
    form.removeAttribute("aria-busy");
  }
});

look();
document.body.dataset.ready = "";
