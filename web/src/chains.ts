// Chains of frames without a choice: each next frame holds nearly all of the one before. They are drawn as one box, until they
// are opened. What hangs beside a chain stands in the row below it, at the place where it always stands.

import type { Tree } from "./tree";

const NEARLY_PERCENT = 99;
const FRAMES_AT_LEAST = 4; // fewer are drawn one by one

export interface Folding {
  isKept: Uint8Array | undefined; // by name: these frames never fold; undefined: none does
  opened: ReadonlySet<number>; // chains by their first node
}

export const NO_FOLDING: Folding = { isKept: undefined, opened: new Set() };

export interface Chain {
  last: number;
  frames: number;
}

export interface Chains {
  head: Int32Array; // by node: the first of its chain, which is drawn; a node that does not fold is its own
  byHead: Map<number, Chain>;
}

// The chains there are, also those that are opened.
function candidates(tree: Tree, width: Float64Array, isKept: Uint8Array | undefined): Int32Array {
  const { count, name, parent } = tree;
  const head = new Int32Array(count);
  if (!isKept) {
    for (let node = 1; node < count; node++) head[node] = node;
    return head;
  }
  for (let node = 1; node < count; node++) {
    const above = parent[node]!;
    const folds = above > 0 && width[node]! > 0 && 100 * width[node]! >= NEARLY_PERCENT * width[above]! &&
      isKept[name[node]!] === 0 && isKept[name[above]!] === 0;
    head[node] = folds ? head[above]! : node;
  }
  return head;
}

export function chainsOf(tree: Tree, width: Float64Array, { isKept, opened }: Folding): Chains {
  const { count } = tree;
  const head = candidates(tree, width, isKept);
  const byHead = new Map<number, Chain>();
  if (!isKept) return { head, byHead };
  const frames = new Int32Array(count);
  for (let node = 0; node < count; node++) frames[head[node]!]!++;
  for (let node = 0; node < count; node++) {
    const first = head[node]!;
    if (first === node) continue;
    if (frames[first]! < FRAMES_AT_LEAST || opened.has(first)) head[node] = node;
    else byHead.set(first, { last: node, frames: frames[first]! });
  }
  return { head, byHead };
}

// The first node of the chain that a node is in, whether it is opened or not.
export function chainAt(tree: Tree, width: Float64Array, isKept: Uint8Array, node: number): number | undefined {
  const head = candidates(tree, width, isKept);
  const first = head[node]!;
  let frames = 0;
  for (let other = first; other < tree.count; other++) if (head[other] === first) frames++;
  return frames >= FRAMES_AT_LEAST ? first : undefined;
}

// Frames of a box, outermost first: of a chain all, else itself.
export function framesOf(tree: Pick<Tree, "parent">, chains: Chains, box: number): number[] {
  const chain = chains.byHead.get(box);
  if (!chain) return [box];
  const frames = [];
  for (let at = chain.last; at !== box; at = tree.parent[at]!) frames.push(at);
  return [...frames, box].reverse();
}
