const pause = document.getElementById("pause"), said = document.getElementById("said"), main = document.querySelector("main");
let paused = false;
pause.hidden = false;
pause.onclick = () => {
  paused = !paused;
  pause.textContent = paused ? "Go on" : "Pause";
};
// Only sections that changed are put in place: what has the keyboard, is scrolled or is marked stays as it is.
const swap = (text) => {
  const next = new DOMParser().parseFromString(text, "text/html").body, marked = document.getSelection();
  const parts = [...next.querySelectorAll("section")];
  if (parts.map((part) => part.id).join() !== [...main.querySelectorAll("section")].map((part) => part.id).join())
    return main.replaceChildren(...next.childNodes);
  for (const part of parts) {
    const old = document.getElementById(part.id);
    if (old.innerHTML === part.innerHTML || (!marked.isCollapsed && marked.containsNode(old, true))) continue;
    const held = old.contains(document.activeElement) ? document.activeElement.id : "";
    const left = [...old.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
    old.replaceChildren(...part.childNodes);
    old.querySelectorAll(".scroll").forEach((box, at) => (box.scrollLeft = left[at] || 0));
    if (held) document.getElementById(held)?.focus({ preventScroll: true });
  }
};
const look = async () => {
  if (!paused && !document.hidden) {
    try {
      const answer = await fetch(location.pathname + "?part=1", { cache: "no-store" });
      if (!(answer.headers.get("content-type") || "").startsWith("text/html")) throw new Error(answer.status);
      swap(await answer.text());
      said.textContent = "";
    } catch {
      said.textContent = "The service does not answer; these numbers are old.";
    }
  }
  setTimeout(look, 1000);
};
setTimeout(look, 1000);
