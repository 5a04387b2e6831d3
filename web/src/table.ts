// The functions as a table, sorted by any column. Long tables show their first rows, and say so.

import { amount, percent } from "./format";
import type { ValueType } from "./profile";
import type { FunctionRow } from "./tree";

const ROWS_AT_MOST = 500;

type Column = "self" | "total" | "name";

export interface TableEvents {
  pick(name: number): void;
  menu(name: number, x: number, y: number): void; // px of the window
}

export class Table {
  private rows: FunctionRow[] = [];
  private column: Column = "self";
  private isHit: Uint8Array | undefined;
  private whole = 0;
  private type!: ValueType;

  constructor(
    private readonly host: HTMLElement,
    private readonly names: string[],
    private readonly isDifference: boolean,
    private readonly events: TableEvents,
  ) {}

  show(rows: FunctionRow[], whole: number, type: ValueType): void {
    this.rows = rows;
    this.whole = whole;
    this.type = type;
    this.render();
  }

  mark(isHit: Uint8Array | undefined): void {
    this.isHit = isHit;
    if (this.type) this.render();
  }

  private size(row: FunctionRow, column: "self" | "total"): number {
    return row[column].grew + row[column].released;
  }

  private compare(a: FunctionRow, b: FunctionRow): number {
    const { column } = this;
    return column === "name" ? a.name - b.name : this.size(b, column) - this.size(a, column) || a.name - b.name;
  }

  private cells(row: FunctionRow, column: "self" | "total"): string[] {
    const { grew, released } = row[column];
    if (!this.isDifference) return [amount(grew, this.type), percent(grew, this.whole)];
    const net = grew - released;
    return [grew ? `+${amount(grew, this.type)}` : "", released ? `−${amount(released, this.type)}` : "",
      `${net < 0 ? "−" : "+"}${amount(Math.abs(net), this.type)}`];
  }

  private head(): HTMLTableSectionElement {
    const head = document.createElement("thead");
    const line = head.insertRow();
    const spans = this.isDifference ? 3 : 2;
    for (const [column, title, span] of [["self", "Itself", spans], ["total", "With callees", spans], ["name", "Function", 1]] as const) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.colSpan = span;
      cell.ariaSort = this.column !== column ? "none" : column === "name" ? "ascending" : "descending";
      const button = document.createElement("button");
      button.textContent = title;
      button.addEventListener("click", () => {
        this.column = column;
        this.render();
        this.host.querySelector<HTMLElement>(`th[aria-sort$=scending] button`)?.focus();
      });
      cell.append(button);
      line.append(cell);
    }
    return head;
  }

  private render(): void {
    const kept = this.rows.filter((row) => !this.isHit || this.isHit[row.name]).sort((a, b) => this.compare(a, b));
    const table = document.createElement("table");
    const caption = table.createCaption();
    caption.textContent = `${kept.length} functions${this.isHit ? " match" : ""}` +
      (kept.length > ROWS_AT_MOST ? `; the first ${ROWS_AT_MOST} are shown, search finds the others` : "");
    table.append(this.head());
    const body = table.createTBody();
    for (const row of kept.slice(0, ROWS_AT_MOST)) {
      const line = body.insertRow();
      for (const text of [...this.cells(row, "self"), ...this.cells(row, "total")]) {
        const cell = line.insertCell();
        cell.className = "number";
        cell.textContent = text;
      }
      const button = document.createElement("button");
      button.textContent = this.names[row.name]!;
      button.title = "show its callers and callees";
      button.addEventListener("click", () => this.events.pick(row.name));
      line.addEventListener("contextmenu", (event) => {
        event.preventDefault();
        this.events.menu(row.name, event.clientX, event.clientY);
      });
      button.addEventListener("keydown", (event) => {
        if (event.key !== "m" && event.key !== "ContextMenu") return;
        event.preventDefault();
        const { left, bottom } = button.getBoundingClientRect();
        this.events.menu(row.name, left, bottom);
      });
      line.insertCell().append(button);
    }
    this.host.replaceChildren(table);
  }
}
