// The source of the places that matter: the lines of a file around them, and beside each what it holds; and their instructions,
// below each line and function by function. What the page carries is described in src/render/page/page_sources.h and
// page_code.h; it is read when it is looked at for the first time.

import { addressOf, CodeLines, linesOf, type CodeFunction, type Instruction } from "./code";
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
  private functions: CodeFunction[] = [];
  private code = new CodeLines([]);
  private readonly opened = new Set<string>(); // lines whose instructions are shown, "number file"
  private hasRead = false;
  private wanted: [file: string, line: number, name: string] | undefined;
  private measure: Measure | undefined;
  private most = 1; // that one line, or instruction, holds
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
      Object.assign(this, JSON.parse(new TextDecoder().decode(await inflate(this.base64))) as { files: SourceFile[]; functions: CodeFunction[] });
      this.code = new CodeLines(this.functions);
      this.offer();
    }
    if (!this.go(...(this.wanted ?? ["", 0, ""]))) this.fill();
    this.wanted = undefined;
  }

  // Shows a line if its file is here, or the function of that name; before the view was shown for the first time, once it is.
  go(file: string, line: number, name = ""): boolean {
    if (this.files.length + this.functions.length === 0) this.wanted = [file, line, name];
    const at = this.files.findIndex((of) => of.file === file);
    const code = at < 0 ? this.functions.findIndex((of) => of.name === name) : -1;
    if (at < 0 && code < 0) return false;
    this.choice.value = at < 0 ? `f${code}` : String(at);
    this.fill(line);
    return true;
  }

  private offer(): void {
    const files = this.files.map(({ file }, i) => make("option", { textContent: basename(file), value: String(i), title: file }));
    const functions = this.functions.map(({ name, module }, i) => make("option", { textContent: name, value: `f${i}`, title: `${name} in ${module}` }));
    const grouped = (label: string, options: HTMLElement[]) => {
      const group = make("optgroup", { label });
      group.append(...options);
      return options.length > 0 ? [group] : [];
    };
    this.choice.ariaLabel = functions.length > 0 ? "File or function" : "File";
    this.choice.replaceChildren(...(functions.length > 0 ? [...grouped("Source", files), ...grouped("Instructions", functions)] : files));
  }

  // `line`: what comes into sight; what holds most, if none is named.
  private fill(line = 0): void {
    const { value } = this.choice;
    const file = this.files[Number(value)];
    const code = this.functions[Number(value.slice(1))];
    if (!this.measure) return;
    if (value.startsWith("f") && code) this.fillCode(code);
    else if (file) this.fillFile(file, line);
  }

  private fillFile(shown: SourceFile, line: number): void {
    const held = this.heldBy(shown.held);
    const body = make("tbody");
    for (const { first, lines } of shown.pieces) {
      if (first > 1) body.append(this.gap());
      lines.forEach((text, i) => body.append(...this.line(shown.file, first + i, text, held.get(first + i))));
    }
    this.put(body, ["Line", "Source"], `${shown.file}: ${this.what}${shown.isNewer ? "; the file is newer than the recording, lines may have moved" : ""}`);
    const aim = body.querySelector<HTMLElement>(`tr[data-line="${line || this.heaviest(shown.held)}"]`);
    if (line) aim?.classList.add("aim");
    this.bring(aim);
  }

  private fillCode(of: CodeFunction): void {
    const held = this.heldBy(of.held);
    const body = make("tbody");
    let before = "";
    for (const piece of of.pieces) {
      if (piece[0]![0] > 0) body.append(this.gap());
      for (const instruction of piece) {
        const lines = linesOf(of, instruction);
        const key = lines.map(([file, line]) => `${file}:${line}`).join(" ");
        const row = this.instruction(of, instruction, held.get(instruction[0]));
        row.append(key !== before && key !== "" ? this.place(lines) : make("td"));
        before = key;
        body.append(row);
      }
    }
    this.put(body, ["Address", "Instruction", ...(of.files.length > 0 ? ["Source"] : [])], `${of.name} in ${of.module}, ${grouped(of.size)} bytes: ${this.what}`);
    this.bring(body.querySelector<HTMLElement>(`tr[data-offset="${this.heaviest(of.held)}"]`));
  }

  private get what(): string {
    const { points } = this.head;
    return `${titleOfType(this.measure!.valueType)}${points.length > 0 ? ` at the end, in ${basename(points.at(-1)!.name)}` : ""}, without filters`;
  }

  private heldBy(held: number[][]): Map<number, number[]> {
    this.most = Math.max(...held.map((values) => values[1 + 2 * this.measure!.type]!), 1);
    return new Map(held.map(([at, ...values]) => [at!, values]));
  }

  private heaviest(held: number[][]): number {
    const at = 1 + 2 * this.measure!.type;
    return held.reduce((a, b) => (b[at]! > a[at]! ? b : a), held[0] ?? [0])[0]!;
  }

  // Beside what is held there is a number, and then text.
  private put(body: HTMLElement, [number, ...texts]: string[], said: string): void {
    const { mate } = this;
    const head = make("thead");
    const title = (textContent: string, className: string) => make("th", { scope: "col", textContent, className });
    const mates = mate < 0 ? [] : [title(this.measure!.valueType.unit === "bytes" ? "Objects" : "Bytes", "number mate")];
    head.insertRow().append(title("With callees", "number"), title("Itself", "number"), ...mates, title(number!, "number"), ...texts.map((text) => title(text, "")));
    this.table.replaceChildren(head, body);
    this.said.textContent = this.said.title = said;
  }

  private bring(aim: HTMLElement | null): void {
    if (aim) this.window.scrollTop = Math.max(aim.offsetTop - this.window.clientHeight / 3, 0);
  }

  private gap(): HTMLTableRowElement {
    const row = make("tr", { className: "gap" });
    row.append(make("td", { colSpan: 6, textContent: "\u22ee" }));
    return row;
  }

  // A row that begins with what is held.
  private row(values: number[] | undefined): HTMLTableRowElement {
    const { mate } = this;
    const { type, valueType } = this.measure!;
    const row = make("tr");
    const cell = (content: string, className: string) => row.append(make("td", { textContent: content, className }));
    const value = (of: number, at: number) => (values && values[2 * of + at]! > 0 ? values[2 * of + at]! : 0);
    const told = (held: number) => (held > 0 ? amount(held, valueType) : "");
    cell(told(value(type, 0)), "number bar");
    (row.lastElementChild as HTMLElement).style.setProperty("--part", String(value(type, 0) / this.most));
    cell(told(value(type, 1)), "number");
    const other = mate < 0 ? 0 : value(mate, 0);
    if (mate >= 0) cell(other === 0 ? "" : valueType.unit === "bytes" ? grouped(other) : amount(other, BYTES), "number mate");
    return row;
  }

  // A line, with its instructions below it if they are opened.
  private line(file: string, number: number, text: string, values: number[] | undefined): HTMLTableRowElement[] {
    const row = this.row(values);
    row.dataset.line = String(number);
    const hasCode = values !== undefined && this.code.at(file, number).length > 0;
    const key = `${number} ${file}`;
    const cell = make("td", { className: "number", textContent: hasCode ? "" : String(number) });
    row.append(cell, make("td", { textContent: text, className: "code" }));
    if (!hasCode) return [row];
    const button = make("button", { className: "fold", textContent: String(number), title: "Its instructions", ariaLabel: `Instructions of line ${number}` });
    button.setAttribute("aria-expanded", String(this.opened.has(key)));
    button.addEventListener("click", () => {
      if (!this.opened.delete(key)) this.opened.add(key);
      const isOpen = this.opened.has(key);
      button.setAttribute("aria-expanded", String(isOpen));
      if (isOpen) row.after(...this.codeOf(file, number));
      else while ((row.nextElementSibling as HTMLElement | null)?.dataset.of === key) row.nextElementSibling!.remove();
    });
    cell.append(button);
    return [row, ...(this.opened.has(key) ? this.codeOf(file, number) : [])];
  }

  // What a line was made into.
  private codeOf(file: string, number: number): HTMLTableRowElement[] {
    const rows: HTMLTableRowElement[] = [];
    for (const { of, instructions } of this.code.at(file, number)) {
      const held = new Map(of.held.map(([at, ...values]) => [at!, values]));
      const name = make("button", { className: "link", textContent: of.name, title: `All instructions of ${of.name} that are shown` });
      name.addEventListener("click", () => {
        this.choice.value = `f${this.functions.indexOf(of)}`;
        this.fill();
        this.window.focus();
      });
      rows.push(this.heading(name), ...instructions.map((instruction) => this.instruction(of, instruction, held.get(instruction[0]))));
    }
    for (const row of rows) row.dataset.of = `${number} ${file}`;
    return rows;
  }

  private instruction(of: CodeFunction, [offset, text, target]: Instruction, values: number[] | undefined): HTMLTableRowElement {
    const row = this.row(values);
    row.className = values ? "asm hot" : "asm";
    row.dataset.offset = String(offset);
    const code = make("td", { className: "code", textContent: target === "" ? text : `${text} ` });
    if (target !== "") code.append(make("b", { textContent: target }));
    row.append(make("td", { className: "number", textContent: addressOf(of, offset) }), code);
    return row;
  }

  // The source that an instruction and the next ones were made of: of the function itself, then of what was inlined there.
  private place(lines: [file: string, line: number][]): HTMLTableCellElement {
    const parts = lines.flatMap(([file, line], i) => {
      const text = `${basename(file)}:${line}`;
      const isHere = this.files.some((of) => of.file === file && of.pieces.some(({ first, lines: all }) => line >= first && line < first + all.length));
      const part = isHere ? make("button", { className: "link", textContent: text, title: `${file}:${line}` }) : make("span", { textContent: text, title: `${file}:${line}` });
      if (isHere) part.addEventListener("click", () => {
        this.go(file, line);
        this.window.focus();
      });
      return i === 0 ? [part] : [" \u203a ", part];
    });
    const cell = make("td", { className: "from" });
    cell.append(...parts, make("code", { textContent: this.textOf(...lines[0]!) }));
    return cell;
  }

  private textOf(file: string, line: number): string {
    const piece = this.files.find((of) => of.file === file)?.pieces.find(({ first, lines }) => line >= first && line < first + lines.length);
    return piece ? piece.lines[line - piece.first]!.trim() : "";
  }

  private heading(name: HTMLElement): HTMLTableRowElement {
    const row = this.row(undefined);
    const cell = make("td");
    row.className = "asm";
    cell.append(name);
    row.append(make("td"), cell);
    return row;
  }

  // The objects of bytes, or the bytes of objects; -1: they are not known.
  private get mate(): number {
    const { measure } = this;
    return measure!.ratioOf("size").find((type) => type !== measure!.type) ?? -1;
  }
}
