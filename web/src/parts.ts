// Lines of a fixed height that are made of parts: those that do not fit are left out whole, so that no number is ever cut.

// Breaks are after the separators' beginning: "A 1 MiB", ": grew 2 MiB", ", released 3 MiB", " · profile".
export const partsOf = (text: string) => text.split(/(?=[:,] )|(?= \u00b7 )/);

function part(text: string, className = ""): HTMLSpanElement {
  return Object.assign(document.createElement("span"), { className, textContent: text });
}

// What does not fit stands in a second line, which nobody sees (style.css).
export function showParts(host: HTMLElement, parts: string[]): void {
  if (host.textContent === parts.join("")) return;
  host.classList.add("parts");
  host.replaceChildren(...parts.map((text) => part(text)));
}

// A name, which ends in "…" where it is too long, and what is told of it. All is made anew, so that nothing moves.
export function showNamed(host: HTMLElement, name: string, parts: string[]): void {
  if (host.textContent === name + parts.join("")) return;
  const told = part("", "parts");
  told.append(...parts.map((text) => part(text)));
  host.replaceChildren(part(name, "name"), told);
}
