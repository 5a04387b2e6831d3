// The part of a layout that the zoomed frame spans, stretched over a width in pixels.

import { lastAtOrBefore, rowCount, type Layout } from "./layout";

export const ROW_PX = 18;

export interface Box {
  x: number;
  width: number; // px
}

export class Section {
  constructor(readonly layout: Layout, readonly zoomed: number, readonly widthPx: number) {}

  get from(): number {
    return this.layout.start[this.zoomed]!;
  }

  get to(): number {
    return this.from + this.layout.width[this.zoomed]!;
  }

  // Pixels of one unit of the value.
  get scale(): number {
    const width = this.layout.width[this.zoomed]!;
    return width > 0 ? this.widthPx / width : 0;
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
