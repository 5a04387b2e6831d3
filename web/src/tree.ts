// Trees of frames, and the trees that can be made of one: seen from the leaves, from one function down, or up.

export interface Tree {
  count: number;
  parent: Int32Array; // -1 for the root, node 0; a parent comes before its children
  name: Int32Array;
  grew: Float64Array; // what a node holds itself
  released: Float64Array;
  more: Float64Array[]; // further values that are added up alongside; they make no width
  isFromLeaf?: boolean; // children are callers
  isSide?: boolean; // of a difference, what one side holds: no change
  isInOrder?: boolean; // nodes are in preorder, siblings by name
  isGrown?: boolean; // nothing was released: that column is zeros alone, and need not be read
}

export type Columns = Pick<Tree, "grew" | "released" | "more">;

export function mapColumns({ grew, released, more }: Columns, map: (column: Float64Array) => Float64Array): Columns {
  return { grew: map(grew), released: map(released), more: more.map(map) };
}

export const ROOT_NAME = 0;

const knownSums = new WeakMap<Tree, Columns>();

// Sums over each node's subtree; of a tree they are made once.
export function sums(tree: Tree): Columns {
  const known = knownSums.get(tree) ?? sumsNow(tree);
  knownSums.set(tree, known);
  return known;
}

function sumsNow(tree: Tree): Columns {
  const { count, parent } = tree;
  const summed = (column: Float64Array) => {
    const sum = column.slice();
    for (let node = count - 1; node > 0; node--) sum[parent[node]!]! += sum[node]!;
    return sum;
  };
  return mapColumns(tree, (column) => (tree.isGrown && column === tree.released ? column : summed(column)));
}

export interface Total {
  grew: number;
  released: number;
}

export function sumOf(values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum;
}

export function total(tree: Tree): Total {
  return { grew: sumOf(tree.grew), released: tree.isGrown ? 0 : sumOf(tree.released) };
}

// Frames by the path from a node to the root, the node itself first.
export function pathOf(tree: Pick<Tree, "parent" | "name">, node: number): number[] {
  const path = [];
  for (let at = node; at > 0; at = tree.parent[at]!) path.push(tree.name[at]!);
  return path;
}

// The frames of a node's stack, what allocates first; with the root if that is a function.
export function stackOf(tree: Pick<Tree, "parent" | "name" | "isFromLeaf">, node: number): number[] {
  const path = pathOf(tree, node);
  if (tree.name[0] !== ROOT_NAME) path.push(tree.name[0]!);
  return tree.isFromLeaf ? path.reverse() : path;
}

// Without the nodes that hold nothing, and below which nothing is held.
export function pruned(tree: Tree): Tree {
  const sum = sums(tree);
  const kept: number[] = [];
  const target = new Int32Array(tree.count);
  const isAny = (node: number) => sum.grew[node]! > 0 || sum.released[node]! > 0 || sum.more.some((column) => column[node]! > 0);
  for (let node = 0; node < tree.count; node++) if (node === 0 || isAny(node)) target[node] = kept.push(node) - 1;
  return {
    ...tree,
    count: kept.length,
    parent: Int32Array.from(kept, (node) => (node === 0 ? -1 : target[tree.parent[node]!]!)),
    name: Int32Array.from(kept, (node) => tree.name[node]!),
    ...mapColumns(tree, (column) => Float64Array.from(kept, (node) => column[node]!)),
  };
}

// A tree under construction: one node for each (parent, name); its values are sums of those of another tree's nodes.
export class Builder {
  private readonly children = new Map<number, number>(); // parent * names + name -> node
  private readonly parent: number[] = [-1];
  private readonly columns: number[][]; // grew, released and more
  private readonly from: Float64Array[];
  private readonly name: number[];

  constructor(private readonly names: number, rootName: number, { grew, released, more }: Columns) {
    this.name = [rootName];
    this.from = [grew, released, ...more];
    this.columns = this.from.map(() => [0]);
  }

  child(parent: number, name: number): number {
    const key = parent * this.names + name;
    let node = this.children.get(key);
    if (node === undefined) {
      node = this.parent.length;
      this.children.set(key, node);
      this.parent.push(parent);
      this.name.push(name);
      for (const column of this.columns) column.push(0);
    }
    return node;
  }

  nameOf(node: number): number {
    return this.name[node]!;
  }

  // Adds what `source`, a node of the other tree, holds.
  add(node: number, source: number): void {
    for (let i = 0; i < this.columns.length; i++) this.columns[i]![node]! += this.from[i]![source]!;
  }

