// The part of a layout that the zoomed frame or a marked range spans, stretched over a width in pixels.

import { lastAtOrBefore, rowCount, type Layout } from "./layout";

export const ROW_PX = 18;
export const BOX_PX = ROW_PX - 1; // between rows, the ground is seen

export interface Range {
  from: number;
  to: number;
}

export class Section {
  readonly from: number; // in units of the value
  readonly to: number;
  readonly scale: number; // pixels of one unit of the value

  // All of the zoomed frame, or a range within it.
  constructor(readonly layout: Layout, readonly zoomed: number, readonly widthPx: number, range?: Range) {
    this.from = range?.from ?? layout.start[zoomed]!;
    this.to = range?.to ?? this.from + layout.width[zoomed]!;
    this.scale = this.to > this.from ? widthPx / (this.to - this.from) : 0;
  }

  // Below and above the zoomed frame: whatever shares a piece of the x axis with it.
  isSeen(node: number): boolean {
    const { start, width } = this.layout;
    return node === this.zoomed || (start[node]! < this.to && start[node]! + width[node]! > this.from);
  }

  // Edges of a box that is seen, in px.
  left(node: number): number {
    return Math.max((this.layout.start[node]! - this.from) * this.scale, 0);
  }

  right(node: number): number {
    return Math.min((this.layout.start[node]! + this.layout.width[node]! - this.from) * this.scale, this.widthPx);
  }

  // Rows down to the deepest that shows something.
  shownRows(): number {
    const { layout } = this;
    let row = layout.depth[this.zoomed]!;
    while (row + 1 < rowCount(layout)) {
      const at = lastAtOrBefore(layout, row + 1, this.from);
      const isAny = this.isSeen(layout.rowNodes[at]!) ||
        (at + 1 < layout.rowStart[row + 2]! && this.isSeen(layout.rowNodes[at + 1]!));
      if (!isAny) break;
      row++;
    }
    return row + 1;
  }
}
