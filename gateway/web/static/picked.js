// What a person picks in a new chat before its first message: how much it asks, and what answers. Nothing is changed by
// a pick; it goes with the message, and Conch decides about it then.

const picks = { mode: undefined, model: undefined, name: "" };

// picked is what goes with the first message.
export const picked = () => ({ mode: picks.mode, model: picks.model || undefined });

export function pickMode(mode) {
  picks.mode = mode;
}

// pickModel takes a choice of the menu; the empty one is the usual model.
export function pickModel(option) {
  picks.model = option.value;
  picks.name = option.value ? option.dataset.label : "";
  showPicked();
}

// showMode has the chip say the mode of a radio of its menu.
export function showMode(radio) {
  const menu = radio.closest("details");
  for (const one of menu.querySelectorAll("input[name=mode]")) {
    one.checked = one === radio;
    one.toggleAttribute("checked", one === radio);
  }
  chip(menu, "What goes ahead without asking", radio.closest(".menu-row").querySelector("strong").textContent);
}

// showPicked shows the picks in a composer that was drawn anew.
export function showPicked() {
  const radio = picks.mode && document.querySelector(`#mode input[value="${CSS.escape(picks.mode)}"]:not([data-chat])`);
  if (radio) showMode(radio);
  const select = document.querySelector("select[name=chat-model]:not([data-chat])");
  if (!select || picks.model === undefined) return;
  const menu = select.closest("details");
  select.dataset.now = picks.model;
  select.dataset.usual ??= menu.querySelector("summary bdi").textContent;
  chip(menu, "What answers", picks.name || select.dataset.usual, "bdi");
}

function chip(menu, what, name, inside = "span") {
  const summary = menu.querySelector("summary");
  summary.querySelector(inside).textContent = name;
  summary.setAttribute("aria-label", `${what}: ${name}`);
}
