// The command palette: all that the page can do, found by some letters of its words.

import { readable } from "./names";

export interface Command {
  title: string;
  key?: string;
  run(): void;
}

const SHOWN = 40;

const find = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

export class Commands {
  private readonly dialog = find<HTMLDialogElement>("palette");
  private readonly text = find<HTMLInputElement>("palette-text");
  private readonly list = find("palette-list");
  private found: Command[] = [];
  private at = 0;

  // `all` is asked when the palette opens; `search` looks for a text in the names.
  constructor(private readonly all: () => Command[], private readonly search: (text: string) => void) {
    this.text.addEventListener("input", () => this.filter());
    this.text.addEventListener("keydown", (event) => this.key(event));
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
  }

  open(): void {
    if (this.dialog.open) return;
    this.text.value = "";
    this.dialog.showModal();
    this.text.focus();
    this.filter();
  }

  private filter(): void {
    const text = this.text.value.trim();
    const words = text.toLowerCase().split(/\s+/);
    this.found = this.all().filter(({ title }) => words.every((word) => title.toLowerCase().includes(word))).slice(0, SHOWN);
    if (text !== "") this.found.push({ title: `Search names for "${text}"`, key: "/", run: () => this.search(text) });
    this.at = 0;
    this.render();
  }

  private render(): void {
    this.list.replaceChildren(...this.found.map(({ title, key }, i) => {
      const option = document.createElement("div");
      option.id = `command-${i}`;
      option.setAttribute("role", "option");
      option.ariaSelected = String(i === this.at);
      option.append(Object.assign(document.createElement("span"), { textContent: readable(title) }));
      if (key) option.append(Object.assign(document.createElement("kbd"), { textContent: key }));
      option.addEventListener("click", () => this.run(i));
      return option;
    }));
    this.text.setAttribute("aria-activedescendant", `command-${this.at}`);
    this.list.children[this.at]?.scrollIntoView({ block: "nearest" });
  }

  private run(at: number): void {
    this.dialog.close();
    this.found[at]?.run();
  }

  private key(event: KeyboardEvent): void {
    const last = this.found.length - 1;
    if (event.key === "ArrowDown") this.at = this.at === last ? 0 : this.at + 1;
    else if (event.key === "ArrowUp") this.at = this.at === 0 ? last : this.at - 1;
    else if (event.key === "Enter") return event.preventDefault(), this.run(this.at);
    else return event.key === "Escape" ? undefined : event.stopPropagation();
    event.preventDefault();
    this.render();
  }
}
