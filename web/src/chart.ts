// One tree on a canvas as large as its window: rows are scrolled, and only what is seen is drawn.

import { lastAtOrBefore, rowCount, type Layout } from "./layout";

const ROW_PX = 18;
const FONT = "12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";
const TEXT_FROM_PX = 30;

export interface Paint {
  fill(layout: Layout, node: number): string;
  text(layout: Layout, node: number): string;
  label(layout: Layout, node: number): string;
}

export interface ChartEvents {
  hover(chart: Chart, node: number | undefined): void;
  zoom(chart: Chart, node: number): void;
  focus(chart: Chart, node: number): void;
  openMenu(chart: Chart, node: number, x: number, y: number): void; // px of the window
}

interface Box {
  x: number;
  width: number; // px
}

export class Chart {
  layout!: Layout;
  zoomed = 0;
  focused = 0;
  drawnBoxes = 0; // of the last painting: what tests look at
  private hovered: number | undefined;
  private isRootOnTop = false;
  private isHit: Uint8Array | undefined;
  private readonly canvas = document.createElement("canvas");
  private readonly sheet = document.createElement("div"); // as high as all rows
  private readonly context = this.canvas.getContext("2d")!;
  private charPx = 7;
  private isWaiting = false;

  constructor(readonly host: HTMLElement, private readonly paint: Paint, private readonly events: ChartEvents) {
    host.classList.add("chart");
    host.append(this.canvas, this.sheet);
    host.addEventListener("scroll", () => this.refresh(), { passive: true });
    host.addEventListener("mousemove", (event) => this.setHovered(this.nodeAt(event)));
    host.addEventListener("mouseleave", () => this.setHovered(undefined));
    host.addEventListener("click", (event) => {
      const node = this.nodeAt(event);
      if (node !== undefined) this.events.zoom(this, node);
    });
    host.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      const node = this.nodeAt(event);
      if (node !== undefined) this.events.openMenu(this, node, event.clientX, event.clientY);
    });
    new ResizeObserver(() => this.resize()).observe(host);
  }

  show(layout: Layout, isRootOnTop: boolean): void {
    this.layout = layout;
    this.isRootOnTop = isRootOnTop;
    this.zoomed = this.focused = 0;
    this.hovered = undefined;
    this.resize();
    this.host.scrollTop = isRootOnTop ? 0 : this.host.scrollHeight;
  }

  zoom(node: number): void {
    this.zoomed = this.focused = node;
    this.resize();
    this.reveal(node);
  }

  focus(node: number): void {
    this.focused = node;
    this.reveal(node);
    this.refresh();
    this.events.focus(this, node);
  }

  // A menu for the box that has the focus, as by keys.
  askForMenu(): void {
    const area = this.host.getBoundingClientRect();
    const y = this.rowTop(this.layout.depth[this.focused]!) - this.host.scrollTop;
    this.events.openMenu(this, this.focused, area.left + this.box(this.focused).x, area.top + y + ROW_PX);
  }

  mark(isHit: Uint8Array | undefined): void {
    this.isHit = isHit;
    this.refresh();
  }

  refresh(): void {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      this.draw();
    });
  }

  // Below and above the zoomed frame: whatever shares a piece of the x axis with it.
  private isSeen(node: number): boolean {
    const { start, width } = this.layout;
    const from = start[this.zoomed]!;
    return node === this.zoomed || (start[node]! < from + width[this.zoomed]! && start[node]! + width[node]! > from);
  }

  // Rows down to the deepest that shows something.
  private shownRows(): number {
    const { layout } = this;
    let row = layout.depth[this.zoomed]!;
    while (row + 1 < rowCount(layout)) {
      const at = lastAtOrBefore(layout, row + 1, layout.start[this.zoomed]!);
      const isAny = this.isSeen(layout.rowNodes[at]!) ||
        (at + 1 < layout.rowStart[row + 2]! && this.isSeen(layout.rowNodes[at + 1]!));
      if (!isAny) break;
      row++;
    }
    return row + 1;
  }

  private resize(): void {
    if (!this.layout || this.host.clientWidth === 0) return;
    const density = devicePixelRatio || 1;
    const { clientWidth, clientHeight } = this.host;
    this.canvas.width = Math.round(clientWidth * density);
    this.canvas.height = Math.round(clientHeight * density);
    this.canvas.style.width = `${clientWidth}px`;
    this.canvas.style.height = `${clientHeight}px`;
    this.sheet.style.height = `${Math.max(this.shownRows() * ROW_PX, clientHeight)}px`;
    this.sheet.style.marginTop = `${-clientHeight}px`;
    this.refresh();
  }

  // Top of a row in the sheet. With the root at the bottom, rows count upwards from the sheet's end.
  private rowTop(row: number): number {
    return this.isRootOnTop ? row * ROW_PX : this.sheet.offsetHeight - (row + 1) * ROW_PX;
  }

  private reveal(node: number): void {
    const top = this.rowTop(this.layout.depth[node]!);
    if (top < this.host.scrollTop) this.host.scrollTop = top;
    else if (top + ROW_PX > this.host.scrollTop + this.host.clientHeight)
      this.host.scrollTop = top + ROW_PX - this.host.clientHeight;
  }

  // Pixels of one unit of the value.
  private scale(): number {
    const width = this.layout.width[this.zoomed]!;
    return width > 0 ? this.host.clientWidth / width : 0;
  }

  private box(node: number): Box {
    const { start, width } = this.layout;
    const scale = this.scale();
    const left = Math.max((start[node]! - start[this.zoomed]!) * scale, 0);
    const right = Math.min((start[node]! + width[node]! - start[this.zoomed]!) * scale, this.host.clientWidth);
    return { x: left, width: right - left };
  }

  private draw(): void {
    if (!this.layout) return;
    const { context, host } = this;
    const density = devicePixelRatio || 1;
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, host.clientWidth, host.clientHeight);
    context.font = FONT;
    context.textBaseline = "middle";
    this.charPx = context.measureText("M").width;
    this.drawnBoxes = 0;
    const rows = rowCount(this.layout);
    for (let row = 0; row < rows; row++) {
      const y = this.rowTop(row) - host.scrollTop;
      if (y > -ROW_PX && y < host.clientHeight) this.drawRow(row, y);
    }
  }

  // Runs of frames narrower than a pixel become one box: a row costs no more than its pixels.
  private drawRow(row: number, y: number): void {
    const { layout } = this;
    const scale = this.scale();
    const from = layout.start[this.zoomed]!;
    const to = from + layout.width[this.zoomed]!;
    const end = layout.rowStart[row + 1]!;
    let at = lastAtOrBefore(layout, row, from);
    while (at < end) {
      const node = layout.rowNodes[at]!;
      if (layout.start[node]! >= to && layout.start[node]! > from) return;
      if (!this.isSeen(node) || layout.width[node] === 0) {
        at++;
        continue;
      }
      const box = this.box(node);
      if (box.width >= 1) {
        this.drawBox(node, box, y);
        at++;
      } else {
        at = this.drawRun(row, at, box.x, y, from, scale);
      }
    }
  }

  // Draws a pixel for all that begins in it; returns what begins after it.
  private drawRun(row: number, at: number, x: number, y: number, from: number, scale: number): number {
    const { layout } = this;
    const node = layout.rowNodes[at]!;
    const isMarked = this.isHit !== undefined && this.isHit[layout.tree.name[node]!] === 1;
    this.context.fillStyle = isMarked ? "#e600e6" : this.paint.fill(layout, node);
    this.context.globalAlpha = 0.7;
    this.context.fillRect(x, y, 1, ROW_PX - 1);
    this.context.globalAlpha = 1;
    this.drawnBoxes++;
    const last = lastAtOrBefore(layout, row, from + (Math.floor(x) + 1) / scale);
    const isWide = layout.width[layout.rowNodes[last]!]! * scale >= 1; // begins in this pixel, and is seen after it
    return Math.max(isWide ? last : last + 1, at + 1);
  }

  private drawBox(node: number, box: Box, y: number): void {
    const { context, layout } = this;
    const isAbove = layout.depth[node]! < layout.depth[this.zoomed]!;
    const isMarked = this.isHit?.[layout.tree.name[node]!] === 1;
    const gap = box.width > 3 ? 1 : 0;
    context.globalAlpha = isAbove ? 0.5 : 1;
    context.fillStyle = isMarked ? "#e600e6" : this.paint.fill(layout, node);
    context.fillRect(box.x, y, box.width - gap, ROW_PX - 1);
    context.globalAlpha = 1;
    this.drawnBoxes++;
    if (box.width >= TEXT_FROM_PX) {
      const room = Math.floor((box.width - 6) / this.charPx);
      const label = this.paint.label(layout, node);
      const shown = label.length <= room ? label : `${label.slice(0, Math.max(room - 1, 0))}…`;
      context.fillStyle = isMarked ? "#fff" : this.paint.text(layout, node);
      context.fillText(shown, box.x + 3, y + ROW_PX / 2, box.width - 6);
    }
    if (node === this.hovered || (node === this.focused && document.activeElement === this.host)) {
      context.strokeStyle = getComputedStyle(this.host).color;
      context.lineWidth = 2;
      context.strokeRect(box.x + 1, y + 1, Math.max(box.width - gap - 2, 1), ROW_PX - 3);
    }
  }

  private setHovered(node: number | undefined): void {
    if (node === this.hovered) return;
    this.hovered = node;
    this.refresh();
    this.events.hover(this, node);
  }

  private nodeAt(event: MouseEvent): number | undefined {
    const area = this.host.getBoundingClientRect();
    const y = event.clientY - area.top + this.host.scrollTop;
    const row = Math.floor(this.isRootOnTop ? y / ROW_PX : (this.sheet.offsetHeight - y) / ROW_PX);
    if (!this.layout || row < 0 || row >= rowCount(this.layout)) return undefined;
    const x = (event.clientX - area.left) / this.scale() + this.layout.start[this.zoomed]!;
    const node = this.layout.rowNodes[lastAtOrBefore(this.layout, row, x)]!;
    const isUnder = x >= this.layout.start[node]! && x < this.layout.start[node]! + this.layout.width[node]!;
    return isUnder && this.isSeen(node) ? node : undefined;
  }

  // The nearest node in a direction on the screen, from what is focused.
  neighbour(key: string): number | undefined {
    const { layout, focused } = this;
    const outwards = this.isRootOnTop ? "ArrowUp" : "ArrowDown";
    if (key === outwards) return focused > 0 ? layout.tree.parent[focused] : undefined;
    const row = layout.depth[focused]!;
    if (key === "ArrowUp" || key === "ArrowDown") return this.widestChild(focused);
    const step = key === "ArrowLeft" ? -1 : 1;
    let at = lastAtOrBefore(layout, row, layout.start[focused]!);
    while (layout.rowNodes[at] !== focused) at--;
    const next = at + step;
    if (next < layout.rowStart[row]! || next >= layout.rowStart[row + 1]!) return undefined;
    const node = layout.rowNodes[next]!;
    return this.isSeen(node) ? node : undefined;
  }

  private widestChild(parent: number): number | undefined {
    const { layout } = this;
    const row = layout.depth[parent]! + 1;
    let widest: number | undefined;
    if (row >= rowCount(layout)) return undefined;
    const end = layout.start[parent]! + layout.width[parent]!;
    for (let at = lastAtOrBefore(layout, row, layout.start[parent]!); at < layout.rowStart[row + 1]!; at++) {
      const node = layout.rowNodes[at]!;
      if (layout.start[node]! >= end) break;
      if (layout.tree.parent[node] === parent && (widest === undefined || layout.width[node]! > layout.width[widest]!))
        widest = node;
    }
    return widest;
  }
}
