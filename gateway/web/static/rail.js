// The rail on a narrow page: a drawer behind one button.

const narrow = matchMedia("(max-width: 799px)");

export function startRail() {
  const rail = document.getElementById("rail");
  const opener = document.querySelector("[data-rail=open]");
  if (!rail || !opener) return;
  const rest = document.querySelector(".page");

  function set(open) {
    document.body.toggleAttribute("data-rail-open", open);
    opener.setAttribute("aria-expanded", String(open));
    rest.inert = open;
    if (open) rail.querySelector("a, button")?.focus();
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-rail]");
    if (!button) return;
    set(button.dataset.rail === "open");
    if (button.dataset.rail === "close") opener.focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.body.hasAttribute("data-rail-open")) {
      set(false);
      opener.focus();
    }
  });
  narrow.addEventListener("change", () => set(false));
}
