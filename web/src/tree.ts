// Trees of frames, and the trees that can be made of one: seen from the leaves, from one function down, or up.

export interface Tree {
  count: number;
  parent: Int32Array; // -1 for the root, node 0; a parent comes before its children
  name: Int32Array;
  grew: Float64Array; // what a node holds itself
  released: Float64Array;
  isFromLeaf?: boolean; // children are callers
}

export const ROOT_NAME = 0;

// Sums over each node's subtree.
export function sums(tree: Tree): { grew: Float64Array; released: Float64Array } {
  const grew = tree.grew.slice();
  const released = tree.released.slice();
  for (let node = tree.count - 1; node > 0; node--) {
    const parent = tree.parent[node]!;
    grew[parent]! += grew[node]!;
    released[parent]! += released[node]!;
  }
  return { grew, released };
}

export interface Total {
  grew: number;
  released: number;
}

export function total(tree: Tree): Total {
  const sum = (values: Float64Array) => values.reduce((a, b) => a + b, 0);
  return { grew: sum(tree.grew), released: sum(tree.released) };
}

// Frames by the path from a node to the root, the node itself first.
export function pathOf(tree: Tree, node: number): number[] {
  const path = [];
  for (let at = node; at > 0; at = tree.parent[at]!) path.push(tree.name[at]!);
  return path;
}

// The frames of a node's stack, what allocates first; with the root if that is a function.
export function stackOf(tree: Tree, node: number): number[] {
  const path = pathOf(tree, node);
  if (tree.name[0] !== ROOT_NAME) path.push(tree.name[0]!);
  return tree.isFromLeaf ? path.reverse() : path;
}

// Without the nodes that hold nothing, and below which nothing is held.
export function pruned(tree: Tree): Tree {
  const sum = sums(tree);
  const kept: number[] = [];
  const target = new Int32Array(tree.count);
  for (let node = 0; node < tree.count; node++)
    if (node === 0 || sum.grew[node]! > 0 || sum.released[node]! > 0) target[node] = kept.push(node) - 1;
  return {
    ...tree,
    count: kept.length,
    parent: Int32Array.from(kept, (node) => (node === 0 ? -1 : target[tree.parent[node]!]!)),
    name: Int32Array.from(kept, (node) => tree.name[node]!),
    grew: Float64Array.from(kept, (node) => tree.grew[node]!),
    released: Float64Array.from(kept, (node) => tree.released[node]!),
  };
}

// A tree under construction: one node for each (parent, name).
export class Builder {
  private readonly children = new Map<number, number>(); // parent * names + name -> node
  private readonly parent: number[] = [-1];
  private readonly grew: number[] = [0];
  private readonly released: number[] = [0];
  private readonly name: number[];

  constructor(private readonly names: number, rootName: number) {
    this.name = [rootName];
  }

  child(parent: number, name: number): number {
    const key = parent * this.names + name;
    let node = this.children.get(key);
    if (node === undefined) {
      node = this.parent.length;
      this.children.set(key, node);
      this.parent.push(parent);
      this.name.push(name);
      this.grew.push(0);
      this.released.push(0);
    }
    return node;
  }

  nameOf(node: number): number {
    return this.name[node]!;
  }

  add(node: number, grew: number, released: number): void {
    this.grew[node]! += grew;
    this.released[node]! += released;
  }

  tree(isFromLeaf = false): Tree {
    return {
      isFromLeaf,
      count: this.parent.length,
      parent: Int32Array.from(this.parent),
      name: Int32Array.from(this.name),
      grew: Float64Array.from(this.grew),
      released: Float64Array.from(this.released),
    };
  }
}

// Every stack from its leaf: what allocates, then who calls it.
export function reversed(tree: Tree, names: number): Tree {
  const builder = new Builder(names, ROOT_NAME);
  for (let node = 0; node < tree.count; node++) {
    if (tree.grew[node] === 0 && tree.released[node] === 0) continue;
    let to = 0;
    for (let at = node; at > 0; at = tree.parent[at]!) to = builder.child(to, tree.name[at]!);
    builder.add(to, tree.grew[node]!, tree.released[node]!);
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
  const builder = new Builder(names, name);
  const target = new Int32Array(tree.count).fill(-1);
  for (const node of outermost(tree, name)) target[node] = 0;
  for (let node = 1; node < tree.count; node++) {
    const above = target[tree.parent[node]!]!;
    if (target[node] === -1 && above !== -1) target[node] = builder.child(above, tree.name[node]!);
    if (target[node] !== -1) builder.add(target[node]!, tree.grew[node]!, tree.released[node]!);
  }
  return builder.tree();
}

// What `name` holds, by who calls it; its root is the function.
export function callers(tree: Tree, name: number, names: number): Tree {
  const builder = new Builder(names, name);
  const sum = sums(tree);
  for (const node of outermost(tree, name)) {
    let to = 0;
    for (let at = tree.parent[node]!; at > 0; at = tree.parent[at]!) to = builder.child(to, tree.name[at]!);
    builder.add(to, sum.grew[node]!, sum.released[node]!);
  }
  return builder.tree(true);
}

// What each function holds itself, and with all that it calls (recursion counted once).
export interface FunctionRow {
  name: number;
  self: Total;
  total: Total;
}

export function functionRows(tree: Tree): FunctionRow[] {
  const rows = new Map<number, FunctionRow>();
  const sum = sums(tree);
  const row = (name: number): FunctionRow => {
    let found = rows.get(name);
    if (!found) {
      found = { name, self: { grew: 0, released: 0 }, total: { grew: 0, released: 0 } };
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
    if (occurrences === 0) {
      of.total.grew += sum.grew[node]!;
      of.total.released += sum.released[node]!;
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
