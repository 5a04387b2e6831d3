// The part of a layout that the zoomed frame or a marked range spans, stretched over a width in pixels.

import { lastAtOrBefore, rowCount, type Layout } from "./layout";

export const ROW_PX = 18;

export interface Range {
  from: number;
  to: number;
}

export interface Box {
  x: number;
  width: number; // px
}

export class Section {
  readonly from: number; // in units of the value
  readonly to: number;

  // All of the zoomed frame, or a range within it.
  constructor(readonly layout: Layout, readonly zoomed: number, readonly widthPx: number, range?: Range) {
    this.from = range?.from ?? layout.start[zoomed]!;
    this.to = range?.to ?? this.from + layout.width[zoomed]!;
  }

  // Pixels of one unit of the value.
  get scale(): number {
    return this.to > this.from ? this.widthPx / (this.to - this.from) : 0;
  }

  // Below and above the zoomed frame: whatever shares a piece of the x axis with it.
  isSeen(node: number): boolean {
    const { start, width } = this.layout;
    return node === this.zoomed || (start[node]! < this.to && start[node]! + width[node]! > this.from);
  }

  box(node: number): Box {
    const { start, width } = this.layout;
    const left = Math.max((start[node]! - this.from) * this.scale, 0);
    const right = Math.min((start[node]! + width[node]! - this.from) * this.scale, this.widthPx);
    return { x: left, width: right - left };
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