  tree(isFromLeaf = false): Tree {
    const [grew, released, ...more] = this.columns.map((column) => Float64Array.from(column)) as [Float64Array, Float64Array];
    return {
      isFromLeaf,
      count: this.parent.length,
      parent: Int32Array.from(this.parent),
      name: Int32Array.from(this.name),
      grew, released, more,
    };
  }
}

// Every stack from its leaf: what allocates, then who calls it.
export function reversed(tree: Tree, names: number): Tree {
  const builder = new Builder(names, ROOT_NAME, tree);
  for (let node = 0; node < tree.count; node++) {
    if (tree.grew[node] === 0 && tree.released[node] === 0 && tree.more.every((column) => column[node] === 0)) continue;
    let to = 0;
    for (let at = node; at > 0; at = tree.parent[at]!) to = builder.child(to, tree.name[at]!);
    builder.add(to, node);
  }
  return builder.tree(true);
}

// Nodes called `name` with none above them: a recursive function counts once in each stack.
function outermost(tree: Tree, name: number): number[] {
  const isInside = new Uint8Array(tree.count);
  const found = [];
  for (let node = 1; node < tree.count; node++) {
    const isBelow = isInside[tree.parent[node]!]!;
    if (tree.name[node] === name && !isBelow) found.push(node);
    isInside[node] = isBelow || tree.name[node] === name ? 1 : 0;
  }
  return found;
}

// What `name` holds, by what it calls; its root is the function.
export function callees(tree: Tree, name: number, names: number): Tree {
  const builder = new Builder(names, name, tree);
  const target = new Int32Array(tree.count).fill(-1);
  for (const node of outermost(tree, name)) target[node] = 0;
  for (let node = 1; node < tree.count; node++) {
    const above = target[tree.parent[node]!]!;
    if (target[node] === -1 && above !== -1) target[node] = builder.child(above, tree.name[node]!);
    if (target[node] !== -1) builder.add(target[node]!, node);
  }
  return builder.tree();
}

// What `name` holds, by who calls it; its root is the function.
export function callers(tree: Tree, name: number, names: number): Tree {
  const builder = new Builder(names, name, sums(tree));
  for (const node of outermost(tree, name)) {
    let to = 0;
    for (let at = tree.parent[node]!; at > 0; at = tree.parent[at]!) to = builder.child(to, tree.name[at]!);
    builder.add(to, node);
  }
  return builder.tree(true);
}

// What each function holds itself, and with all that it calls (recursion counted once).
export interface FunctionRow {
  name: number;
  self: Total;
  total: Total;
  more: number[]; // with all that it calls
  own: number[]; // the same of itself
}

export function functionRows(tree: Tree): FunctionRow[] {
  const rows = new Map<number, FunctionRow>();
  const sum = sums(tree);
  const row = (name: number): FunctionRow => {
    let found = rows.get(name);
    if (!found) {
      found = { name, self: { grew: 0, released: 0 }, total: { grew: 0, released: 0 }, more: sum.more.map(() => 0), own: sum.more.map(() => 0) };
      rows.set(name, found);
    }
    return found;
  };
  const depthOnPath = new Map<number, number>(); // name -> how often it is on the path to the current node
  for (const [node, isEntry] of walk(tree)) {
    const name = tree.name[node]!;
    const occurrences = depthOnPath.get(name) ?? 0;
    if (!isEntry) {
      depthOnPath.set(name, occurrences - 1);
      continue;
    }
    depthOnPath.set(name, occurrences + 1);
    const of = row(name);
    of.self.grew += tree.grew[node]!;
    of.self.released += tree.released[node]!;
    for (let i = 0; i < of.own.length; i++) of.own[i]! += tree.more[i]![node]!;
    if (occurrences === 0) {
      of.total.grew += sum.grew[node]!;
      of.total.released += sum.released[node]!;
      for (let i = 0; i < of.more.length; i++) of.more[i]! += sum.more[i]![node]!;
    }
  }
  rows.delete(ROOT_NAME);
  return [...rows.values()];
}

// Nodes below the root on entry and on leaving, depth first, without recursion.
function* walk(tree: Tree): Generator<[number, boolean]> {
  const firstChild = new Int32Array(tree.count).fill(-1);
  const nextSibling = new Int32Array(tree.count).fill(-1);
  for (let node = tree.count - 1; node > 0; node--) {
    const parent = tree.parent[node]!;
    nextSibling[node] = firstChild[parent]!;
    firstChild[parent] = node;
  }
  let node = firstChild[0]!;
  while (node > 0) {
    yield [node, true];
    if (firstChild[node]! > 0) {
      node = firstChild[node]!;
      continue;
    }
    for (;;) {
      yield [node, false];
      if (nextSibling[node]! > 0) {
        node = nextSibling[node]!;
        break;
      }
      node = tree.parent[node]!;
      if (node <= 0) return;
    }
  }
}
