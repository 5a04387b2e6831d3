// The functions as a table, sorted by any column, and filtered by what is typed above it. Only rows that are seen are elements.

import { columnsOf, csvOf, markdownOf, type Column } from "./columns";
import { amount, counted } from "./format";
import type { Measure } from "./measure";
import { readable } from "./names";
import type { Profile } from "./profile";
import { sparkline } from "./spark";
import type { FunctionRow } from "./tree";

const MARKDOWN_AT_MOST = 100; // rows
const ON_PAPER = 10; // rows
const AROUND = 8; // rows beyond what is seen

export interface TableEvents {
  pick(name: number): void;
  hover(name: number | undefined): void; // it is marked elsewhere, too
  menu(name: number, x: number, y: number): void; // px of the window
  copy(what: string, text: string): void;
}

function make<K extends keyof HTMLElementTagNameMap>(tag: K, set: object = {}): HTMLElementTagNameMap[K] {
  return Object.assign(document.createElement(tag), set);
}

export class Table {
  private rows: FunctionRow[] = [];
  private kept: FunctionRow[] = []; // in their order
  private columns: Column[] = [];
  private column = "self";
  private isUpwards = false;
  private isHit: Uint8Array | undefined;
  private measure!: Measure;
  private hasPoints = false;
  private readonly filter = make("input", { type: "search", id: "table-filter", placeholder: "Filter the table", ariaLabel: "Filter the table" });
  private readonly said = make("output");
  private readonly window = make("div", { className: "rows", tabIndex: 0, ariaLabel: "Functions" });
  private readonly sheet = make("div");
  private readonly table = make("table");
  private first = -1;
  private last = -1;

  constructor(host: HTMLElement, private readonly profile: Profile, private readonly events: TableEvents) {
    const bar = make("div", { className: "table-bar" });
    const copyButton = (title: string, text: () => string) => {
      const button = make("button", { textContent: `Copy as ${title}` });
      button.addEventListener("click", () => events.copy(`the table as ${title}`, text()));
      return button;
    };
    bar.append(this.filter, copyButton("CSV", () => csvOf(this.columns, this.kept)),
      copyButton("Markdown", () => markdownOf(this.columns, this.kept.slice(0, MARKDOWN_AT_MOST))), this.said);
    this.filter.addEventListener("input", () => this.arrange());
    this.window.setAttribute("role", "group");
    this.sheet.append(this.table);
    this.window.append(this.sheet);
    host.replaceChildren(bar, this.window);
    this.window.addEventListener("scroll", () => this.fill(false), { passive: true });
    new ResizeObserver(() => this.fill(false)).observe(this.window);
  }

  // `hasPoints`: rows hold what they held at points of the series.
  show(rows: FunctionRow[], whole: number, measure: Measure, hasPoints: boolean): void {
    this.rows = rows;
    this.measure = measure;
    this.hasPoints = hasPoints;
    this.columns = columnsOf(this.profile, measure, whole);
    if (!this.columns.some(({ id }) => id === this.column)) this.column = "self";
    this.arrange();
  }

  mark(isHit: Uint8Array | undefined): void {
    if (isHit === this.isHit) return;
    this.isHit = isHit;
    if (this.measure) this.arrange();
  }

  // The first rows, as they are sorted, for paper.
  top(): { titles: string[]; rows: string[][] } {
    return { titles: this.columns.map(({ title }) => title), rows: this.kept.slice(0, ON_PAPER).map((row) => this.columns.map((column) => column.text(row))) };
  }

  private arrange(): void {
    const { isHit, names } = { isHit: this.isHit, names: this.profile.names };
    const text = this.filter.value.toLowerCase();
    const texts = this.columns.filter(({ isNumber }) => !isNumber);
    const passes = (row: FunctionRow) => text === "" || texts.some((column) => column.text(row).toLowerCase().includes(text));
    const { by } = this.columns.find(({ id }) => id === this.column)!;
    const held = ({ total: { grew, released } }: FunctionRow) => grew + released; // what is equal is sorted by it
    const order = (a: FunctionRow, b: FunctionRow) => {
      const [x, y] = [by(a), by(b)];
      return (typeof x === "number" ? (y as number) - x : x < y ? -1 : x > y ? 1 : 0) || held(b) - held(a) || a.name - b.name;
    };
    this.kept = this.rows.filter((row) => (!isHit || isHit[row.name]) && passes(row)).sort(order);
    if (this.isUpwards) this.kept.reverse();
    const isPart = isHit || text !== "";
    this.said.textContent = `${counted(this.kept.length, "function")}${isPart ? ` of ${names.length > 0 ? this.rows.length : 0}` : ""}`;
    this.table.replaceChildren(this.head(), make("tbody"));
    this.table.ariaRowCount = String(this.kept.length + 1);
    this.window.scrollTop = 0;
    this.fill(true);
  }

