// Paints the rows of a section as boxes, on whatever takes boxes: the canvas of the page, or a picture.

import { lastAtOrBefore, type Layout } from "./layout";
import { ROW_PX, type Section } from "./section";

const TEXT_FROM_PX = 30;
const HIT = "#e600e6";

// What boxes look like.
export interface Look {
  fill(layout: Layout, node: number): string;
  text(layout: Layout, node: number): string;
  label(layout: Layout, node: number, room: number): string; // at most so many letters
}

export interface PaintedBox {
  node: number | undefined; // undefined: several frames, each narrower than a pixel
  x: number;
  y: number;
  width: number;
  height: number;
  fill: string;
  opacity: number;
  label: string; // as much as has room
  ink: string;
}

export interface Surface {
  readonly charPx: number; // width of a letter
  box(box: PaintedBox): void;
}

export class Painter {
  constructor(
    private readonly section: Section,
    private readonly look: Look,
    private readonly isHit: Uint8Array | undefined,
    private readonly surface: Surface,
  ) {}

  // Runs of frames narrower than a pixel become one box: a row costs no more than its pixels.
  row(row: number, y: number): void {
    const { section } = this;
    const { layout, from, to } = section;
    const end = layout.rowStart[row + 1]!;
    let at = lastAtOrBefore(layout, row, from);
    while (at < end) {
      const node = layout.rowNodes[at]!;
      if (layout.start[node]! >= to && layout.start[node]! > from) return;
      if (!section.isSeen(node) || layout.width[node] === 0) {
        at++;
      } else if (section.box(node).width >= 1) {
        this.frame(node, y);
        at++;
      } else {
        at = this.run(row, at, y);
      }
    }
  }

  private fill(node: number): string {
    const { layout } = this.section;
    return this.isHit?.[layout.tree.name[node]!] === 1 ? HIT : this.look.fill(layout, node);
  }

  // Paints a pixel for all that begins in it; returns what begins after it.
  private run(row: number, at: number, y: number): number {
    const { layout, from, scale } = this.section;
    const node = layout.rowNodes[at]!;
    const { x } = this.section.box(node);
    this.surface.box({ node: undefined, x, y, width: 1, height: ROW_PX - 1, fill: this.fill(node), opacity: 0.7, label: "", ink: "" });
    const last = lastAtOrBefore(layout, row, from + (Math.floor(x) + 1) / scale);
    const isWide = layout.width[layout.rowNodes[last]!]! * scale >= 1; // begins in this pixel, and is seen after it
    return Math.max(isWide ? last : last + 1, at + 1);
  }

  private frame(node: number, y: number): void {
    const { layout, zoomed } = this.section;
    const { x, width } = this.section.box(node);
    const fill = this.fill(node);
    this.surface.box({
      node, x, y, width: width - (width > 3 ? 1 : 0), height: ROW_PX - 1, fill,
      opacity: layout.depth[node]! < layout.depth[zoomed]! ? 0.5 : 1,
      label: width >= TEXT_FROM_PX ? this.look.label(layout, node, Math.floor((width - 6) / this.surface.charPx)) : "",
      ink: fill === HIT ? "#fff" : this.look.text(layout, node),
    });
  }
}
