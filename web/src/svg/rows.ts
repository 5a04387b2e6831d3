// Which levels have a row of their own when a frame is zoomed, as src/render/flame/flame_rows.c decides it for the whole
// picture: chains become one row, a fold, and the deepest levels that hold next to nothing have none until one zooms in.

import type { Frames } from "./frames";

const WIDE = 0.03; // of the width: a box that can be read
const CHAIN = 0.99; // of a frame: so much of it goes on in one child
const CHAIN_MIN = 4; // levels
const ROWS_ENOUGH = 40; // from here on a row needs a box of ...
const WIDER = 0.1; // ... this width

interface Level {
  sum: number;
  widest: number;
  isTold: boolean; // something begins, ends or owns memory here
}

export class Rows {
  count = 0;
  private readonly rowOf: number[] = []; // by level
  private readonly levelOf: number[] = []; // by row: the first level that it shows ...
  private readonly lastOf: number[] = []; // ... and by level: the last

  // `seen`: what the zoomed frame holds that is wide enough to be drawn, in preorder. Unfolded: each level has its row.
  constructor(private readonly frames: Frames, private readonly zoomed: number, seen: number[], isUnfolded: boolean) {
    const from = frames.depth[zoomed]!;
    const levels = this.levels(seen);
    if (!frames.head.foldsRows) {
      for (let level = 0; level < from + levels.length; level++) this.add(level, level);
      return;
    }
    this.addAncestors(from);
    if (isUnfolded) levels.forEach((_, i) => this.add(from + i, from + i));
    else this.choose(levels, from);
  }

  has(level: number): boolean {
    return this.rowOf[level] !== undefined;
  }

  // Of a level, or of the fold that it is in.
  row(level: number): number {
    let at = level;
    while (at > 0 && !this.has(at)) at--;
    return this.rowOf[at] ?? 0;
  }

  // The level of the boxes in a row.
  level(row: number): number | undefined {
    return this.levelOf[row];
  }

  // The frames that a node's box stands for.
  chain(node: number): number[] {
    const chain = [node];
    const last = this.lastOf[this.frames.depth[node]!] ?? -1;
    for (let at = node; this.frames.depth[at]! < last;) {
      at = this.next(at);
      if (at === 0) break;
      chain.push(at);
    }
    return chain;
  }

  private add(first: number, last: number): void {
    this.rowOf[first] = this.count;
    this.levelOf[this.count++] = first;
    this.lastOf[first] = last;
  }

  // The frames that the zoomed one is in: the root, and the others as one row if they are many.
  private addAncestors(count: number): void {
    const isFold = count - 1 >= CHAIN_MIN;
    for (let level = 0; level < (isFold ? 1 : count); level++) this.add(level, level);
    if (isFold) this.add(1, count - 1);
  }

  private levels(seen: number[]): Level[] {
    const { breadth, depth, head, parent } = this.frames;
    const from = depth[this.zoomed]!;
    const total = breadth[this.zoomed]!;
    const levels: Level[] = [{ sum: total, widest: total, isTold: true }];
    for (const node of seen) {
      if (node === this.zoomed) continue;
      const level = (levels[depth[node]! - from] ??= { sum: 0, widest: 0, isTold: false });
      const width = breadth[node]!;
      level.sum += width;
      level.widest = Math.max(level.widest, width);
      if (width >= WIDE * total && !level.isTold)
        level.isTold = width < CHAIN * breadth[parent[node]!]! || head.owners?.[node] !== undefined || !this.hasReadableChild(node);
    }
    if (head.noStack && this.zoomed === 0 && levels.length > 1) levels[1] = levels[0]!;
    return levels;
  }

  private *children(node: number): Generator<number> {
    const { depth, end } = this.frames;
    for (let child = node + 1; child < end[node]! && depth[child]! > depth[node]!; child = end[child]!) yield child;
  }

  private hasReadableChild(node: number): boolean {
    for (const child of this.children(node)) if (this.frames.breadth[child]! >= WIDE * this.frames.breadth[this.zoomed]!) return true;
    return false;
  }

  // The child in which a frame goes on, or that leads to the zoomed one; 0: none.
  private next(node: number): number {
    const { breadth, end } = this.frames;
    const isAbove = node < this.zoomed && end[node]! > this.zoomed;
    for (const child of this.children(node))
      if (isAbove ? child <= this.zoomed && end[child]! > this.zoomed : breadth[child]! >= CHAIN * breadth[node]!) return child;
    return 0;
  }

  private choose(levels: Level[], from: number): void {
    const total = levels[0]!.widest;
    let end = levels.length;
    while (end > 1 && levels[end - 1]!.sum < WIDE * total) end--;
    if (levels.length - end < CHAIN_MIN) end = levels.length;
    const folds = this.folds(levels, end);
    for (let more = folds.length; more > ROWS_ENOUGH && levels[end - 1]!.widest < WIDER * total; more--) end--;
    for (const [first, last] of this.folds(levels, end)) this.add(from + first, from + last);
  }

  // The rows of the first `end` levels: first and last level of each.
  private folds(levels: Level[], end: number): [number, number][] {
    const wide = WIDE * levels[0]!.widest;
    const rows: [number, number][] = [];
    for (let at = 0; at < end;) {
      let stop = at;
      while (stop < end && !levels[stop]!.isTold && levels[stop]!.widest >= wide) stop++;
      const last = stop - at >= CHAIN_MIN ? stop - 1 : at;
      rows.push([at, last]);
      at = last + 1;
    }
    return rows;
  }
}
