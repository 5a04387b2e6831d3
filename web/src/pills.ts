// The filters as a row of pills, each with a button that removes it, and buttons that undo and redo.

import { titleOf, type Filter } from "./filters";
import { readable } from "./names";

export interface PillEvents {
  remove(index: number): void;
  undo(): void;
  redo(): void;
}

export class Pills {
  private readonly list = document.createElement("ol");
  private readonly undo = document.createElement("button");
  private readonly redo = document.createElement("button");
  private readonly shown = document.createElement("output");

  constructor(private readonly host: HTMLElement, private readonly events: PillEvents) {
    this.undo.textContent = "Undo";
    this.undo.title = "Ctrl-Z, u";
    this.undo.addEventListener("click", () => events.undo());
    this.redo.textContent = "Redo";
    this.redo.title = "Ctrl-Shift-Z, U";
    this.redo.addEventListener("click", () => events.redo());
    host.append(this.list, this.undo, this.redo, this.shown);
  }

  // `problems`: by filter, why it has no effect. `shown`: how much passes them.
  show(filters: Filter[], problems: (string | undefined)[], canUndo: boolean, canRedo: boolean, shown: string): void {
    this.host.hidden = filters.length === 0 && !canUndo && !canRedo;
    this.undo.disabled = !canUndo;
    this.redo.disabled = !canRedo;
    this.shown.textContent = shown;
    this.list.replaceChildren(...filters.map((filter, i) => this.pill(readable(titleOf(filter)), problems[i], i)));
  }

  private pill(title: string, problem: string | undefined, index: number): HTMLLIElement {
    const pill = document.createElement("li");
    const text = document.createElement("span");
    text.textContent = problem ? `${title}: ${problem}` : title;
    const remove = document.createElement("button");
    remove.textContent = "\u00d7";
    remove.ariaLabel = `remove: ${title}`;
    remove.addEventListener("click", () => this.events.remove(index));
    pill.append(text, remove);
    return pill;
  }
}
