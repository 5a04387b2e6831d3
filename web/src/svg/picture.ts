// Draws the frames that a zoom shows, in the elements that src/render/flame/flame_svg.c writes.

import type { Frames } from "./frames";
import { Lines } from "./lines";
import { Rows } from "./rows";
import { Titles } from "./titles";

export const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 10;
const BOXES_AT_MOST = 1500; // of one drawing; what is narrower becomes lines
const HIT = [230, 0, 230];
const NUMBERS_COLUMNS = 16; // fewer never show a number

const tenths = (px: number) => Math.round(px * 10);
const rgb = (color: number[]) => `rgb(${color.join()})`;

function element(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const key in attributes) made.setAttribute(key, String(attributes[key]));
  return made;
}

// WCAG's relative luminance; here black and white contrast alike.
function isDark(color: number[]): boolean {
  const [red, green, blue] = color.map((channel) => {
    const c = channel / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue! < 0.179;
}

export class Picture {
  readonly titles: Titles;
  zoomed = 0;
  isUnfolded = false; // what is zoomed: each of its levels has a row
  isHit: Uint8Array | undefined; // by name
  decorate: (node: number, title: SVGElement) => { group: Element; inner: Element } | undefined = () => undefined;
  private nodes = new Map<Element, number>(); // of the groups drawn here
  private rows: Rows;
  private readonly homeRows: Rows; // of the picture as it comes
  private readonly meter = (document.createElementNS("http://www.w3.org/1999/xhtml", "canvas") as HTMLCanvasElement).getContext("2d")!;

  constructor(readonly frames: Frames, private group: Element, font: string) {
    this.titles = new Titles(frames);
    this.homeRows = this.rows = new Rows(frames, 0, this.seen(), false);
    this.meter.font = font;
  }

  // Px of one unit of the value.
  private scale(zoomed: number): number {
    return (this.frames.head.width - 2 * MARGIN) / this.frames.breadth[zoomed]!;
  }

  // Rows in what is drawn.
  get levels(): number {
    return this.rows.count;
  }

  top(depth: number, rows = this.rows): number {
    const { isInverted, rootTop, rowHeight } = this.frames.head;
    return rootTop + (isInverted ? 1 : -1) * rows.row(depth) * rowHeight;
  }

  isFold(node: number): boolean {
    return this.rows.chain(node).length > 1;
  }

  // Where a node lies in the picture as it comes: what links say.
  home(node: number): { x: number; y: number } {
    return { x: tenths(MARGIN + this.frames.x[node]! * this.scale(0)) / 10, y: this.top(this.frames.depth[node]!, this.homeRows) };
  }

  // What is drawn at a place; undefined: nothing.
  nodeAt(x: number, y: number): number | undefined {
    const { breadth, count, depth, end, head, x: start } = this.frames;
    const level = this.rows.level(head.isInverted ? Math.floor((y - head.rootTop) / head.rowHeight) : Math.ceil((head.rootTop - y) / head.rowHeight));
    if (level === undefined) return undefined;
    const value = start[this.zoomed]! + (x - MARGIN) / this.scale(this.zoomed);
    let node = 0;
    while (node < count && depth[node]! < level) {
      let child = node + 1;
      while (child < end[node]! && (value < start[child]! || value >= start[child]! + breadth[child]!)) child = end[child]!;
      if (child >= end[node]!) return undefined;
      node = child;
    }
    return depth[node] === level && x >= MARGIN && x <= head.width - MARGIN ? node : undefined;
  }

  // The node of a group, drawn here or in the picture as it came.
  nodeOf(group: Element): number | undefined {
    const known = this.nodes.get(group);
    const rect = group.querySelector("rect");
    if (known !== undefined || !rect) return known;
    const number = (name: string) => Number(rect.getAttribute(name));
    return this.nodeAt(number("x") + number("width") / 2, number("y") + 1);
  }

  // What in the zoomed frame is wide enough to be drawn.
  private seen(): number[] {
    const { breadth, depth, end, head } = this.frames;
    const scale = this.scale(this.zoomed);
    const least = head.leastWidth / scale;
    const seen: number[] = [];
    for (let node = this.zoomed; node < end[this.zoomed]!;) {
      const isSeen = breadth[node]! > 0 && breadth[node]! >= least && depth[node]! < head.levelsMax;
      if (isSeen) seen.push(node);
      node = isSeen ? node + 1 : end[node]!;
    }
    return seen;
  }

  // What has a box, with the frames that the zoomed one is in, and what is drawn as lines.
  private drawn(all: number[]): { boxes: number[]; small: number[] } {
    const { breadth, depth, head, parent } = this.frames;
    const scale = this.scale(this.zoomed);
    const seen = all.filter((node) => this.rows.has(depth[node]!));
    const above: number[] = [];
    for (let node = parent[this.zoomed]!; node >= 0; node = parent[node]!) if (this.rows.has(depth[node]!)) above.unshift(node);
    const leastBox = all.length > head.boxes ? head.boxWidth / scale : 0;
    const crowded = this.widthBelow(seen, BOXES_AT_MOST);
    const isBox = (node: number) => breadth[node]! >= leastBox && breadth[node]! > crowded;
    return { boxes: [...above, ...seen.filter(isBox)], small: seen.filter((node) => !isBox(node)) };
  }

  // The width that at most so many nodes exceed.
  private widthBelow(nodes: number[], count: number): number {
    const widths = Float64Array.from(nodes, (node) => this.frames.breadth[node]!).sort();
    return widths[widths.length - count - 1] ?? 0;
  }

  draw(): void {
    const seen = this.seen();
    this.rows = new Rows(this.frames, this.zoomed, seen, this.isUnfolded);
    const { boxes, small } = this.drawn(seen);
    const group = this.group.cloneNode(false) as Element;
    this.nodes = new Map();
    for (const node of boxes) group.append(this.frame(node));
    this.group.parentNode!.querySelector("#small")?.remove();
    this.group.replaceWith(...(small.length ? [this.lines(small)] : []), group);
    this.group = group;
  }

  // Left edge and width in tenths of a pixel: both edges are rounded, so neighbours touch.
  private span(node: number): { left: number; width: number; px: number } {
    const { breadth, head, x } = this.frames;
    if (node < this.zoomed && this.frames.end[node]! > this.zoomed)
      return { left: 10 * MARGIN, width: 10 * (head.width - 2 * MARGIN), px: head.width - 2 * MARGIN };
    const scale = this.scale(this.zoomed);
    const from = x[node]! - x[this.zoomed]!;
    const left = tenths(MARGIN + from * scale);
    return { left, width: tenths(MARGIN + (from + breadth[node]!) * scale) - left, px: breadth[node]! * scale };
  }

  private lines(nodes: number[]): Element {
    const { frames } = this;
    const { rowHeight } = frames.head;
    const lines = new Lines();
    for (const node of nodes) {
      const { left, width } = this.span(node);
      const isGrowth = !frames.head.isSplit || 2n * frames.released[node]! <= frames.width[node]!;
      lines.add(frames.depth[node]!, left, width, this.color(node, isGrowth));
    }
    const group = element("g", { id: "small", transform: "scale(.1)", "stroke-width": 10 * (rowHeight - 1), fill: "none" });
    for (const [color, path] of lines.paths((depth) => tenths(this.top(depth) + (rowHeight - 1) / 2)))
      group.append(element("path", { stroke: rgb(color), d: path }));
    return group;
  }

  private color(node: number, isGrowth: boolean): number[] {
    const isHit = this.isHit && this.rows.chain(node).some((at) => this.isHit![this.frames.name[at]!] === 1);
    return isHit ? HIT : this.frames.color(node, isGrowth);
  }

  private frame(node: number): Element {
    const { frames } = this;
    const { depth, head, released, start, width: exact } = frames;
    const span = this.span(node);
    const isParent = node < this.zoomed;
    const title = element("title", {});
    const chain = this.rows.chain(node);
    title.textContent = this.titles.title(node, chain);
    const { group, inner } = this.decorate(node, title) ?? this.plain();
    group.setAttribute("data-v", `${start[node]} ${exact[node]}${head.isDifference ? ` ${released[node]}` : ""}`);
    const classes = [...(head.owners?.[node] ? ["owner"] : chain.length > 1 ? ["fold"] : []), ...(isParent ? ["parent"] : [])];
    if (classes.length) group.setAttribute("class", `${group.getAttribute("class") ?? ""} ${classes.join(" ")}`.trim());
    group.prepend(title);
    const hasGrowth = released[node]! < exact[node]! || exact[node] === 0n;
    const color = this.color(node, hasGrowth);
    inner.append(this.rect(span, depth[node]!, color, true));
    if (head.isSplit && hasGrowth && released[node]! > 0n) {
      const part = Math.round((span.width * Number(released[node])) / Number(exact[node]));
      inner.append(this.rect({ left: span.left + span.width - part, width: part }, depth[node]!, this.color(node, false), false));
    }
    const label = this.label(node, span.px);
    if (label) {
      const ink: Record<string, string> = isDark(color) && !isParent ? { fill: "#fff" } : {};
      const y = tenths(this.top(depth[node]!) + (head.rowHeight - 1) / 2 + 3) / 10;
      inner.append(element("text", { x: (span.left + 30) / 10, y, ...ink }));
      inner.lastChild!.textContent = label;
    }
    this.nodes.set(group, node);
    return group;
  }

  private plain(): { group: Element; inner: Element } {
    const group = element("g", {});
    return { group, inner: group };
  }

  private rect({ left, width }: { left: number; width: number }, depth: number, color: number[], isRound: boolean): SVGElement {
    return element("rect", {
      x: left / 10, y: this.top(depth), width: width / 10, height: this.frames.head.rowHeight - 1,
      ...(isRound && width >= 40 ? { rx: 2 } : {}), fill: rgb(color),
    });
  }

  // As much of the name as has room, in a difference with the mark of what happened; with its numbers if all of it has.
  label(node: number, px: number): string {
    const room = px - 4;
    const { column, isRootBare, showsNumbers } = this.frames.head;
    if (px < 3 * column || (node === 0 && isRootBare && this.zoomed === 0)) return "";
    const chain = this.rows.chain(node);
    const mark = chain.length > 1 ? "" : this.titles.mark(node);
    const whole = chain.length > 1 ? this.chainLabel(chain, px / column) : mark ? `${mark} ${this.titles.name(node)}` : this.titles.name(node);
    const withNumbers = `${whole}  ${this.titles.numbers(node)}`;
    if (showsNumbers && px >= NUMBERS_COLUMNS * column && this.meter.measureText(withNumbers).width <= room) return withNumbers;
    const name = this.fitted(whole, room);
    return mark && Array.from(name).length < 6 && name.endsWith("..") ? mark : name;
  }

  // "24 frames: first ... last", each name as far as there is room.
  private chainLabel(chain: number[], columns: number): string {
    const lead = `${chain.length} frames`;
    if (columns < lead.length + 21) return lead;
    const most = Math.floor((columns - lead.length - 5) / 2);
    const part = (node: number) => {
      const points = Array.from(this.titles.name(node));
      return points.length <= most ? points.join("") : `${points.slice(0, most - 2).join("")}..`;
    };
    return `${lead}: ${part(chain[0]!)} \u2026 ${part(chain.at(-1)!)}`;
  }

  private fitted(name: string, room: number): string {
    const whole = this.meter.measureText(name).width;
    if (whole <= room) return name;
    const points = Array.from(name);
    let size = Math.min(Math.ceil((points.length * room) / whole) + 2, points.length);
    let shown = "";
    do shown = `${points.slice(0, --size).join("")}..`;
    while (size > 0 && this.meter.measureText(shown).width > room);
    return size > 0 ? shown : "";
  }
}
