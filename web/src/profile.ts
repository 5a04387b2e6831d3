// What the page carries: names, one tree of frames, and what every node holds itself. The encoding is described in
// src/render/page_data.h.

import { Reader, inflate, readColumn, readNames, readParents } from "./data";
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
