// One tree on a canvas as large as its window: rows are scrolled, and only what is seen is drawn.

import { CanvasSurface } from "./canvas";
import { Gestures, type GestureTarget } from "./gestures";
import { lastAtOrBefore, rowCount, spanning, type Layout } from "./layout";
import { Painter, type Look, type Surface } from "./painter";
import { ROOT_NAME } from "./tree";
import { ROW_PX, Section, type Range } from "./section";

export interface ChartEvents {
  hover(chart: Chart, node: number | undefined, x: number, y: number): void; // px of the window
  open(chart: Chart, node: number): void; // a chain that is folded
  zoom(chart: Chart, node: number): void;
  focus(chart: Chart, node: number): void;
  spanned(chart: Chart): void; // a range is shown
  openMenu(chart: Chart, node: number, x: number, y: number): void; // px of the window
}

export class Chart implements GestureTarget {
  layout!: Layout;
  zoomed = 0;
  focused = 0;
  drawnBoxes = 0; // of the last painting: what tests look at
  private drawnTop = 0; // where it was scrolled to then
  hovered: number | undefined;
  private marked: number | undefined; // a name that is marked wherever it is seen
  private isRootOnTop = false;
  private isHit: Uint8Array | undefined;
  private readonly canvas = document.createElement("canvas");
  private readonly overlay = document.createElement("canvas"); // what the pointer and the focus mark, so that boxes need not be painted again
  private hasMarks = false; // on the overlay
  private painted: number[] = []; // frames with a box of their own
  private readonly sheet = document.createElement("div"); // as high as all rows
  private sheetPx = 0;
  private surface: CanvasSurface | undefined; // on the canvas, since it has its size
  private section!: Section;
  private range: Range | undefined; // less than the zoomed frame
  private brushed: Range | undefined;
  private belowSeen = 0; // px of the sheet below the window; kept when the window's height changes and the root is at the bottom
  private sized = { width: 0, height: 0 }; // of the window, px, when it was last fitted to
  private isWaiting = false;
  private isCropped = false;
  private unit = 1; // px of the page for one of the section: text that is set larger makes boxes larger

