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

// What is noted of each node: whether it continues the chain of its caller, and how many frames continue its own, as far as that
// matters.
export const CONTINUES = 4;
export const FOLLOWED = FRAMES_AT_LEAST - 1; // by so many or more: of the first of a chain, that it folds

// The chains that are folded, by their first node. A million frames have a hundred thousand: they are numbers, not objects.
class Folded {
  constructor(private readonly last: Int32Array, private readonly noted: Uint8Array, private readonly parent: Int32Array) {}

  has(first: number): boolean {
    return this.noted[first] === FOLLOWED;
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

// The chains there are, also those that are opened, and those of few frames. No caller has two callees with 99 % of it.
function notes({ count, name, parent }: Tree, width: Float64Array, isKept: Uint8Array): Uint8Array {
  const noted = new Uint8Array(count);
  for (let node = count - 1; node > 0; node--) {
    const above = parent[node]!;
    const own = width[node]!;
    if (100 * own < NEARLY_PERCENT * width[above]! || above === 0 || own === 0 || isKept[name[node]!] !== 0 || isKept[name[above]!] !== 0) continue;
    const behind = noted[node]!;
    noted[above] = behind < FOLLOWED ? behind + 1 : FOLLOWED;
    noted[node] = CONTINUES + behind;
  }
  return noted;
}

// Finds the chain of each node, once that of its caller is found.
export class Joining {
  readonly head: Int32Array;
  readonly last: Int32Array;
  readonly noted: Uint8Array;

  constructor(private readonly tree: Tree, width: Float64Array, { isKept, opened }: Folding) {
    this.head = new Int32Array(tree.count);
    this.last = new Int32Array(tree.count);
    this.noted = isKept ? notes(tree, width, isKept) : new Uint8Array(tree.count);
    for (const first of opened) this.noted[first] = 0;
  }

  // False: the node is its own.
  join(node: number, above: number): boolean {
    const { head, noted } = this;
    if (noted[node]! >= CONTINUES) {
      const first = head[above]!;
      if (first !== above || noted[above] === FOLLOWED) {
        head[node] = first;
        this.last[first] = node;
        return true;
      }
    }
    head[node] = node;
    return false;
  }

  joinAll(): void {
    const { count, parent } = this.tree;
    for (let node = 1; node < count; node++) this.join(node, parent[node]!);
  }

  get chains(): Chains {
    return { head: this.head, byHead: new Folded(this.last, this.noted, this.tree.parent) };
  }
}

// The first node of the chain that a node is in, whether it is opened or not.
export function chainAt(tree: Tree, width: Float64Array, isKept: Uint8Array, node: number): number | undefined {
  const noted = notes(tree, width, isKept);
  let first = node;
  while (noted[first]! >= CONTINUES) first = tree.parent[first]!;
  return noted[first] === FOLLOWED ? first : undefined;
}

// Frames of a box, outermost first: of a chain all, else itself.
export function framesOf(tree: Pick<Tree, "parent">, chains: Chains, box: number): number[] {
  const chain = chains.byHead.get(box);
  if (!chain) return [box];
  const frames = [];
  for (let at = chain.last; at !== box; at = tree.parent[at]!) frames.push(at);
  return [...frames, box].reverse();
}
