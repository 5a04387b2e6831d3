// One tree on a canvas as large as its window: rows are scrolled, and only what is seen is drawn.

import { CanvasSurface } from "./canvas";
import { lastAtOrBefore, rowCount, type Layout } from "./layout";
import { Painter, type Look, type Surface } from "./painter";
import { ROW_PX, Section } from "./section";

export interface ChartEvents {
  hover(chart: Chart, node: number | undefined): void;
  zoom(chart: Chart, node: number): void;
  focus(chart: Chart, node: number): void;
  openMenu(chart: Chart, node: number, x: number, y: number): void; // px of the window
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
  private section!: Section;
  private isWaiting = false;

  constructor(readonly host: HTMLElement, private readonly look: Look, private readonly events: ChartEvents) {
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
    this.events.openMenu(this, this.focused, area.left + this.section.box(this.focused).x, area.top + y + ROW_PX);
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

  private resize(): void {
    if (!this.layout) return;
    this.section = new Section(this.layout, this.zoomed, this.host.clientWidth);
    if (this.host.clientWidth === 0) return;
    const density = devicePixelRatio || 1;
    const { clientWidth, clientHeight } = this.host;
    this.canvas.width = Math.round(clientWidth * density);
    this.canvas.height = Math.round(clientHeight * density);
    this.canvas.style.width = `${clientWidth}px`;
    this.canvas.style.height = `${clientHeight}px`;
    this.sheet.style.height = `${Math.max(this.section.shownRows() * ROW_PX, clientHeight)}px`;
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

  private draw(): void {
    if (!this.layout) return;
    const { context, host } = this;
    const surface = new CanvasSurface(context, devicePixelRatio || 1);
    const painter = new Painter(this.section, this.look, this.isHit, surface);
    context.clearRect(0, 0, host.clientWidth, host.clientHeight);
    for (let row = 0; row < rowCount(this.layout); row++) {
      const y = this.rowTop(row) - host.scrollTop;
      if (y > -ROW_PX && y < host.clientHeight) painter.row(row, y);
    }
    this.drawnBoxes = surface.boxes;
    if (this.hovered !== undefined) this.outline(this.hovered);
    if (document.activeElement === host) this.outline(this.focused);
  }

  private outline(node: number): void {
    const box = this.section.box(node);
    const y = this.rowTop(this.layout.depth[node]!) - this.host.scrollTop;
    this.context.strokeStyle = getComputedStyle(this.host).color;
    this.context.lineWidth = 2;
    this.context.strokeRect(box.x + 1, y + 1, Math.max(box.width - (box.width > 3 ? 3 : 2), 1), ROW_PX - 3);
  }

  // All of it that is zoomed into, for a picture, from `top` down; at most so many rows from the root.
  paintAll(surface: Surface, top: number, rows: number): void {
    const painter = new Painter(this.section, this.look, this.isHit, surface);
    for (let row = 0; row < rows; row++)
      painter.row(row, top + (this.isRootOnTop ? row : rows - 1 - row) * ROW_PX);
  }

  get shownRows(): number {
    return this.section.shownRows();
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
    const x = (event.clientX - area.left) / this.section.scale + this.layout.start[this.zoomed]!;
    const node = this.layout.rowNodes[lastAtOrBefore(this.layout, row, x)]!;
    const isUnder = x >= this.layout.start[node]! && x < this.layout.start[node]! + this.layout.width[node]!;
    return isUnder && this.section.isSeen(node) ? node : undefined;
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
    return this.section.isSeen(node) ? node : undefined;
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
