// What the page carries: names, one tree of frames, and what every node holds itself. The encoding is described in
// src/render/page/page_data.h.

import { Reader, inflate, parentsOf, readColumn, readLines, readNames } from "./data";
import { colorOf, colorOfHsl } from "./color";

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

// How something went over time, in members that src/render/table/growth_report.h explains.
export interface Place {
  name: string;
  node: number; // of the stacks as captured
  verdict: string; // "leak", "filling cache" ...
  sentence: string;
  evidence: string;
  slope: string;
  share: number; // of all that grew, 0 to 1
  points: number[];
  grew_from: number | null; // seconds from the first point; null: it did not grow
  grew_to: number | null;
  suppression: string;
}

export interface Trend {
  type: number; // index of the values that it is of
  times: number[]; // of the points of each place, seconds from the first: more points than 64 are averaged
  places: Place[]; // the steepest first
}

// The JSON beside the data.
export interface Head {
  version: 1;
  title: string; // as asked for; "": the page says what it is of
  subtitle: string;
  process: number; // its number, 0: unknown
  command: string; // how the process was started; "": unknown
  program: string; // path of its file; "": unknown
  began: number; // when it was recorded from, in milliseconds since 1970; 0: unknown
  view: string; // to begin with
  points: Point[]; // of a series, the oldest first; a comparison with a base is one of two
  trend?: Trend | null; // of a series that is long enough
  modules: string[]; // paths of files that frames are from
  files: string[]; // of source
  threads: Thread[]; // those that hold most
  threadsLeftOut: number;
  isPacked?: boolean; // the numbers of the data are; those of pages of before are not
  hasOwners?: boolean; // the data says who owns what functions hold; pages of before do not
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
  readonly colors: Int32Array; // by name: see color.ts
  places: Int32Array; // by name, three numbers: module and file, of the head's lists from 1 on, and line; 0: not known, or several
  owners: Int32Array; // by name: that of who owns more than half of what it holds; 0: nobody, or not known
  readonly moduleName: Int32Array; // by name: that of its module, for stacks of modules
  parent: Int32Array; // by node; -1 for the root, which is node 0; parents come first
  name: Int32Array; // by node: index of its name
  grew: Float64Array[]; // by value type, by node: what it holds itself (of a series at first), or what that grew by
  released: Float64Array[]; // of a difference that is no series: what was released; else empty
  steps: Step[][]; // of a series, by value type, by point: what changed until the next
  source?: string; // the source of some places, packed: see source.ts
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

export const basename = (path: string) => path.slice(path.lastIndexOf("/") + 1);

const NO_MODULE = "[no module]";

export const moduleTitle = (path: string) => (path.startsWith("[") ? path : `[${basename(path)}]`);

// Hues that lie far apart, whatever their number.
const moduleColor = (i: number) => colorOfHsl((i * 137.508 + 20) % 360, 55, 70);

// Titles of modules as names behind those of functions; returns the index of each module's, of the head's list from 1 on.
function addModules({ modules }: Head, names: string[]): number[] {
  const titles = [...new Set([...modules.map(moduleTitle), NO_MODULE])].sort();
  const functions = names.length;
  names.push(...titles);
  return [NO_MODULE, ...modules.map(moduleTitle)].map((title) => functions + titles.indexOf(title));
}

// What names look like, and their modules: made when it is first asked for, which most readers never do.
function lazyModules(own: Uint8Array, places: Int32Array, names: number, titleOf: number[]): Pick<Profile, "colors" | "moduleName"> {
  const functions = own.length / 3;
  let colors: Int32Array | undefined;
  let moduleName: Int32Array | undefined;
  return {
    get colors() {
      return (colors ??= Int32Array.from({ length: names }, (_, i) =>
        i < functions ? colorOf(own[3 * i]!, own[3 * i + 1]!, own[3 * i + 2]!) : moduleColor(i - functions)));
    },
    get moduleName() {
      return (moduleName ??= Int32Array.from({ length: names }, (_, i) => (i < functions ? titleOf[places[3 * i]!]! : i)));
    },
  };
}

export async function readProfile(headJson: string, base64: string): Promise<Profile> {
  const head = JSON.parse(headJson) as Head;
  const reader = new Reader(await inflate(base64));
  const { isPacked, modules, files, nodes } = head;
  const names = isPacked ? readLines(reader, head.names) : readNames(reader, head.names);
  const ints = (count: number) => (isPacked ? reader.packed(count) : reader.ints(new Int32Array(count)));
  const column = () => (isPacked ? new Float64Array(reader.packed(nodes)) : readColumn(reader, nodes));
  const own = reader.take(3 * head.names);
  const places = new Int32Array(3 * head.names);
  if (!isPacked || modules.length + files.length > 0) reader.ints(places);
  const owners = new Int32Array(head.names);
  if (head.hasOwners) reader.ints(owners);
  const parent = parentsOf(ints(nodes - 1));
  const name = new Int32Array(ints(nodes));
  const grew = head.types.map(column);
  const released = head.isDifference && head.points.length === 0 ? head.types.map(column) : [];
  const steps = head.points.length === 0 ? [] : head.types.map(() => head.points.slice(1).map(() => readStep(reader)));
  const threads = head.threads.map(() => head.types.map(() => readStep(reader)));
  const titleOf = addModules(head, names);
  return Object.assign(lazyModules(own, places, names.length, titleOf), { head, names, places, owners, parent, name, grew, released, steps, threads });
}

// The file and the line that a function is known to have; "", 0: none.
export function fileOf({ head, places }: Profile, name: number): [file: string, line: number] {
  return [head.files[(places[3 * name + 1] ?? 0) - 1] ?? "", places[3 * name + 2] ?? 0];
}

// "cache.c:43"; "" if it is not known.
export function sourceOf({ head, places }: Profile, name: number): string {
  const file = head.files[(places[3 * name + 1] ?? 0) - 1];
  const line = places[3 * name + 2]!;
  return file === undefined ? "" : `${file}${line > 0 ? `:${line}` : ""}`;
}

// The same without the folder.
export const sourceShort = (profile: Profile, name: number) => basename(sourceOf(profile, name));

// Path of the module of a name; "" if it is not known.
export function moduleOf({ head, places }: Profile, name: number): string {
  return head.modules[(places[3 * name] ?? 0) - 1] ?? "";
}

// Index of a frame's name; -1: no frame has it. A frame may be called "all", as the root is.
export function nameId(profile: Profile, name: string): number {
  return profile.names.indexOf(name, 1);
}
