// What keys do, wherever the focus is; those of menus and of the search field are their own.

import type { Chart } from "./chart";
import type { Page } from "./page";
import { VIEWS } from "./views";

export class Keys {
  constructor(private readonly page: Page, signal: AbortSignal) {
    document.addEventListener("keydown", (event) => this.key(event), { signal });
  }

  private key(event: KeyboardEvent): void {
    const { filtering, searchBox } = this.page;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      return this.page.commands.open();
    }
    const isTyping = event.target instanceof HTMLSelectElement || event.target instanceof HTMLInputElement;
    if ((event.ctrlKey && event.key === "f") || event.key === "F3" || (event.key === "/" && !isTyping)) {
      event.preventDefault();
      searchBox.focus();
      return;
    }
    if (document.querySelector("dialog[open]") || isTyping || event.altKey) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
      event.preventDefault();
      if (event.shiftKey) filtering.redo();
      else filtering.undo();
    }
    if (!event.ctrlKey && !event.metaKey) this.plainKey(event);
  }

  private plainKey(event: KeyboardEvent): void {
    const { page } = this;
    const chart = page.shown;
    const view = Object.keys(VIEWS).find((id) => VIEWS[id]!.key === event.key);
    if (view) page.setView(view);
    else if (event.key === "?") page.tour.open();
    else if (event.key === ",") document.getElementById("settings")!.togglePopover();
    else if (event.key === "u") page.filtering.undo();
    else if (event.key === "U") page.filtering.redo();
    else if (event.key === "n" || event.key === "N") page.step(event.key === "n" ? 1 : -1);
    else if (event.key === "Escape") page.zoomOut(chart);
    else if (document.activeElement === chart.host) this.chartKey(chart, event);
  }

  private chartKey(chart: Chart, event: KeyboardEvent): void {
    if (event.key.startsWith("Arrow")) {
      event.preventDefault();
      const to = chart.neighbour(event.key);
      if (to !== undefined) chart.focus(to);
    } else if (event.key === "Enter") {
      chart.choose(chart.focused);
    } else if (event.key === "m" || event.key === "ContextMenu") {
      event.preventDefault();
      chart.askForMenu();
    } else {
      this.page.actions.frameItems(chart, chart.focused).find((item) => item.key === event.key)?.run();
    }
  }
}
