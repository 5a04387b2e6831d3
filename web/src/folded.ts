// Stacks as text that people and tools read: one line per stack, as `heapflame fold` writes them.

import { stackOf, type Tree } from "./tree";

const NO_STACK = "[no stack]"; // profile/fold.h: HF_NO_STACK

// The order of lines as text: names are ranked by their bytes, but ';' after a name comes later than some bytes that may
// continue it, so "a.b" stands before "a;c".
function compareStacks(a: number[], b: number[], names: string[]): number {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  if (i === a.length || i === b.length) return a.length - b.length;
  if (a[i]! > b[i]!) return -compareStacks(b, a, names);
  const first = names[a[i]!]!;
  const second = names[b[i]!]!;
  const isContinued = a.length > i + 1 && second.startsWith(first) && second.charAt(first.length) < ";";
  return isContinued ? 1 : -1;
}

export interface Stack {
  names: number[]; // the root first
  value: number; // what it holds itself; of a difference, the net change
}

// The stacks of a subtree, whole, in the order of lines.
export function stacksBelow(tree: Tree, names: string[], top: number): Stack[] {
  const isWithin = new Uint8Array(tree.count);
  const stacks: Stack[] = [];
  for (let node = 0; node < tree.count; node++) {
    isWithin[node] = node === top || (node > 0 && isWithin[tree.parent[node]!]) ? 1 : 0;
    const value = tree.grew[node]! - tree.released[node]!;
    if (isWithin[node] && value !== 0) stacks.push({ names: stackOf(tree, node).reverse(), value });
  }
  return stacks.sort((a, b) => compareStacks(a.names, b.names, names));
}

export function foldedText(tree: Tree, names: string[], top: number): string {
  const text = (stack: number[]) => stack.map((name) => names[name]!.replaceAll(";", "\\x3b")).join(";") || NO_STACK;
  return stacksBelow(tree, names, top).map((stack) => `${text(stack.names)} ${stack.value}\n`).join("");
}

// One stack, what allocates first.
export function stackText(tree: Pick<Tree, "parent" | "name" | "isFromLeaf">, names: string[], node: number): string {
  return stackOf(tree, node).map((name) => `${names[name]}\n`).join("");
}
