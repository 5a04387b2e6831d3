// Where each node of a tree lies: along x by value, row by depth.

import { sums, type Tree } from "./tree";

export type Order = "name" | "size";

export interface Layout {
  tree: Tree;
  grew: Float64Array; // of the subtree
  released: Float64Array;
  start: Float64Array; // left edge, in units of the value
  width: Float64Array; // grew and released together
  depth: Int32Array;
  rowStart: Int32Array; // by depth: index into rowNodes; one more at the end
  rowNodes: Int32Array; // by depth, from left to right
}

// Children grouped by parent, in order.
function orderedChildren(tree: Tree, width: Float64Array, order: Order): { first: Int32Array; nodes: Int32Array } {
  const first = new Int32Array(tree.count + 1);
  const nodes = new Int32Array(tree.count);
  for (let node = 1; node < tree.count; node++) first[tree.parent[node]! + 1]!++;
  for (let node = 0; node < tree.count; node++) first[node + 1]! += first[node]!;
  const cursor = first.slice();
  for (let node = 1; node < tree.count; node++) nodes[cursor[tree.parent[node]!]!++] = node;
  const byName = (a: number, b: number) => tree.name[a]! - tree.name[b]!;
  const bySize = (a: number, b: number) => width[b]! - width[a]! || byName(a, b);
  for (let node = 0; node < tree.count; node++) {
    if (first[node + 1]! - first[node]! > 1)
      nodes.subarray(first[node]!, first[node + 1]!).sort(order === "name" ? byName : bySize);
  }
  return { first, nodes };
}

// A node begins with what it holds itself, then come its children. Level by level, so each row is in the order of x.
export function layOut(tree: Tree, order: Order): Layout {
  const { grew, released } = sums(tree);
  const width = grew.map((value, node) => value + released[node]!);
  const children = orderedChildren(tree, width, order);
  const start = new Float64Array(tree.count);
  const depth = new Int32Array(tree.count);
  const rowNodes = new Int32Array(tree.count);
  const rowStart = [0, 1];
  let end = 1;
  for (let row = 0; rowStart[row]! < end; row++) {
    for (let at = rowStart[row]!; at < rowStart[row + 1]!; at++) {
      const node = rowNodes[at]!;
      let x = start[node]! + tree.grew[node]! + tree.released[node]!;
      for (let i = children.first[node]!; i < children.first[node + 1]!; i++) {
        const child = children.nodes[i]!;
        start[child] = x;
        depth[child] = row + 1;
        x += width[child]!;
        rowNodes[end++] = child;
      }
    }
    rowStart.push(end);
  }
  rowStart.pop();
  return { tree, grew, released, start, width, depth, rowStart: Int32Array.from(rowStart), rowNodes };
}

export function rowCount(layout: Layout): number {
  return layout.rowStart.length - 1;
}

// Index in rowNodes of the last node of a row that begins at or before `x`; the row's first if there is none.
export function lastAtOrBefore(layout: Layout, row: number, x: number): number {
  let low = layout.rowStart[row]!;
  let high = layout.rowStart[row + 1]! - 1;
  const first = low;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (layout.start[layout.rowNodes[middle]!]! <= x) low = middle + 1;
    else high = middle - 1;
  }
  return Math.max(high, first);
}

// What the frames of `isHit` names cover of `zoom`: those above it cover all, and none counts twice.
export function matched(layout: Layout, zoom: number, isHit: Uint8Array): { value: number; frames: number } {
  const { tree, width } = layout;
  let covered = 0;
  let frames = 0;
  for (let at = zoom; at >= 0; at = tree.parent[at]!) if (isHit[tree.name[at]!]) covered = width[zoom]!;
  const state = new Uint8Array(tree.count); // 1: within zoom, 2: and below a hit
  state[zoom] = isHit[tree.name[zoom]!] ? 2 : 1;
  const isAll = covered > 0;
  if (isHit[tree.name[zoom]!]) frames++;
  for (let row = layout.depth[zoom]! + 1; row < rowCount(layout); row++) {
    for (let at = layout.rowStart[row]!; at < layout.rowStart[row + 1]!; at++) {
      const node = layout.rowNodes[at]!;
      const above = state[tree.parent[node]!]!;
      if (above === 0) continue;
      const hit = isHit[tree.name[node]!];
      if (hit) frames++;
      if (hit && above === 1 && !isAll) covered += width[node]!;
      state[node] = hit ? 2 : above;
    }
  }
  return { value: covered, frames };
}
