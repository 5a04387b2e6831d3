// What the page carries: names, one tree of frames, and what every node holds itself. The encoding is described in
// src/render/page_data.h.

import type { Tree } from "./tree";

export interface ValueType {
  name: string; // "inuse_space"
  unit: string; // "bytes"
  suspects: Suspect[]; // the largest first
}

// As src/analysis/suspects.h finds them.
export interface Suspect {
  name: string;
  value: number;
  percent: number; // of all
  sentence: string;
  suppression: string;
  node: number; // of the stacks as captured
}

// The JSON beside the data.
export interface Head {
  version: 1;
  title: string;
  subtitle: string;
  view: string; // to begin with
  types: ValueType[];
  type: number; // index of the one to begin with
  isDifference: boolean;
  names: number;
  nodes: number; // with the root
  notes: string[];
}

export interface Profile {
  head: Head;
  names: string[]; // in the order of their bytes, so an index is a rank; names[0] is the root's
  colors: Uint8Array; // red, green, blue of each name
  parent: Int32Array; // by node; -1 for the root, which is node 0; parents come first
  name: Int32Array; // by node: index of its name
  grew: Float64Array[]; // by value type, by node: what it holds itself, or what that grew by
  released: Float64Array[]; // of a difference: what was released; else empty
}

class Reader {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new Error("the data of this page is cut");
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }

  take(size: number): Uint8Array {
    if (this.at + size > this.bytes.length) throw new Error("the data of this page is cut");
    this.at += size;
    return this.bytes.subarray(this.at - size, this.at);
  }
}

function readNames(reader: Reader, count: number): string[] {
  const decoder = new TextDecoder();
  const names: string[] = [];
  let before = new Uint8Array(0);
  for (let i = 0; i < count; i++) {
    const shared = reader.varint();
    const rest = reader.take(reader.varint());
    const bytes = new Uint8Array(shared + rest.length);
    bytes.set(before.subarray(0, shared));
    bytes.set(rest, shared);
    names.push(decoder.decode(bytes));
    before = bytes;
  }
  return names;
}

// Each node says how many levels above the one before it hangs.
function readParents(reader: Reader, count: number): Int32Array {
  const parent = new Int32Array(count);
  const path = [0];
  parent[0] = -1;
  for (let node = 1; node < count; node++) {
    path.length -= Math.min(reader.varint(), path.length - 1);
    parent[node] = path[path.length - 1]!;
    path.push(node);
  }
  return parent;
}

function readColumn(reader: Reader, count: number): Float64Array {
  const column = new Float64Array(count);
  for (let i = 0; i < count; i++) column[i] = reader.varint();
  return column;
}

async function inflate(base64: string): Promise<Uint8Array> {
  const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function readProfile(headJson: string, base64: string): Promise<Profile> {
  const head = JSON.parse(headJson) as Head;
  const reader = new Reader(await inflate(base64));
  const names = readNames(reader, head.names);
  const colors = reader.take(3 * head.names);
  const parent = readParents(reader, head.nodes);
  const name = Int32Array.from(readColumn(reader, head.nodes));
  const grew = head.types.map(() => readColumn(reader, head.nodes));
  const released = head.isDifference ? head.types.map(() => readColumn(reader, head.nodes)) : [];
  return { head, names, colors, parent, name, grew, released };
}

// The stacks as they were captured, root first, with one kind of values.
export function stacksOf(profile: Profile, type: number): Tree {
  return {
    count: profile.head.nodes,
    parent: profile.parent,
    name: profile.name,
    grew: profile.grew[type]!,
    released: profile.released[type] ?? new Float64Array(profile.head.nodes),
  };
}

// Index of a frame's name; -1: no frame has it. A frame may be called "all", as the root is.
export function nameId(profile: Profile, name: string): number {
  return profile.names.indexOf(name, 1);
}
