// What the page carries: names, one tree of frames, and what every node holds itself. The encoding is described in
// src/render/page_data.h.

import { Reader, inflate, readColumn, readNames, readParents } from "./data";

import { rgbOfHsl, type Rgb } from "./color";

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

export interface Thread {
  uid: string; // a number of 64 bits
  name: string;
}

// Where a name is from; 0: not known, or there are several.
export interface Place {
  module: number; // of the head's list, from 1 on
  file: number; // so, too
  line: number;
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
  modules: string[]; // paths of files that frames are from
  files: string[]; // of source
  threads: Thread[]; // those that hold most
  threadsLeftOut: number;
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
  names: string[]; // in the order of their bytes, so an index is a rank; names[0] is the root's; then those of modules
  colors: Uint8Array; // red, green, blue of each name
  places: Place[]; // by name
  moduleName: Int32Array; // by name: that of its module, for stacks of modules
  parent: Int32Array; // by node; -1 for the root, which is node 0; parents come first
  name: Int32Array; // by node: index of its name
  grew: Float64Array[]; // by value type, by node: what it holds itself (of a series at first), or what that grew by
  released: Float64Array[]; // of a difference that is no series: what was released; else empty
  steps: Step[][]; // of a series, by value type, by point: what changed until the next
  threads: Step[][]; // by thread, by value type: what it holds
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

function readPlaces(reader: Reader, count: number): Place[] {
  return Array.from({ length: count }, () => ({ module: reader.varint(), file: reader.varint(), line: reader.varint() }));
}

export const basename = (path: string) => path.slice(path.lastIndexOf("/") + 1);

const NO_MODULE = "[no module]";

export const moduleTitle = (path: string) => (path.startsWith("[") ? path : `[${basename(path)}]`);

// Hues that lie far apart, whatever their number.
function hue(i: number): Rgb {
  return rgbOfHsl((i * 137.508 + 20) % 360, 55, 70);
}

export async function readProfile(headJson: string, base64: string): Promise<Profile> {
  const head = JSON.parse(headJson) as Head;
  const reader = new Reader(await inflate(base64));
  const names = readNames(reader, head.names);
  const own = reader.take(3 * head.names);
  const places = readPlaces(reader, head.names);
  const parent = readParents(reader, head.nodes);
  const name = Int32Array.from(readColumn(reader, head.nodes));
  const grew = head.types.map(() => readColumn(reader, head.nodes));
  const released = head.isDifference && head.points.length === 0 ? head.types.map(() => readColumn(reader, head.nodes)) : [];
  const steps = head.points.length === 0 ? [] : head.types.map(() => head.points.slice(1).map(() => readStep(reader)));
  const threads = head.threads.map(() => head.types.map(() => readStep(reader)));
  const titles = [...new Set([...head.modules.map(moduleTitle), NO_MODULE])].sort();
  const titleAt = (module: number) => names.length + titles.indexOf(module === 0 ? NO_MODULE : moduleTitle(head.modules[module - 1]!));
  const titleOf = [0, ...head.modules.map((_, i) => i + 1)].map(titleAt);
  const colors = Uint8Array.from([...own, ...titles.flatMap((_, i) => hue(i))]);
  const moduleName = Int32Array.from([...places.map(({ module }) => titleOf[module]!), ...titles.map((_, i) => names.length + i)]);
  names.push(...titles);
  return { head, names, colors, places, moduleName, parent, name, grew, released, steps, threads };
}

// "cache.c:43"; "" if it is not known.
export function sourceOf({ head, places }: Profile, name: number): string {
  const { file, line } = places[name] ?? { file: 0, line: 0 };
  return file === 0 ? "" : `${head.files[file - 1]}${line > 0 ? `:${line}` : ""}`;
}

// Path of the module of a name; "" if it is not known.
export function moduleOf({ head, places }: Profile, name: number): string {
  return head.modules[(places[name]?.module ?? 0) - 1] ?? "";
}

// Index of a frame's name; -1: no frame has it. A frame may be called "all", as the root is.
export function nameId(profile: Profile, name: string): number {
  return profile.names.indexOf(name, 1);
}
