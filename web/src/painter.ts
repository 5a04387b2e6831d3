// Paints the rows of a section as boxes, on whatever takes boxes: the canvas of the page, or a picture.

import { framesOf } from "./chains";
import { lastAtOrBefore, type Layout } from "./layout";
import { isolated } from "./names";
import type { Section } from "./section";

const TEXT_FROM_PX = 30;
const HIT = 0xe600e6;
const RUN_OPACITY = 0.7;
const OUTER_OPACITY = 0.5; // of frames that call the zoomed one

// What boxes look like.
export interface Look {
  colorsOf(layout: Layout): (node: number) => number; // 0xRRGGBB
  ink(color: number): string; // of the text on it
  label(layout: Layout, node: number, room: number): string; // at most so many letters
  figures(layout: Layout, node: number): string; // behind the label, where there is room for both
}

export interface Surface {
  readonly charPx: number; // width of a letter
  // A box of the row whose top is `y`. Its node is undefined if it stands for several frames, each narrower than a pixel.
  box(node: number | undefined, x: number, y: number, width: number, color: number, opacity: number): void;
  // Text on the box before.
  label(text: string, x: number, y: number, room: number, ink: string): void;
}

export class Painter {
  readonly frames: number[] = []; // painted, each with a box of its own
  private readonly colorOf: (node: number) => number;

  constructor(
    private readonly section: Section,
    private readonly look: Look,
    isHit: Uint8Array | undefined,
    private readonly surface: Surface,
  ) {
    const { layout } = section;
    const { name } = layout.tree;
    const colorOf = look.colorsOf(layout);
    const { byHead } = layout.chains;
    const isAnyHit = (node: number) => isHit![name[node]!] === 1 ||
      (byHead.has(node) && framesOf(layout.tree, layout.chains, node).some((frame) => isHit![name[frame]!] === 1));
    this.colorOf = isHit ? (node) => (isAnyHit(node) ? HIT : colorOf(node)) : colorOf;
  }

  // Runs of frames narrower than a pixel become one box: a row costs no more than its pixels. A graph of a million frames has tens of
  // thousands of boxes, so nothing is called here that is not needed for each.
  row(row: number, y: number): void {
    const { colorOf, section, surface } = this;
    const { layout: { rowNodes, rowStart, start, width }, from, to, scale, widthPx, zoomed } = section;
    const end = rowStart[row + 1]!;
    let taken = 1; // frames of the last run
    for (let at = lastAtOrBefore(section.layout, row, from); at < end; ) {
      const node = rowNodes[at]!;
      const [begin, size] = [start[node]!, width[node]!];
      if (begin >= to && begin > from) return;
      if (size === 0 || (node !== zoomed && (begin >= to || begin + size <= from))) {
        at++;
        continue;
      }
      const x = Math.max((begin - from) * scale, 0);
      const seen = Math.min((begin + size - from) * scale, widthPx) - x;
      if (seen >= 1) {
        this.frame(node, x, y, seen);
        at++;
      } else {
        surface.box(undefined, x, y, 1, colorOf(node), RUN_OPACITY);
        const next = this.afterPixel(at, end, from + (Math.floor(x) + 1) / scale, taken);
        taken = next - at;
        at = next;
      }
    }
  }

  // The first after `at` that begins beyond a value, or is seen beyond it. It is looked for around `at + taken`: runs beside each other
  // are about as long.
  private afterPixel(at: number, end: number, value: number, taken: number): number {
    const { layout: { rowNodes, start, width }, scale } = this.section;
    let low = at; // begins in the pixel
    let high = Math.min(at + taken, end); // does not
    let step = 1;
    if (high < end && start[rowNodes[high]!]! <= value) {
      do {
        low = high;
        high = low + step;
        step *= 2;
      } while (high < end && start[rowNodes[high]!]! <= value);
      high = Math.min(high, end);
    } else {
      while (high - step > at && start[rowNodes[high - step]!]! > value) {
        high -= step;
        step *= 2;
      }
      low = Math.max(high - step, at);
    }
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (start[rowNodes[middle]!]! <= value) low = middle;
      else high = middle;
    }
    return low > at && width[rowNodes[low]!]! * scale >= 1 ? low : high;
  }

  private frame(node: number, x: number, y: number, width: number): void {
    const { look, surface, section: { layout, zoomed } } = this;
    const color = this.colorOf(node);
    this.frames.push(node);
    const opacity = layout.depth[node]! < layout.depth[zoomed]! ? OUTER_OPACITY : 1;
    surface.box(node, x, y, width - (width > 3 ? 1 : 0), color, opacity);
    if (width < TEXT_FROM_PX) return;
    const room = Math.floor((width - 6) / surface.charPx);
    const label = look.label(layout, node, room);
    if (!label) return;
    const figures = look.figures(layout, node);
    surface.label(label.length + 2 + figures.length <= room ? `${isolated(label)}  ${figures}` : label, x + 3, y, width - 6, look.ink(color));
  }
}