  private head(): HTMLTableSectionElement {
    const head = make("thead");
    const line = head.insertRow();
    line.append(...this.columns.map((column) => this.title(column)));
    if (this.hasPoints) line.cells[0]!.after(make("th", { scope: "col", textContent: "Over time", className: "curve" }));
    return head;
  }

  // A title that sorts, and the other way round if it already does.
  private title({ id, title, isNumber, hint }: Column): HTMLTableCellElement {
    const cell = make("th", { scope: "col", className: isNumber ? "number" : id });
    const isDown = isNumber !== this.isUpwards;
    cell.ariaSort = this.column !== id ? "none" : isDown ? "descending" : "ascending";
    const button = make("button", { textContent: title, title: hint ?? `sort by: ${title}` });
    button.addEventListener("click", () => {
      this.isUpwards = this.column === id && !this.isUpwards;
      this.column = id;
      this.arrange();
      this.table.querySelector<HTMLElement>("th[aria-sort$=scending] button")?.focus();
    });
    cell.append(button);
    return cell;
  }

  private spark(row: FunctionRow): SVGSVGElement {
    const values = row.more.slice(this.measure.columns.points);
    const [first, last] = [values[0]!, values.at(-1)!].map((value) => amount(value, this.measure.valueType));
    return sparkline(values, `with callees, from ${first} to ${last}`);
  }

  // Height of a row, px.
  private get high(): number {
    return 1.5 * parseFloat(getComputedStyle(document.documentElement).fontSize);
  }

  private fill(isNew: boolean): void {
    const { high, kept, window } = this;
    if (this.columns.length === 0 || window.clientHeight === 0) return;
    const first = Math.max(Math.floor(window.scrollTop / high) - AROUND, 0);
    const last = Math.min(first + Math.ceil(window.clientHeight / high) + 2 * AROUND, kept.length);
    if (!isNew && first === this.first && last === this.last) return;
    [this.first, this.last] = [first, last];
    this.sheet.style.paddingTop = `${first * high}px`;
    this.sheet.style.paddingBottom = `${(kept.length - last) * high}px`;
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.at : undefined;
    this.table.tBodies[0]!.replaceChildren(...kept.slice(first, last).map((row, i) => this.line(row, first + i)));
    if (focused !== undefined) this.focus(Number(focused));
  }

  private line(row: FunctionRow, at: number): HTMLTableRowElement {
    const line = make("tr");
    line.ariaRowIndex = String(at + 2);
    for (const column of this.columns) {
      const cell = line.insertCell();
      cell.className = column.isNumber ? "number" : column.id;
      if (column.id === "name") {
        cell.append(this.button(row, column.text(row), at));
        if (this.hasPoints) {
          const curve = line.insertCell();
          curve.className = "curve";
          curve.append(this.spark(row));
        }
        continue;
      }
      const text = readable(column.text(row));
      cell.textContent = column.short?.(row) ?? text;
      if (cell.textContent !== text) cell.title = text;
      if (!column.part) continue;
      cell.classList.add("bar");
      cell.style.setProperty("--part", String(Math.min(column.part(row), 1)));
    }
    line.addEventListener("mouseenter", () => this.events.hover(row.name));
    line.addEventListener("mouseleave", () => this.events.hover(undefined));
    line.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      this.events.menu(row.name, event.clientX, event.clientY);
    });
    return line;
  }

  private button(row: FunctionRow, text: string, at: number): HTMLButtonElement {
    const button = make("button", { textContent: text, title: "show its callers and callees" });
    button.dataset.at = String(at);
    button.addEventListener("click", () => this.events.pick(row.name));
    button.addEventListener("focus", () => this.events.hover(row.name));
    button.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step === undefined && event.key !== "m" && event.key !== "ContextMenu") return;
      event.preventDefault();
      if (step !== undefined) return this.focus(at + step);
      const { left, bottom } = button.getBoundingClientRect();
      this.events.menu(row.name, left, bottom);
    });
    return button;
  }

  // Gives the focus to a row, which may have to be made.
  private focus(at: number): void {
    if (at < 0 || at >= this.kept.length) return;
    const { high, window } = this;
    const top = at * high;
    if (top < window.scrollTop) window.scrollTop = top;
    else if (top + 3 * high > window.scrollTop + window.clientHeight) window.scrollTop = top + 3 * high - window.clientHeight;
    this.fill(false);
    this.table.querySelector<HTMLElement>(`button[data-at="${at}"]`)?.focus({ preventScroll: true });
  }
}
