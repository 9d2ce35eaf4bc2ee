// Words for the person that aren't part of the page: toasts, and lines for a screen reader.

const most = 3;

// toast shows a line with at most one action. It stays until it is closed, unless ms says how long.
export function toast(text, { next = "", action = "", run = null, ms = 0, kind = "problem" } = {}) {
  const box = document.getElementById("toasts");
  if (!box) return { close() {} };
  for (const old of box.querySelectorAll(".toast")) {
    if (old.dataset.text === text) old.remove();
  }
  const el = document.createElement("div");
  el.className = "toast";
  el.dataset.text = text;
  el.dataset.kind = kind;
  el.setAttribute("role", kind === "problem" ? "alert" : "status");
  const words = document.createElement("p");
  const what = document.createElement("strong");
  what.textContent = text;
  words.append(what);
  if (next) words.append(` ${next}`);
  el.append(words);
  let timer = 0;
  const close = () => {
    clearTimeout(timer);
    el.remove();
  };
  if (action) {
    el.append(button(action, "toast-action", () => {
      close();
      run();
    }));
  }
  el.append(button("Close", "quiet", close));
  box.append(el);
  while (box.children.length > most) box.firstElementChild.remove();
  if (ms) timer = setTimeout(close, ms);
  return { close };
}

function button(text, className, run) {
  const el = document.createElement("button");
  el.type = "button";
  el.className = className;
  el.textContent = text;
  el.addEventListener("click", run);
  return el;
}

// problem shows what went wrong and what to do.
export function problem(err) {
  if (err && err.say) toast(err.say, { next: err.next });
  else {
    toast("Something went wrong on this page.", { next: "Load it again, then try once more." });
    console.error(err);
  }
}

// announce reads a line to who can't see it. The polite ones are joined when many come at once.
let waiting = "";
let timer = 0;
export function announce(text, urgent = false) {
  if (!text) return;
  if (urgent) {
    put("assertive", text);
    return;
  }
  waiting = text;
  clearTimeout(timer);
  timer = setTimeout(() => put("polite", waiting), 250);
}

function put(where, text) {
  // All beside an open dialog is silent.
  const el = document.querySelector(`dialog[open] [data-say="${where}"]`) ?? document.getElementById(where);
  if (el) el.textContent = text;
}
