// A heat map of a series: a row for each place, a column for each point of time, the colour what it held there. Rows are
// scrolled, and only what is seen is drawn; a drag over the columns chooses from when to when.

import { amount } from "./format";
import { fitted } from "./names";
import { heatColor, type Theming } from "./palette";
import type { Profile, ValueType } from "./profile";
import type { PointRange } from "./timeline";
import type { Fact } from "./tip";

const ROW_PX = 18;
const LABEL_PX = 260; // at most
const LABEL_SHARE = 0.4; // of a window that is narrow
const LETTER_PX = 7.3;
const SHADES = 64;

export interface HeatRows {
  names: number[]; // by row, the one that changed most first
  values: Float64Array; // point after point, a value for each name
  stride: number; // names
  points: number;
  most: number; // of all values
}

const valueAt = ({ names, stride, values }: HeatRows, row: number, point: number) => values[point * stride + names[row]!]!;

// What is one row: a function, or the group of its name.
export function heatRows(profile: Profile, type: number, rowOf: (name: number) => number, rows: number): HeatRows {
  const points = profile.head.points.length;
  const values = new Float64Array(rows * points);
  const grew = profile.grew[type]!;
  const row = Int32Array.from(profile.name, rowOf);
  for (let node = 0; node < grew.length; node++) if (grew[node]! > 0) values[row[node]!]! += grew[node]!;
  const [low, high] = [values.slice(0, rows), values.slice(0, rows)];
  profile.steps[type]!.forEach(({ nodes, by }, step) => {
    const at = (step + 1) * rows;
    values.copyWithin(at, at - rows, at);
    const held = values.subarray(at, at + rows);
    for (let i = 0; i < nodes.length; i++) held[row[nodes[i]!]!]! += by[i]!;
    if (2 * nodes.length > rows) { // all in a row are read faster than most of them where they lie
      for (let of = 0; of < rows; of++) {
        const value = held[of]!;
        high[of] = value > high[of]! ? value : high[of]!;
        low[of] = value < low[of]! ? value : low[of]!;
      }
    } else {
      for (let i = 0; i < nodes.length; i++) {
        const of = row[nodes[i]!]!;
        const value = held[of]!;
        if (value > high[of]!) high[of] = value;
        else if (value < low[of]!) low[of] = value;
      }
    }
  });
  const change = new Float64Array(rows);
  const names = [];
  let most = 1;
  for (let i = 0; i < rows; i++) {
    if (high[i]! > 0) names.push(i);
    if (high[i]! > most) most = high[i]!;
    change[i] = Math.max(high[i]! - values[i]!, values[i]! - low[i]!);
  }
  names.sort((a, b) => change[b]! - change[a]! || a - b);
  return { names, values, stride: rows, points, most };
}

export interface HeatEvents {
  chose(range: PointRange): void;
  pick(row: number): void; // of the names
  tip(key: string | undefined, x: number, y: number, make: () => { title: string; facts: Fact[]; hint: string }): void;
  label(row: number): string;
  pointName(point: number): string;
}

export class Heat {
  private readonly canvas = document.createElement("canvas");
  private readonly cells = document.createElement("canvas"); // a pixel for each
  private readonly sheet = document.createElement("div");
  private rows: HeatRows | undefined;
  private type!: ValueType;
  private theme: Theming = "light";
  private range: PointRange = { from: 0, to: 0 };
  private from: number | undefined; // of a drag
  private focused = 0;

