// Where each node of a tree lies: along x by value, row by depth.

import { CONTINUES, FOLLOWED, Joining, NO_FOLDING, type Chains, type Folding } from "./chains";
import { sums, type Tree } from "./tree";

export type Order = "name" | "size";

export const LEAST_SHARE = 1 / 4096; // narrower boxes are less than a pixel: no window is wider

export interface Layout {
  tree: Tree;
  grew: Float64Array; // of the subtree
  released: Float64Array;
  more: Float64Array[];
  start: Float64Array; // left edge, in units of the value
  width: Float64Array; // grew and released together
  depth: Int32Array; // rows: that of a frame of a folded chain is the chain's
  rowStart: Int32Array; // by depth: index into rowNodes; one more at the end
  rowNodes: Int32Array; // by depth, from left to right
  chains: Chains;
  wide: number[]; // boxes of more than that, in the order of nodes, without the root's
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
  const compare = order === "name" ? byName : bySize;
  for (let node = 0; node < tree.count; node++) {
    const end = first[node + 1]!;
    let at = first[node]! + 1;
    while (at < end && compare(nodes[at - 1]!, nodes[at]!) <= 0) at++;
    if (at < end) nodes.subarray(first[node]!, end).sort(compare);
  }
  return { first, nodes };
}

type Places = Pick<Layout, "start" | "depth" | "rowStart" | "rowNodes" | "wide">;

// Row by row, so each row is in the order of x. What a chain folds away has its place, but no row.
function placeByLevels(tree: Tree, width: Float64Array, order: Order, { head }: Chains): Places {
  const children = orderedChildren(tree, width, order);
  const start = new Float64Array(tree.count);
  const depth = new Int32Array(tree.count);
  const rowNodes = new Int32Array(tree.count);
  const rowStart = [0, 1];
  let end = 1;
  const behind: [number, number][] = []; // children that follow a folded one
  // Places the children of a box: along a chain what stands before the folded frame, below its end all, then back what is behind.
  const expand = (box: number, row: number) => {
    const put = (from: number, to: number) => {
      for (let i = from; i < to; i++) {
        depth[children.nodes[i]!] = row;
        rowNodes[end++] = children.nodes[i]!;
      }
    };
    for (let at = box; ; ) {
      const [from, to] = [children.first[at]!, children.first[at + 1]!];
      let folded = -1;
      let x = start[at]! + tree.grew[at]! + tree.released[at]!;
      for (let i = from; i < to; i++) {
        const child = children.nodes[i]!;
        start[child] = x;
        x += width[child]!;
        if (head[child] === box) folded = i;
      }
      if (folded < 0) {
        put(from, to);
        break;
      }
      put(from, folded);
      behind.push([folded + 1, to]);
      at = children.nodes[folded]!;
      depth[at] = row - 1;
    }
    for (let rest = behind.pop(); rest; rest = behind.pop()) put(...rest);
  };
  for (let row = 0; rowStart[row]! < end; row++) {
    for (let at = rowStart[row]!; at < rowStart[row + 1]!; at++) expand(rowNodes[at]!, row + 1);
    rowStart.push(end);
  }
  rowStart.pop();
  const wide = [];
  for (let node = 1; node < tree.count; node++) if (width[node]! > width[0]! * LEAST_SHARE && head[node] === node) wide.push(node);
  return { start, depth, rowStart: Int32Array.from(rowStart), rowNodes: rowNodes.subarray(0, end), wide };
}

// The same of a tree that is in order: each node finds its place free, and its chain in the same pass.
function placeInOrder(tree: Tree, width: Float64Array, joining: Joining): Places {
  const { count, parent } = tree;
  const { head, last, noted } = joining;
  const own = tree.isGrown ? tree.grew : added(tree);
  const start = new Float64Array(count);
  const depth = new Int32Array(count);
  const around = [0]; // the node before, and what is around it, from the root on
  const free = [own[0]!]; // where the next child of each of them begins
  let inner = 0;
  const sizes = new Int32Array(count); // of rows
  const wide: number[] = [];
  const least = width[0]! * LEAST_SHARE;
  let rows = 1;
  sizes[0] = 1;
  for (let node = 1; node < count; node++) {
    const above = parent[node]!;
    while (inner > 0 && around[inner] !== above) inner--;
    const x = free[inner]!;
    start[node] = x;
    free[inner] = x + width[node]!;
    around[++inner] = node;
    free[inner] = x + own[node]!;
    if (noted[node]! >= CONTINUES) { // as Joining.join does, without a call for each node
      const first = head[above]!;
      if (first !== above || noted[above] === FOLLOWED) {
        head[node] = first;
        last[first] = node;
        depth[node] = depth[above]!;
        continue;
      }
    }
    head[node] = node;
    const row = depth[above]! + 1;
    depth[node] = row;
    if (row === rows) rows++;
    sizes[row]!++;
    if (width[node]! > least) wide.push(node);
  }
  const rowStart = new Int32Array(rows + 1);
  for (let row = 0; row < rows; row++) rowStart[row + 1] = rowStart[row]! + sizes[row]!;
  const rowNodes = new Int32Array(rowStart[rows]!);
  const cursor = rowStart.slice();
  for (let node = 0; node < count; node++) if (head[node] === node) rowNodes[cursor[depth[node]!]!++] = node;
  return { start, depth, rowStart, rowNodes, wide };
}

function added({ grew, released }: Pick<Tree, "grew" | "released">): Float64Array {
  const both = grew.slice();
  for (let node = 0; node < both.length; node++) both[node]! += released[node]!;
  return both;
}

// A node begins with what it holds itself, then come its children.
export function layOut(tree: Tree, order: Order, folding: Folding = NO_FOLDING): Layout {
  const { grew, released, more } = sums(tree);
  const width = tree.isGrown ? grew : added({ grew, released });
  const joining = new Joining(tree, width, folding);
  if (tree.isInOrder && order === "name") {
    const places = placeInOrder(tree, width, joining);
    return { tree, grew, released, more, width, chains: joining.chains, ...places };
  }
  joining.joinAll();
  const { chains } = joining;
  return { tree, grew, released, more, width, chains, ...placeByLevels(tree, width, order, chains) };
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

// The innermost frame that spans a whole range.
export function spanning(layout: Layout, from: number, to: number): number {
  const { chains, start, tree, width } = layout;
  let node = 0;
  for (let row = 1; row < rowCount(layout); row++) {
    const next = layout.rowNodes[lastAtOrBefore(layout, row, from)]!;
    if (chains.head[tree.parent[next]!] !== node || start[next]! > from || start[next]! + width[next]! < to) break;
    node = next;
  }
  return node;
}

// What the frames of `isHit` names cover of a range within `zoom`: those above it cover all, and none counts twice.
export function matched(layout: Layout, zoom: number, { from, to }: { from: number; to: number }, isHit: Uint8Array):
  { value: number; frames: number } {
  const { depth, start, tree, width } = layout;
  const isInside = new Uint8Array(tree.count); // a hit, or below one
  let value = 0;
  let frames = 0;
  for (let node = 0; node < tree.count; node++) {
    const isBelow = node > 0 && isInside[tree.parent[node]!] === 1;
    const hit = isHit[tree.name[node]!] === 1;
    isInside[node] = isBelow || hit ? 1 : 0;
    const covered = Math.min(start[node]! + width[node]!, to) - Math.max(start[node]!, from);
    if (!hit || covered <= 0) continue;
    if (depth[node]! >= depth[zoom]!) frames++;
    if (!isBelow) value += covered;
  }
  return { value, frames };
}
