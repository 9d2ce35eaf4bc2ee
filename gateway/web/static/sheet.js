// Sheets ask before a power is widened.

// confirmed opens a sheet and says whether the person agreed. Escape and Cancel are no. It goes by the press
// itself: the sheet's close event comes later, and may belong to an earlier time that it was open.
export function confirmed(id) {
  const sheet = document.getElementById(id);
  const done = new AbortController();
  return new Promise((resolve) => {
    const settle = (yes) => {
      done.abort();
      resolve(yes);
    };
    const { signal } = done;
    sheet.querySelector("form").addEventListener("submit", (event) => settle(event.submitter?.value === "yes"), { signal });
    sheet.addEventListener("cancel", () => settle(false), { signal });
    sheet.addEventListener("close", () => sheet.open || settle(false), { signal });
    sheet.showModal();
  });
}
