// Stacks as text that people and tools read: one line per stack, as `heapflame fold` writes them.

import { stackOf, type Tree } from "./tree";

const NO_STACK = "[no stack]"; // profile/fold.h: HF_NO_STACK

// In the order of code points, which is that of their UTF-8 bytes; UTF-16 has surrogates before U+E000.
function byCodePoint(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;
    return isHigh(x) === isHigh(y) ? x - y : isHigh(x) ? 1 : -1;
  }
  return a.length - b.length;
}

// The stacks of a subtree, whole, with what each holds itself: of a difference, the net change.
export function foldedText(tree: Tree, names: string[], top: number): string {
  const isWithin = new Uint8Array(tree.count);
  const lines: [string, number][] = [];
  for (let node = 0; node < tree.count; node++) {
    isWithin[node] = node === top || (node > 0 && isWithin[tree.parent[node]!]) ? 1 : 0;
    const value = tree.grew[node]! - tree.released[node]!;
    if (!isWithin[node] || value === 0) continue;
    const frames = stackOf(tree, node).reverse().map((name) => names[name]!.replaceAll(";", "\\x3b"));
    lines.push([frames.join(";") || NO_STACK, value]);
  }
  return lines.sort((a, b) => byCodePoint(a[0], b[0])).map(([stack, value]) => `${stack} ${value}\n`).join("");
}

// One stack, what allocates first.
export function stackText(tree: Tree, names: string[], node: number): string {
  return stackOf(tree, node).map((name) => `${names[name]}\n`).join("");
}
