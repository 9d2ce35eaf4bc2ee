// Settings → Other devices.

import { letIn, removeDevice, turnAddressOff, turnAddressOn } from "./api.js";
import { refresh } from "./apply.js";
import { asked, newPassword, widening } from "./confirm.js";
import { problem } from "./say.js";

export function startAccess() {
  press("[data-address-switch]", async (button) => {
    if (button.getAttribute("aria-checked") === "true") return turnAddressOff();
    return asked("address-set", (form) => widening("address", () => turnAddressOn(typed(form))));
  });
  press("[data-set-password]", () => newPassword(""));
  press("[data-let-in]", (button) => widening("device", () => letIn(button.dataset.letIn)));
  press("[data-refuse-device]", (button) => removeDevice(button.dataset.refuseDevice));
  press("[data-remove-device]", (button) => removeDevice(button.dataset.removeDevice));
  startKind();
}

// press does something when a control is pressed, once at a time, then shows what is.
export function press(css, does) {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest(css);
    if (!button || button.getAttribute("aria-busy") === "true") return;
    button.setAttribute("aria-busy", "true");
    try {
      await does(button);
      await refresh();
    } catch (err) {
      problem(err);
    } finally {
      button.removeAttribute("aria-busy");
    }
  });
}

const typed = (form) => ({
  name: form.elements.name.value,
  port: Number(form.elements.port.value) || 0,
  proxy: form.elements.kind.value === "proxy",
  certificate: form.elements.certificate.value,
  key: form.elements.key.value,
});

// startKind shows only what the picked kind of address needs.
function startKind() {
  const form = document.querySelector("#address-set form");
  if (!form) return;
  const show = () => {
    const proxy = form.elements.kind.value === "proxy";
    form.querySelector("[data-own]").hidden = proxy;
    form.querySelector("[data-proxy]").hidden = !proxy;
    form.elements.certificate.required = form.elements.key.required = !proxy;
    form.elements.port.placeholder = proxy ? "443" : "4779";
  };
  form.addEventListener("change", show);
  show();
}
