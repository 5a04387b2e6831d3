// Frames in links: four letters of a hash for each name of a path, or, of paths that would be long, one hash of all. A link is
// short enough for a chat, and survives new data as long as the path is there.

import type { Tree } from "./tree";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const NAME_LETTERS = 4;
const FRAMES_AT_MOST = 40; // of paths by name
const LONG = "~";

function hashOf(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

function lettersOf(hash: number, count: number): string {
  let text = "";
  for (let rest = hash; text.length < count; rest = Math.floor(rest / 64)) text += LETTERS[rest % 64];
  return text;
}

const nameKey = (name: string) => lettersOf(hashOf(name, 0x811c9dc5), NAME_LETTERS);

const mix = (above: number, name: number) => Math.imul(above ^ name, 0x9e3779b1) ^ (above >>> 13);

// Of the path to each node; names are hashed once.
function pathHashes(tree: Pick<Tree, "count" | "name" | "parent">, names: string[], seed: number): Int32Array {
  const own = new Map<number, number>();
  const hash = new Int32Array(tree.count);
  for (let node = 1; node < tree.count; node++) {
    const name = tree.name[node]!;
    if (!own.has(name)) own.set(name, hashOf(names[name]!, seed));
    hash[node] = mix(hash[tree.parent[node]!]!, own.get(name)!);
  }
  return hash;
}

const SEEDS = [0x811c9dc5, 0x3c6ef372] as const;

function wholeKey(path: string[]): string {
  return SEEDS.map((seed) => lettersOf(path.reduce((above, name) => mix(above, hashOf(name, seed)), 0) >>> 0, 6)).join("");
}

// Names from the root on. "" is the root.
export function encodePath(path: string[]): string {
  return path.length <= FRAMES_AT_MOST ? path.map(nameKey).join("") : LONG + wholeKey(path);
}

// The node that a path means in this tree, or the last of it that is there; 0: the root, or none.
export function nodeOfPath(tree: Tree, names: string[], text: string): number {
  if (text.startsWith(LONG)) {
    const [first, second] = SEEDS.map((seed) => pathHashes(tree, names, seed)) as [Int32Array, Int32Array];
    for (let node = 1; node < tree.count; node++)
      if (LONG + lettersOf(first[node]! >>> 0, 6) + lettersOf(second[node]! >>> 0, 6) === text) return node;
    return 0;
  }
  const keys = text.match(/[\w-]{4}/g) ?? [];
  const keyOf = new Map<number, string>();
  let node = 0;
  for (const key of keys) {
    let next = -1;
    for (let child = node + 1; child < tree.count && next < 0; child++) {
      if (tree.parent[child] !== node) continue;
      const name = tree.name[child]!;
      if (!keyOf.has(name)) keyOf.set(name, nameKey(names[name]!));
      if (keyOf.get(name) === key) next = child;
    }
    if (next < 0) break;
    node = next;
  }
  return node;
}