  constructor(private readonly host: HTMLElement, private readonly events: HeatEvents) {
    host.append(this.canvas, this.sheet);
    host.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(host);
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.clientX - canvas.getBoundingClientRect().left < this.labelPx) return;
      this.from = this.pointAt(event);
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => {
      if (this.from !== undefined) this.choose(this.from, this.pointAt(event));
      this.from = undefined;
    });
    canvas.addEventListener("pointerleave", () => events.tip(undefined, 0, 0, () => ({ title: "", facts: [], hint: "" })));
    canvas.addEventListener("click", (event) => {
      const row = this.rowAt(event);
      if (event.clientX - canvas.getBoundingClientRect().left < this.labelPx && row !== undefined) events.pick(this.rows!.names[row]!);
    });
    host.addEventListener("keydown", (event) => this.key(event));
    for (const type of ["focus", "blur"]) host.addEventListener(type, () => this.draw());
  }

  show(rows: HeatRows, type: ValueType, theme: Theming, range: PointRange): void {
    Object.assign(this, { rows, type, theme, range });
    this.focused = Math.min(this.focused, rows.names.length - 1);
    this.draw();
  }

  private choose(a: number, b: number): void {
    this.range = { from: Math.min(a, b), to: Math.max(a, b) };
    this.draw();
    this.events.chose(this.range);
  }

  private key(event: KeyboardEvent): void {
    const { range, rows } = this;
    if (!rows) return;
    const last = rows.points - 1;
    if (event.key === "ArrowDown") this.focused = Math.min(this.focused + 1, rows.names.length - 1);
    else if (event.key === "ArrowUp") this.focused = Math.max(this.focused - 1, 0);
    else if (event.key === "Enter") return this.events.pick(rows.names[this.focused]!);
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const step = event.key === "ArrowLeft" ? -1 : 1;
      if (event.shiftKey) this.choose(range.from, Math.min(Math.max(range.to + step, range.from), last));
      else this.choose(Math.min(Math.max(range.from + step, 0), range.to), range.to);
    } else return;
    event.preventDefault();
    event.stopPropagation();
    const top = this.focused * ROW_PX;
    if (top < this.host.scrollTop) this.host.scrollTop = top;
    else if (top + ROW_PX > this.host.scrollTop + this.host.clientHeight) this.host.scrollTop = top + ROW_PX - this.host.clientHeight;
    this.draw();
  }

  private get labelPx(): number {
    return Math.min(LABEL_PX, Math.round(LABEL_SHARE * this.host.clientWidth));
  }

  private get columnPx(): number {
    return Math.max(this.host.clientWidth - this.labelPx, 1) / Math.max(this.rows?.points ?? 1, 1);
  }

  private pointAt(event: MouseEvent): number {
    const x = event.clientX - this.canvas.getBoundingClientRect().left - this.labelPx;
    return Math.min(Math.max(Math.floor(x / this.columnPx), 0), (this.rows?.points ?? 1) - 1);
  }

  private rowAt(event: MouseEvent): number | undefined {
    const row = Math.floor((event.clientY - this.host.getBoundingClientRect().top + this.host.scrollTop) / ROW_PX);
    return row >= 0 && row < (this.rows?.names.length ?? 0) ? row : undefined;
  }

  private move(event: PointerEvent): void {
    const { rows, type } = this;
    if (!rows) return;
    const point = this.pointAt(event);
    if (this.from !== undefined) {
      this.range = { from: Math.min(this.from, point), to: Math.max(this.from, point) };
      this.draw();
    }
    const row = this.rowAt(event);
    this.events.tip(row === undefined ? undefined : `${row} ${point}`, event.clientX, event.clientY, () => {
      const at = (of: number) => valueAt(rows, row!, of);
      return { title: this.events.label(rows.names[row!]!), hint: "drag: from when to when",
        facts: [["when", this.events.pointName(point)], ["holds", amount(at(point), type)], ["first, last", `${amount(at(0), type)}, ${amount(at(rows.points - 1), type)}`]] };
    });
  }

  // Rows that are seen, as an image of one line of cells each, which is then stretched. Points narrower than a pixel share one,
  // which has the most of them.
  private paintCells(rows: HeatRows, first: number, last: number, atMost: number): void {
    const { cells, theme } = this;
    const columns = Math.max(Math.min(rows.points, atMost), 1);
    Object.assign(cells, { width: columns, height: Math.max(last - first, 1) });
    const image = new ImageData(cells.width, cells.height);
    const pixels = new Uint32Array(image.data.buffer);
    const shades = Uint32Array.from({ length: SHADES }, (_, i) => {
      const color = heatColor(i / (SHADES - 1), theme);
      return (0xff000000 | ((color & 255) << 16) | (color & 0xff00) | (color >> 16)) >>> 0;
    });
    for (let row = first; row < last; row++) {
      for (let column = 0; column < columns; column++) {
        const end = Math.floor(((column + 1) * rows.points) / columns);
        let value = 0;
        for (let point = Math.floor((column * rows.points) / columns); point < end; point++) value = Math.max(value, valueAt(rows, row, point));
        const part = Math.sqrt(value / rows.most); // small places are seen, and growth of large ones, too
        pixels[(row - first) * columns + column] = shades[Math.round(part * (SHADES - 1))]!;
      }
    }
    cells.getContext("2d", { willReadFrequently: true })!.putImageData(image, 0, 0);
  }

  private draw(): void {
    const { canvas, cells, host, range, rows } = this;
    const [width, height] = [host.clientWidth, host.clientHeight];
    if (!rows || width === 0) return;
    this.sheet.style.height = `${Math.max(rows.names.length * ROW_PX - height, 0)}px`;
    const density = devicePixelRatio || 1;
    Object.assign(canvas, { width: Math.round(width * density), height: Math.round(height * density) });
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    const context = canvas.getContext("2d")!;
    context.scale(density, density);
    context.font = "12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";
    context.textBaseline = "middle";
    const ink = getComputedStyle(host).color;
    const first = Math.floor(host.scrollTop / ROW_PX);
    const last = Math.min(Math.ceil((host.scrollTop + height) / ROW_PX), rows.names.length);
    const wide = this.columnPx;
    this.paintCells(rows, first, last, Math.floor(rows.points * wide * density));
    context.imageSmoothingEnabled = false;
    for (let row = first; row < last; row++) {
      const y = row * ROW_PX - host.scrollTop;
      context.drawImage(cells, 0, row - first, cells.width, 1, this.labelPx, y, rows.points * wide, ROW_PX - 1);
      context.fillStyle = ink;
      context.fillText(fitted(this.events.label(rows.names[row]!), Math.round((this.labelPx - 12) / LETTER_PX)), 8, y + ROW_PX / 2, this.labelPx - 12);
      if (row === this.focused && document.activeElement === host) {
        context.strokeStyle = ink;
        context.strokeRect(1, y + 0.5, width - 2, ROW_PX - 2);
      }
    }
    context.strokeStyle = ink;
    context.lineWidth = 2;
    context.strokeRect(this.labelPx + range.from * wide + 1, 1, (range.to - range.from + 1) * wide - 2, Math.min(height, rows.names.length * ROW_PX) - 2);
    context.lineWidth = 1;
  }
}
