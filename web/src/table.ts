// The functions as a table, sorted by any column. Long tables show their first rows, and say so.

import { amount, BYTES, counted, percent } from "./format";
import type { Measure } from "./measure";
import { readable } from "./names";
import { sparkline } from "./spark";
import type { FunctionRow } from "./tree";

const ROWS_AT_MOST = 500;

const CHANGES = "Grew: what its stacks hold more than before. Released: what they hold less. Net: grew less released.";

type Column = "self" | "total" | "mean" | "name";

export interface TableEvents {
  pick(name: number): void;
  menu(name: number, x: number, y: number): void; // px of the window
}

function title(text: string, columns: number, lines: number): HTMLTableCellElement {
  const cell = document.createElement("th");
  cell.scope = columns > 1 ? "colgroup" : "col";
  cell.colSpan = columns;
  cell.rowSpan = lines;
  cell.textContent = text;
  return cell;
}

export class Table {
  private rows: FunctionRow[] = [];
  private column: Column = "self";
  private isHit: Uint8Array | undefined;
  private whole = 0;
  private measure!: Measure;
  private hasPoints = false;

  constructor(
    private readonly host: HTMLElement,
    private readonly names: string[],
    private readonly events: TableEvents,
  ) {}

  // `hasPoints`: rows hold what they held at points of the series.
  show(rows: FunctionRow[], whole: number, measure: Measure, hasPoints: boolean): void {
    this.rows = rows;
    this.whole = whole;
    this.measure = measure;
    this.hasPoints = hasPoints;
    this.render();
  }

  mark(isHit: Uint8Array | undefined): void {
    this.isHit = isHit;
    if (this.measure) this.render();
  }

  private size(row: FunctionRow, column: "self" | "total"): number {
    return row[column].grew + row[column].released;
  }

  private mean(row: FunctionRow): number {
    return this.measure.mate < 0 ? 0 : this.measure.meanSize(row.total.grew, row.more[0]!);
  }

  private compare(a: FunctionRow, b: FunctionRow): number {
    const { column } = this;
    const by = (row: FunctionRow) => (column === "name" ? 0 : column === "mean" ? this.mean(row) : this.size(row, column));
    return by(b) - by(a) || a.name - b.name;
  }

  private cells(row: FunctionRow, column: "self" | "total"): string[] {
    const { grew, released } = row[column];
    const { isDifference, valueType: type } = this.measure;
    if (!isDifference) return [amount(grew, type), percent(grew, this.whole)];
    if (grew === 0 && released === 0) return ["", "", ""];
    const net = grew - released;
    return [grew ? `+${amount(grew, type)}` : "", released ? `−${amount(released, type)}` : "",
      `${net < 0 ? "−" : net > 0 ? "+" : ""}${amount(Math.abs(net), type)}`];
  }

  // Two lines: what is counted, and its parts.
  private head(): HTMLTableSectionElement {
    const head = document.createElement("thead");
    const groups = head.insertRow();
    const parts = head.insertRow();
    const titles = this.measure.isDifference ? ["grew", "released", "net"] : ["held", "of all"];
    if (this.hasPoints) groups.append(title("Over time", 1, 2));
    groups.append(this.button("self", "Itself", titles.length, 1), this.button("total", "With callees", titles.length, 1));
    if (this.measure.mate >= 0) groups.append(this.button("mean", "Mean size", 1, 2));
    groups.append(this.button("name", "Function", 1, 2));
    parts.append(...[...titles, ...titles].map((text) => title(text, 1, 1)));
    return head;
  }

  // A title that sorts.
  private button(column: Column, text: string, columns: number, lines: number): HTMLTableCellElement {
    const cell = title("", columns, lines);
    cell.ariaSort = this.column !== column ? "none" : column === "name" ? "ascending" : "descending";
    const button = document.createElement("button");
    button.textContent = text;
    button.addEventListener("click", () => {
      this.column = column;
      this.render();
      this.host.querySelector<HTMLElement>(`th[aria-sort$=scending] button`)?.focus();
    });
    cell.append(button);
    return cell;
  }

  private spark(row: FunctionRow): SVGSVGElement {
    const values = row.more.slice(this.measure.mate < 0 ? 0 : 1);
    const [first, last] = [values[0]!, values.at(-1)!].map((value) => amount(value, this.measure.valueType));
    return sparkline(values, `with callees, from ${first} to ${last}`);
  }

  private render(): void {
    const kept = this.rows.filter((row) => !this.isHit || this.isHit[row.name]).sort((a, b) => this.compare(a, b));
    const table = document.createElement("table");
    const caption = table.createCaption();
    caption.textContent = `${counted(kept.length, "function")}${this.isHit ? " match" : ""}` +
      (kept.length > ROWS_AT_MOST ? `; the first ${ROWS_AT_MOST} are shown, search finds the others` : "") +
      (this.measure.isDifference ? `. ${CHANGES}` : "");
    table.append(this.head());
    const body = table.createTBody();
    for (const row of kept.slice(0, ROWS_AT_MOST)) {
      const line = body.insertRow();
      if (this.hasPoints) line.insertCell().append(this.spark(row));
      for (const text of [...this.cells(row, "self"), ...this.cells(row, "total"), ...(this.measure.mate < 0 ? [] : [amount(this.mean(row), BYTES)])]) {
        const cell = line.insertCell();
        cell.className = "number";
        cell.textContent = text;
      }
      const button = document.createElement("button");
      button.textContent = readable(this.names[row.name]!);
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
