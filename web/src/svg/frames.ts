// What an SVG carries to be redrawn from: all frames, in preorder. src/render/flame/flame_data.h describes the encoding.

import { Reader, inflate, readColumn, readNames, parentsOf } from "../data";

// The JSON beside the data.
export interface Head {
  version: 2;
  names: number;
  nodes: number; // with the root
  total: string; // 100 %, in units of the value
  isDifference: boolean;
  isSplit: boolean; // a difference in two colours, a frame with both split in proportion
  isNegated: boolean; // colours and signs are exchanged
  hasChanges: boolean; // of two columns
  hasNodeColors: boolean; // else by name
  showsBytes: boolean;
  factor: number; // of the values as shown
  noun: string; // what is counted
  nameType: string;
  width: number; // px
  column: number; // mean width of a letter, px
  rowHeight: number;
  rootTop: number;
  isInverted: boolean;
  isRootBare: boolean; // nothing is written into it until one zooms
  foldsRows: boolean;
  showsNumbers: boolean; // in boxes
  levels: number; // with a row in the picture as it comes
  levelsMax: number;
  leastWidth: number; // narrower frames are not drawn, px
  boxWidth: number; // of many, narrower ones have no box of their own
  boxes: number; // that is how few always have one
  owners?: Record<number, string>; // by node that is marked as one: the end of its title
  noStack?: { name: string; width: string; released: string; colors: number[] }; // a box beside the root's children
}

export interface Frames {
  head: Head;
  count: number;
  names: string[]; // names[0] is the root's
  parent: Int32Array; // by node; -1 for the root
  end: Int32Array; // one past the last node of its subtree
  depth: Int32Array;
  name: Int32Array;
  start: BigUint64Array; // exact, in units of the value
  width: BigUint64Array;
  x: Float64Array; // start and width, near enough to draw
  breadth: Float64Array;
  released: BigUint64Array; // of a difference
  more: BigUint64Array; // of two columns
  less: BigUint64Array;
  color(node: number, isGrowth: boolean): number[];
}

interface Places {
  start: BigUint64Array;
  width: BigUint64Array;
  end: Int32Array;
}

// A node begins `before` units right of what its parent has placed so far, and ends `after` its last child.
function readPlaces(reader: Reader, parent: Int32Array): Places {
  const count = parent.length;
  const before = readExact(reader, count, 1);
  const after = readExact(reader, count);
  const start = new BigUint64Array(count);
  const reached = new BigUint64Array(count); // right edge of what has been placed in a node; in the end its own
  const end = new Int32Array(count);
  let open = 0;
  const close = (until: number, at: number) => {
    for (; open !== until; open = parent[open]!) {
      reached[open] = reached[open]! + after[open]!;
      end[open] = at;
      if (open > 0) reached[parent[open]!] = reached[open]!;
    }
  };
  for (let node = 1; node < count; node++) {
    close(parent[node]!, node);
    start[node] = reached[open]! + before[node]!;
    reached[node] = start[node]!;
    open = node;
  }
  close(-1, count);
  return { start, end, width: reached.map((right, node) => right - start[node]!) };
}

function readExact(reader: Reader, count: number, from = 0): BigUint64Array {
  const column = new BigUint64Array(count);
  for (let i = from; i < count; i++) column[i] = reader.exact();
  return column;
}

// What a node holds of something besides its children becomes what it holds in all.
function summed(own: BigUint64Array, parent: Int32Array): BigUint64Array {
  for (let node = own.length - 1; node > 0; node--) own[parent[node]!] = own[parent[node]!]! + own[node]!;
  return own;
}

type Column = Int32Array | BigUint64Array | Float64Array;

function appended<T extends Column>(column: T, value: T[number]): T {
  const longer = new (column.constructor as new (size: number) => T)(column.length + 1);
  longer.set(column as never);
  longer[column.length] = value;
  return longer;
}

// Values without a stack are a frame of their own: the root's last, though it stands first.
function withNoStack(frames: Frames): Frames {
  const { head: { noStack }, count } = frames;
  if (!noStack) return frames;
  const end = appended(frames.end, count + 1);
  end[0] = count + 1;
  return {
    ...frames, end,
    count: count + 1,
    names: [...frames.names, noStack.name],
    parent: appended(frames.parent, 0),
    depth: appended(frames.depth, 1),
    name: appended(frames.name, frames.names.length),
    start: appended(frames.start, 0n),
    width: appended(frames.width, BigInt(noStack.width)),
    x: appended(frames.x, 0),
    breadth: appended(frames.breadth, Number(noStack.width)),
    released: appended(frames.released, BigInt(noStack.released)),
    more: appended(frames.more, 0n),
    less: appended(frames.less, 0n),
    color: (node, isGrowth) =>
      (node < count ? frames.color(node, isGrowth) : noStack.colors.slice(isGrowth ? 0 : 3, isGrowth ? 3 : 6)),
  };
}

export async function readFrames(headJson: string, base64: string): Promise<Frames> {
  const head = JSON.parse(headJson) as Head;
  const reader = new Reader(await inflate(base64));
  const names = readNames(reader, head.names);
  const colors = reader.take(3 * (head.hasNodeColors ? head.nodes : head.names));
  const releasedColors = head.isSplit ? reader.take(3 * head.names) : colors;
  const parent = parentsOf(reader.ints(new Int32Array(head.nodes - 1)));
  const name = Int32Array.from(readColumn(reader, head.nodes));
  const places = readPlaces(reader, parent);
  const depth = new Int32Array(head.nodes);
  for (let node = 1; node < head.nodes; node++) depth[node] = depth[parent[node]!]! + 1;
  const released = head.isDifference ? summed(readExact(reader, head.nodes), parent) : new BigUint64Array(head.nodes);
  const changes = () => (head.hasChanges ? readExact(reader, head.nodes) : new BigUint64Array(head.nodes));
  return withNoStack({
    head, names, parent, depth, name, ...places, released,
    count: head.nodes,
    x: Float64Array.from(places.start, Number),
    breadth: Float64Array.from(places.width, Number),
    more: changes(),
    less: changes(),
    color(node, isGrowth) {
      const at = 3 * (head.hasNodeColors ? node : name[node]!);
      return Array.from((isGrowth ? colors : releasedColors).subarray(at, at + 3));
    },
  });
}

// The names from the root's child to a node; [] of the root.
export function pathOf(frames: Frames, node: number): string[] {
  const path = [];
  for (let at = node; at > 0; at = frames.parent[at]!) path.push(frames.names[frames.name[at]!]!);
  return path.reverse();
}

// The node at the end of a path; -1: there is none.
export function nodeOf(frames: Frames, path: string[]): number {
  let node = 0;
  for (const name of path) {
    let child = node + 1;
    while (child < frames.end[node]! && frames.names[frames.name[child]!] !== name) child = frames.end[child]!;
    if (child >= frames.end[node]!) return -1;
    node = child;
  }
  return node;
}
