// A chat stays at its end while it grows, unless the person has scrolled up to read.

export function nearEnd() {
  const el = document.scrollingElement;
  return el.scrollHeight - el.scrollTop - el.clientHeight < 120;
}

export function toEnd() {
  if (!document.body.dataset.chat) return;
  const el = document.scrollingElement;
  el.scrollTop = el.scrollHeight;
}