  constructor(readonly host: HTMLElement, private readonly look: Look, private readonly events: ChartEvents) {
    host.classList.add("chart");
    this.overlay.className = "overlay";
    host.append(this.canvas, this.overlay, this.sheet);
    host.addEventListener("scroll", () => {
      // Else the event is older than the window's new height.
      if (host.clientHeight === this.sized.height) this.belowSeen = host.scrollHeight - host.scrollTop - host.clientHeight;
      if (host.scrollTop !== this.drawnTop) this.refresh();
    }, { passive: true });
    host.addEventListener("mousemove", (event) => this.setHovered(this.nodeAt(event), event));
    host.addEventListener("mouseleave", (event) => this.setHovered(undefined, event));
    for (const type of ["focus", "blur"]) host.addEventListener(type, () => this.drawMarks());
    new Gestures(this);
    host.addEventListener("click", (event) => {
      const node = this.nodeAt(event);
      if (node !== undefined) this.choose(node);
    });
    host.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      const node = this.nodeAt(event);
      if (node !== undefined) this.events.openMenu(this, node, event.clientX, event.clientY);
    });
    new ResizeObserver(() => this.follow()).observe(host);
  }

  // The first time, the window is measured as it is drawn, when all that stands around it does.
  show(layout: Layout, isRootOnTop: boolean): void {
    const isFirst = this.layout === undefined;
    this.layout = layout;
    this.isRootOnTop = isRootOnTop;
    this.zoomed = this.focused = 0;
    this.hovered = this.range = this.brushed = undefined;
    if (isFirst) {
      this.section = new Section(layout, 0, 0);
      this.refresh();
      return;
    }
    this.resize();
    this.host.scrollTop = isRootOnTop ? 0 : this.host.scrollHeight;
    this.belowSeen = 0;
  }

  // A click, or Enter: a chain that is folded opens first.
  choose(node: number): void {
    if (this.layout.chains.byHead.has(node)) this.events.open(this, node);
    else this.events.zoom(this, node);
  }

  zoom(node: number): void {
    this.zoomed = this.focused = node;
    this.range = this.brushed = undefined;
    this.resize();
    this.reveal(node);
  }

  get hasRange(): boolean {
    return this.range !== undefined;
  }

  seenRange(): Range {
    return this.section;
  }

  valueAt(clientX: number): number {
    const { from, scale } = this.section;
    const value = from + (clientX - this.host.getBoundingClientRect().left) / this.unit / scale;
    return Number.isFinite(value) ? value : from;
  }

  // Shows a range, moved to where there is something; the frame around it becomes the zoomed one.
  span(from: number, to: number): void {
    const whole = this.layout.width[0]!;
    const width = Math.min(Math.max(to - from, 1), whole);
    const start = Math.min(Math.max(from, 0), whole - width);
    this.range = width < whole ? { from: start, to: start + width } : undefined;
    this.brushed = undefined;
    this.zoomed = this.focused = spanning(this.layout, start, start + width);
    this.resize();
    this.events.spanned(this);
  }

  brush(from: number, to: number): void {
    this.brushed = { from: Math.min(from, to), to: Math.max(from, to) };
    this.drawMarks();
  }

  focus(node: number): void {
    this.focused = node;
    if (this.reveal(node)) this.refresh();
    else this.drawMarks();
    this.events.focus(this, node);
  }

  // A menu for the box that has the focus, as by keys.
  askForMenu(): void {
    const area = this.host.getBoundingClientRect();
    const bottom = this.rowTop(this.layout.depth[this.focused]!) - this.scrolled + ROW_PX;
    this.events.openMenu(this, this.focused, area.left + this.section.left(this.focused) * this.unit, area.top + bottom * this.unit);
  }

  // Where else the function is.
  markName(name: number | undefined): void {
    if (name === this.marked) return;
    this.marked = name;
    this.drawMarks();
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

  // Without the empty room around the rows, for paper.
  setCropped(isCropped: boolean): void {
    this.isCropped = isCropped;
    if (!this.layout || this.host.clientWidth === 0) return;
    this.measure();
    this.draw();
  }

  // Follows the window's size; false: it has not changed.
  private fit(): boolean {
    const { host, sized } = this;
    if (!this.layout || (host.clientWidth === sized.width && host.clientHeight === sized.height)) return false;
    this.measure();
    if (!this.isRootOnTop) host.scrollTop = host.scrollHeight - host.clientHeight - this.belowSeen;
    return true;
  }

  private follow(): void {
    if (this.fit()) this.refresh();
  }

  private resize(): void {
    this.measure();
    this.refresh();
  }

  private measure(): void {
    const { clientWidth, clientHeight } = this.host;
    this.unit = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    this.section = new Section(this.layout, this.zoomed, clientWidth / this.unit, this.range);
    this.sized = { width: clientWidth, height: clientHeight };
    if (clientWidth === 0) return;
    const allRows = this.shownRows * ROW_PX * this.unit;
    this.sheetPx = Math.max(allRows, clientHeight);
    this.sheet.style.height = `${this.sheetPx}px`;
    this.sheet.style.marginTop = this.overlay.style.marginTop = `${-clientHeight}px`;
    this.resizeCanvas(clientWidth, this.isCropped ? Math.min(allRows, clientHeight) : clientHeight);
  }

  private resizeCanvas(widthPx: number, heightPx: number): void {
    const { canvas } = this;
    const density = devicePixelRatio || 1;
    const [width, height] = [Math.round(widthPx * density), Math.round(heightPx * density)];
    const scale = density * this.unit;
    if (this.surface && canvas.width === width && canvas.height === height && this.surface.density === scale) return;
    for (const of of [canvas, this.overlay]) {
      Object.assign(of, { width, height });
      Object.assign(of.style, { width: `${widthPx}px`, height: `${heightPx}px` });
    }
    this.surface = new CanvasSurface(canvas.getContext("2d")!, scale);
  }

  private get scrolled(): number {
    return this.host.scrollTop / this.unit;
  }

  private get seenHeight(): number {
    return this.host.clientHeight / this.unit;
  }

  // Top of a row in the sheet. With the root at the bottom, rows count upwards from the sheet's end.
  private rowTop(row: number): number {
    return this.isRootOnTop ? row * ROW_PX : this.sheetPx / this.unit - (row + 1) * ROW_PX;
  }

  // True: it had to scroll.
  private reveal(node: number): boolean {
    const before = this.host.scrollTop;
    const top = this.rowTop(this.layout.depth[node]!);
    if (top < this.scrolled) this.host.scrollTop = top * this.unit;
    else if (top + ROW_PX > this.scrolled + this.seenHeight) this.host.scrollTop = (top + ROW_PX - this.seenHeight) * this.unit;
    return this.host.scrollTop !== before;
  }

  private draw(): void {
    this.fit(); // what stands around the chart may have changed since it was refreshed
    const { seenHeight, surface } = this;
    if (!surface || this.section.widthPx === 0) return;
    surface.clear();
    this.drawnTop = this.host.scrollTop;
    if (this.isCropped && this.shownRows * ROW_PX <= seenHeight) {
      this.paintAll(surface, 0, this.shownRows);
      surface.flush();
      return;
    }
    const painter = new Painter(this.section, this.look, this.isHit, surface);
    const nearest = this.isRootOnTop ? this.scrolled : this.sheetPx / this.unit - this.scrolled - seenHeight; // px from the root's edge
    const end = Math.min(Math.ceil((nearest + seenHeight) / ROW_PX), rowCount(this.layout));
    for (let row = Math.max(Math.floor(nearest / ROW_PX), 0); row < end; row++) painter.row(row, this.rowTop(row) - this.scrolled);
    surface.flush();
    this.drawnBoxes = surface.boxes;
    this.painted = painter.frames;
    this.drawMarks();
  }

  // The frames of the marked function, what the pointer is on, what has the focus, and a range.
  private drawMarks(): void {
    const { hovered, layout, marked, overlay, surface } = this;
    if (!surface || !layout || this.isCropped) return;
    const isAny = (marked ?? hovered) !== undefined || this.brushed !== undefined || document.activeElement === this.host;
    if (!isAny && !this.hasMarks) return;
    this.hasMarks = isAny;
    const context = overlay.getContext("2d")!;
    context.setTransform(surface.density, 0, 0, surface.density, 0, 0);
    context.clearRect(0, 0, overlay.width, overlay.height);
    const { from, scale } = this.section;
    context.strokeStyle = getComputedStyle(this.host).color;
    const name = marked ?? (hovered === undefined ? undefined : layout.tree.name[hovered]);
    if (name !== undefined && name !== ROOT_NAME)
      for (const node of this.painted) if (layout.tree.name[node] === name && !layout.chains.byHead.has(node)) this.outline(context, node, 1);
    if (hovered !== undefined) this.outline(context, hovered, 2);
    if (document.activeElement === this.host) this.outline(context, this.focused, 2);
    if (!this.brushed) return;
    context.fillStyle = "rgb(42 111 219 / 0.3)";
    context.fillRect((this.brushed.from - from) * scale, 0, (this.brushed.to - this.brushed.from) * scale, this.seenHeight);
  }

  private outline(context: CanvasRenderingContext2D, node: number, line: number): void {
    const x = this.section.left(node);
    const width = this.section.right(node) - x;
    const y = this.rowTop(this.layout.depth[node]!) - this.scrolled;
    context.lineWidth = line;
    context.strokeRect(x + line / 2, y + line / 2, Math.max(width - (width > 3 ? 1 : 0) - line, 1), ROW_PX - 1 - line);
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

  private setHovered(node: number | undefined, event: MouseEvent): void {
    if (node !== this.hovered) {
      this.hovered = node;
      this.drawMarks();
    }
    this.events.hover(this, node, event.clientX, event.clientY);
  }

  private nodeAt(event: MouseEvent): number | undefined {
    this.follow();
    const area = this.host.getBoundingClientRect();
    const y = (event.clientY - area.top + this.host.scrollTop) / this.unit;
    const row = Math.floor((this.isRootOnTop ? y : this.sheetPx / this.unit - y) / ROW_PX);
    if (!this.layout || row < 0 || row >= rowCount(this.layout)) return undefined;
    const x = this.valueAt(event.clientX);
    const node = this.layout.rowNodes[lastAtOrBefore(this.layout, row, x)]!;
    const isUnder = x >= this.layout.start[node]! && x < this.layout.start[node]! + this.layout.width[node]!;
    return isUnder && this.section.isSeen(node) ? node : undefined;
  }

  // The nearest node in a direction on the screen, from what is focused.
  neighbour(key: string): number | undefined {
    const { layout, focused } = this;
    const outwards = this.isRootOnTop ? "ArrowUp" : "ArrowDown";
    const { head } = layout.chains;
    if (key === outwards) return focused > 0 ? head[layout.tree.parent[focused]!] : undefined;
    const row = layout.depth[focused]!;
    if (key === "ArrowUp" || key === "ArrowDown") return this.widestChild(focused);
    const step = key === "ArrowLeft" ? -1 : 1;
    let at = lastAtOrBefore(layout, row, layout.start[focused]!);
    while (layout.rowNodes[at] !== focused && at > layout.rowStart[row]!) at--;
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
      if (layout.chains.head[layout.tree.parent[node]!] === parent && (widest === undefined || layout.width[node]! > layout.width[widest]!))
        widest = node;
    }
    return widest;
  }
}
