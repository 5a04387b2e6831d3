// The source of the places that matter: the lines of a file around them, and beside each what it holds. What the page carries is
// described in src/render/page/page_sources.h; it is read when it is looked at for the first time.

import { inflate } from "./data";
import { amount, BYTES, grouped } from "./format";
import { titleOfType } from "./controls";
import type { Measure } from "./measure";
import { basename, type Head } from "./profile";

interface Piece {
  first: number; // number of its first line
  lines: string[];
}

export interface SourceFile {
  file: string;
  isNewer: boolean; // than the beginning of the recording
  pieces: Piece[];
  held: number[][]; // number of a line, then for each type of value what stacks through it hold, and what it allocated itself
}

function make<K extends keyof HTMLElementTagNameMap>(tag: K, set: object = {}): HTMLElementTagNameMap[K] {
  return Object.assign(document.createElement(tag), set);
}

export class Source {
  private files: SourceFile[] = [];
  private hasRead = false;
  private wanted: [file: string, line: number] | undefined;
  private measure: Measure | undefined;
  private readonly choice = make("select", { id: "source-file", ariaLabel: "File" });
  private readonly said = make("output");
  private readonly window = make("div", { className: "rows", tabIndex: 0, ariaLabel: "Lines" });
  private readonly table = make("table");

  // `base64`: what the page carries; "": nothing.
  constructor(host: HTMLElement, private readonly base64: string, private readonly head: Head) {
    const bar = make("div", { className: "table-bar" });
    bar.append(this.choice, this.said);
    this.window.setAttribute("role", "group");
    this.window.append(this.table);
    host.replaceChildren(bar, this.window);
    this.choice.addEventListener("change", () => this.fill());
  }

  get isThere(): boolean {
    return this.base64 !== "";
  }

  async show(measure: Measure): Promise<void> {
    this.measure = measure;
    if (!this.hasRead && this.isThere) {
      this.hasRead = true;
      this.files = JSON.parse(new TextDecoder().decode(await inflate(this.base64))) as SourceFile[];
      this.choice.replaceChildren(...this.files.map(({ file }, i) => make("option", { textContent: basename(file), value: String(i), title: file })));
    }
    if (!this.go(...(this.wanted ?? ["", 0]))) this.fill();
    this.wanted = undefined;
  }

  // Shows a line, if its file is here; before the view was shown for the first time, once it is.
  go(file: string, line: number): boolean {
    if (this.files.length === 0) this.wanted = [file, line];
    const at = this.files.findIndex((of) => of.file === file);
    if (at < 0) return false;
    this.choice.value = String(at);
    this.fill(line);
    return true;
  }

  // `line`: what comes into sight; the one that holds most, if none is named.
  private fill(line = 0): void {
    const shown = this.files[Number(this.choice.value)];
    if (!shown || !this.measure) return;
    const { mate } = this;
    const { type, valueType } = this.measure;
    const held = new Map(shown.held.map(([number, ...values]) => [number!, values]));
    const most = Math.max(...shown.held.map((values) => values[1 + 2 * type]!), 1);
    const body = make("tbody");
    for (const { first, lines } of shown.pieces) {
      if (first > 1) body.append(this.gap());
      lines.forEach((text, i) => body.append(this.line(first + i, text, held.get(first + i), most)));
    }
    const head = make("thead");
    const titles = ["With callees", "Itself", ...(mate < 0 ? [] : [valueType.unit === "bytes" ? "Objects" : "Bytes"]), "Line", "Source"];
    head.insertRow().append(...titles.map((title, i) => make("th", { scope: "col", textContent: title, className: i < titles.length - 1 ? "number" : "" })));
    this.table.replaceChildren(head, body);
    const { points } = this.head;
    const of = points.length > 0 ? ` at the end, in ${basename(points.at(-1)!.name)}` : "";
    this.said.textContent = `${shown.file}: ${titleOfType(valueType)}${of}, without filters${shown.isNewer ? "; the file is newer than the recording, lines may have moved" : ""}`;
    this.said.title = this.said.textContent;
    const heaviest = shown.held.reduce((a, b) => (b[1 + 2 * type]! > a[1 + 2 * type]! ? b : a), shown.held[0] ?? [0])[0]!;
    const aim = body.querySelector<HTMLElement>(`tr[data-line="${line || heaviest}"]`);
    if (line) aim?.classList.add("aim");
    if (aim) this.window.scrollTop = Math.max(aim.offsetTop - this.window.clientHeight / 3, 0);
  }

  private gap(): HTMLTableRowElement {
    const row = make("tr", { className: "gap" });
    row.append(make("td", { colSpan: 5, textContent: "\u22ee" }));
    return row;
  }

  private line(number: number, text: string, values: number[] | undefined, most: number): HTMLTableRowElement {
    const { mate } = this;
    const { type, valueType } = this.measure!;
    const row = make("tr");
    row.dataset.line = String(number);
    const cell = (content: string, className: string) => row.append(make("td", { textContent: content, className }));
    const value = (of: number, at: number) => (values && values[2 * of + at]! > 0 ? values[2 * of + at]! : 0);
    const told = (held: number) => (held > 0 ? amount(held, valueType) : "");
    cell(told(value(type, 0)), "number bar");
    (row.lastElementChild as HTMLElement).style.setProperty("--part", String(value(type, 0) / most));
    cell(told(value(type, 1)), "number");
    const other = mate < 0 ? 0 : value(mate, 0);
    if (mate >= 0) cell(other === 0 ? "" : valueType.unit === "bytes" ? grouped(other) : amount(other, BYTES), "number");
    cell(String(number), "number");
    cell(text, "code");
    return row;
  }

  // The objects of bytes, or the bytes of objects; -1: they are not known.
  private get mate(): number {
    const { measure } = this;
    return measure!.ratioOf("size").find((type) => type !== measure!.type) ?? -1;
  }
}
