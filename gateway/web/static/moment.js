// A moment of a chat that Activity leads to: its fold is opened, and it comes into view. The style marks it.

const moments = /^#(step|question|note)-[\w-]+$/;

// showMoment says whether the address names one that is there.
export function showMoment() {
  if (!moments.test(location.hash)) return false;
  const el = document.getElementById(location.hash.slice(1));
  if (!el) return false;
  const fold = el.closest("details");
  if (fold) {
    fold.open = true;
    fold.dataset.touched = "yes"; // it stays open when the turn goes on
  }
  el.scrollIntoView({ block: "center" });
  return true;
}

addEventListener("hashchange", showMoment);
