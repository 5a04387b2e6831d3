// The tabs of the views, and the same as a list where there is little room. A tab of several shapes shows the one that was last seen.

import { VIEWS } from "./views";

const find = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

export class Bar {
  private readonly tabs = new Map<string, HTMLButtonElement>();
  private readonly list = find<HTMLSelectElement>("view-list");
  private readonly last = new Map<string, string>(); // tab -> its view

  constructor(setView: (view: string) => void) {
    for (const [id, { key, tab }] of Object.entries(VIEWS)) {
      if (this.tabs.has(tab)) continue;
      const button = document.createElement("button");
      button.textContent = tab;
      button.dataset.view = tab;
      button.title = `key ${key}`;
      button.addEventListener("click", () => setView(this.last.get(tab)!));
      this.tabs.set(tab, button);
      this.last.set(tab, id);
      this.list.add(new Option(tab, tab));
    }
    find("views").append(...this.tabs.values());
    this.list.addEventListener("change", () => setView(this.last.get(this.list.value)!));
  }

  // `hidden`: tabs that have no meaning for the profile.
  show(view: string, hidden: string[] = []): void {
    const { tab } = VIEWS[view]!;
    this.last.set(tab, view);
    for (const [title, button] of this.tabs) {
      button.ariaPressed = String(title === tab);
      button.hidden = hidden.includes(title);
    }
    for (const option of this.list.options) option.hidden = hidden.includes(option.value);
    this.list.value = tab;
  }
}
