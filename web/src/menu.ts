// A menu at a place of the page, for the mouse and for keys.

import { readable } from "./names";

export interface MenuItem {
  title: string;
  key?: string; // that does the same without the menu, or what stands at its end
  group?: string; // a line divides groups
  run(): void;
}

export class Menu {
  private opener: HTMLElement | null = null;

  constructor(private readonly host: HTMLElement) {
    host.addEventListener("keydown", (event) => this.key(event));
    host.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  // Opens as near to the place (px of the window) as fits.
  open(x: number, y: number, label: string, items: MenuItem[]): void {
    this.opener = document.activeElement as HTMLElement | null;
    this.host.ariaLabel = readable(label);
    const title = document.createElement("p");
    title.textContent = readable(label);
    title.ariaHidden = "true";
    const divided = items.flatMap((item, i) => (i > 0 && item.group !== items[i - 1]!.group ? [document.createElement("hr"), this.button(item)] : [this.button(item)]));
    this.host.replaceChildren(title, ...divided);
    this.host.showPopover();
    const { offsetWidth, offsetHeight } = this.host;
    this.host.style.left = `${Math.max(Math.min(x, innerWidth - offsetWidth), 0)}px`;
    this.host.style.top = `${Math.max(Math.min(y, innerHeight - offsetHeight), 0)}px`;
    this.buttons[0]?.focus();
  }

  openBelow(opener: HTMLElement, label: string, items: MenuItem[]): void {
    const { left, bottom } = opener.getBoundingClientRect();
    this.open(left, bottom, label, items);
  }

  private get buttons(): HTMLElement[] {
    return [...this.host.querySelectorAll("button")];
  }

  private button(item: MenuItem): HTMLButtonElement {
    const button = document.createElement("button");
    button.setAttribute("role", "menuitem");
    button.tabIndex = -1;
    button.textContent = readable(item.title);
    if (item.key) {
      const key = document.createElement("kbd");
      key.textContent = item.key;
      button.append(key);
      if (/^(?:\w|Enter)$/.test(item.key)) button.setAttribute("aria-keyshortcuts", item.key);
    }
    button.addEventListener("click", () => {
      this.close();
      item.run();
    });
    return button;
  }

  private close(): void {
    this.host.hidePopover();
    this.opener?.focus();
  }

  private key(event: KeyboardEvent): void {
    const { buttons } = this;
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    const to: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1 + buttons.length, Home: 0, End: buttons.length - 1 };
    if (event.key in to) buttons[to[event.key]! % buttons.length]!.focus();
    else if (event.key === "Escape" || event.key === "Tab") this.close();
    else if (event.key !== "Enter" && event.key !== " ") return event.stopPropagation();
    if (event.key !== "Enter" && event.key !== " ") event.preventDefault();
    event.stopPropagation();
  }
}
