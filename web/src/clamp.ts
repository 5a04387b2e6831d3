// Texts that show a few lines until they are opened: sentences that hold names of 300 letters.

const cut = new WeakSet<HTMLElement>(); // those that are shorter than what there is to read

// The button that opens is there if something is hidden, at the width the page has now; it closes again.
const watcher = new ResizeObserver((entries) => {
  for (const { target } of entries) judge(target as HTMLElement);
});

function judge(text: HTMLElement): void {
  const button = text.nextElementSibling as HTMLButtonElement | null;
  if (button && !text.classList.contains("open")) button.hidden = !cut.has(text) && text.scrollHeight <= text.clientHeight + 1;
}

// The text, and its button, which shows `whole`. `what` is read to those who do not see which text it belongs to.
export function clamped(text: HTMLElement, whole: string, what: string): HTMLElement[] {
  const short = text.textContent;
  if (short !== whole) cut.add(text);
  const button = Object.assign(document.createElement("button"), { className: "more", textContent: "More", ariaLabel: `More: ${what}`, ariaExpanded: "false", hidden: true });
  text.classList.add("clamped");
  button.addEventListener("click", () => {
    const isOpen = text.classList.toggle("open");
    text.textContent = isOpen ? whole : short;
    button.textContent = isOpen ? "Less" : "More";
    button.ariaLabel = `${button.textContent}: ${what}`;
    button.ariaExpanded = String(isOpen);
  });
  watcher.observe(text);
  return [text, button];
}
