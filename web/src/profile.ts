// What the page carries: names, one tree of frames, and what every node holds itself. The encoding is described in
// src/render/page_data.h.

import { Reader, inflate, readColumn, readNames, readParents } from "./data";

export interface ValueType {
  name: string; // "inuse_space"
  unit: string; // "bytes"
  suspects: Suspect[]; // the largest first
}

// One of the profiles of a series.
export interface Point {
  name: string;
  time: number; // when it was written, in seconds since 1970; 0: unknown
}

// As src/analysis/suspects.h finds them.
export interface Suspect {
  name: string;
  value: number;
  points?: number[]; // of a series: what it held at each point
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
  points: Point[]; // of a series, the oldest first; a comparison with a base is one of two
  dropsReleased: boolean; // show what grew alone, to begin with
  types: ValueType[];
  type: number; // index of the one to begin with
  isDifference: boolean;
  period: number; // bytes for one sample, on the average; 0: unknown
  sources: string[]; // files that this was read from
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
  grew: Float64Array[]; // by value type, by node: what it holds itself (of a series at first), or what that grew by
  released: Float64Array[]; // of a difference that is no series: what was released; else empty
  steps: Step[][]; // of a series, by value type, by point: what changed until the next
}

// Nodes that changed from one point to the next, and by how much.
export interface Step {
  nodes: Int32Array;
  by: Float64Array;
}

function readStep(reader: Reader): Step {
  const count = reader.varint();
  const step = { nodes: new Int32Array(count), by: new Float64Array(count) };
  let node = 0;
  for (let i = 0; i < count; i++) {
    node += reader.varint();
    step.nodes[i] = node;
    step.by[i] = reader.varint() - reader.varint();
  }
  return step;
}

export async function readProfile(headJson: string, base64: string): Promise<Profile> {
  const head = JSON.parse(headJson) as Head;
  const reader = new Reader(await inflate(base64));
  const names = readNames(reader, head.names);
  const colors = reader.take(3 * head.names);
  const parent = readParents(reader, head.nodes);
  const name = Int32Array.from(readColumn(reader, head.nodes));
  const grew = head.types.map(() => readColumn(reader, head.nodes));
  const released = head.isDifference && head.points.length === 0 ? head.types.map(() => readColumn(reader, head.nodes)) : [];
  const steps = head.points.length === 0 ? [] : head.types.map(() => head.points.slice(1).map(() => readStep(reader)));
  return { head, names, colors, parent, name, grew, released, steps };
}

// Index of a frame's name; -1: no frame has it. A frame may be called "all", as the root is.
export function nameId(profile: Profile, name: string): number {
  return profile.names.indexOf(name, 1);
}
