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

// The chains that are folded, by their first node. A million frames have a hundred thousand: they are numbers, not objects.
class Folded {
  constructor(private readonly last: Int32Array, private readonly following: Uint8Array, private readonly parent: Int32Array) {}

  has(first: number): boolean {
    return this.following[first]! >= FRAMES_AT_LEAST - 1;
  }

  get(first: number): Chain | undefined {
    if (!this.has(first)) return undefined;
    const last = this.last[first]!;
    let frames = 1;
    for (let at = last; at !== first; at = this.parent[at]!) frames++;
    return { last, frames };
  }
}

export interface Chains {
  head: Int32Array; // by node: the first of its chain, which is drawn; a node that does not fold is its own
  byHead: Folded;
}

interface Candidates {
  head: Int32Array; // by node
  last: Int32Array; // by head: the end of its chain
  following: Uint8Array; // by head: how many frames its chain has behind it, as far as that matters
}

// The chains there are, also those that are opened, and those of few frames.
function candidates({ count, name, parent }: Tree, width: Float64Array, isKept: Uint8Array): Candidates {
  const [head, last, following] = [new Int32Array(count), new Int32Array(count), new Uint8Array(count)];
  for (let node = 1; node < count; node++) {
    const above = parent[node]!;
    const folds = 100 * width[node]! >= NEARLY_PERCENT * width[above]! && above > 0 && width[node]! > 0 &&
      isKept[name[node]!] === 0 && isKept[name[above]!] === 0;
    if (!folds) {
      head[node] = node;
      continue;
    }
    const first = head[above]!;
    head[node] = first;
    last[first] = node;
    if (following[first]! < FRAMES_AT_LEAST - 1) following[first]!++;
  }
  return { head, last, following };
}

function unfolded({ count, parent }: Tree): Chains {
  const head = new Int32Array(count);
  for (let node = 1; node < count; node++) head[node] = node;
  return { head, byHead: new Folded(new Int32Array(0), new Uint8Array(0), parent) };
}

export function chainsOf(tree: Tree, width: Float64Array, { isKept, opened }: Folding): Chains {
  if (!isKept) return unfolded(tree);
  const { head, last, following } = candidates(tree, width, isKept);
  for (const first of opened) following[first] = 0;
  for (let node = 0; node < tree.count; node++) {
    const first = head[node]!;
    if (first !== node && following[first]! < FRAMES_AT_LEAST - 1) head[node] = node;
  }
  return { head, byHead: new Folded(last, following, tree.parent) };
}

// The first node of the chain that a node is in, whether it is opened or not.
export function chainAt(tree: Tree, width: Float64Array, isKept: Uint8Array, node: number): number | undefined {
  const { head, following } = candidates(tree, width, isKept);
  const first = head[node]!;
  return following[first]! >= FRAMES_AT_LEAST - 1 ? first : undefined;
}

// Frames of a box, outermost first: of a chain all, else itself.
export function framesOf(tree: Pick<Tree, "parent">, chains: Chains, box: number): number[] {
  const chain = chains.byHead.get(box);
  if (!chain) return [box];
  const frames = [];
  for (let at = chain.last; at !== box; at = tree.parent[at]!) frames.push(at);
  return [...frames, box].reverse();
}
