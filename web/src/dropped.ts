// A second file, dropped onto the page: another page, or folded stacks. What the page has is B, what was dropped is A, the older;
// both become one series of two points, which is a difference.

import { heldAt } from "./series";
import { readProfile, type Head, type Profile, type ValueType } from "./profile";

const LINES_AT_MOST = 5_000_000;

interface Stacks {
  names: string[];
  parent: Int32Array; // -1: the root
  name: Int32Array;
  types: Pick<ValueType, "name" | "unit">[];
  held: Float64Array[]; // by type
}

// Of a page of heapflame its data, else every line "a;b;c 12".
export async function readDropped(text: string): Promise<Stacks> {
  const part = (id: string) => new RegExp(`<script type="[a-z/]+" id="${id}">([^<]*)</script>`).exec(text)?.[1];
  const [head, data] = [part("head"), part("data")];
  if (head !== undefined && data !== undefined) {
    const profile = await readProfile(head, data.trim());
    if (profile.head.isDifference && profile.head.points.length === 0) throw new Error("the dropped page is a difference; drop one of a profile");
    return stacksOf(profile);
  }
  return readFolded(text);
}

function stacksOf(profile: Profile): Stacks {
  const { head, name, names, parent } = profile;
  const last = Math.max(head.points.length - 1, 0);
  return { names: names.slice(0, head.names), name, parent, types: head.types, held: head.types.map((_, type) => heldAt(profile, type, last)) };
}

function readFolded(text: string): Stacks {
  const names = ["all"];
  const ids = new Map<string, number>();
  const [parent, name, held] = [[-1], [0], [0]];
  const children = new Map<string, number>();
  const lines = text.split("\n");
  if (lines.length > LINES_AT_MOST) throw new Error("the dropped file has too many lines");
  for (const line of lines) {
    const parts = /^(.*)\s(\d+)\s*$/.exec(line);
    if (!parts) {
      if (line.trim() !== "" && !line.startsWith("#")) throw new Error("the dropped file is neither a page of heapflame nor folded stacks");
      continue;
    }
    let node = 0;
    for (const frame of parts[1]!.split(";")) {
      const id = ids.get(frame) ?? (ids.set(frame, names.length), names.push(frame) - 1);
      const key = `${node} ${id}`;
      let child = children.get(key);
      if (child === undefined) {
        child = parent.push(node) - 1;
        name.push(id);
        held.push(0);
        children.set(key, child);
      }
      node = child;
    }
    held[node]! += Number(parts[2]);
  }
  if (parent.length === 1) throw new Error("the dropped file has no stacks");
  return { names, parent: Int32Array.from(parent), name: Int32Array.from(name), types: [{ name: "samples", unit: "count" }], held: [Float64Array.from(held)] };
}

// The value of a type in the other profile: by its name, or, if each has just one, that.
function columnFor(type: Pick<ValueType, "name">, { held, types }: Stacks, isOnly: boolean): Float64Array | undefined {
  const at = types.findIndex(({ name }) => name === type.name);
  return held[at < 0 && isOnly && types.length === 1 ? 0 : at];
}

// In the order that pages have: names by their characters, nodes in preorder, siblings by name.
export function difference(newer: Profile, older: Stacks, olderName: string, newerName: string): Profile {
  if (newer.head.isDifference && newer.head.points.length === 0) throw new Error("this page is a difference already");
  const ours = stacksOf(newer);
  const types = newer.head.types.filter((type) => columnFor(type, older, newer.head.types.length === 1));
  if (types.length === 0) throw new Error("the two profiles have no kind of value in common");
  const names = [ours.names[0]!, ...[...new Set([...ours.names.slice(1), ...older.names.slice(1)])].sort((a, b) => (a < b ? -1 : 1))];
  const ids = new Map(names.map((name, i) => [name, i] as const).slice(1));
  const children: Map<number, number>[] = [new Map()];
  const nameOf = [0];
  const sums = [older, ours].map(() => types.map(() => [0]));
  [older, ours].forEach((stacks, side) => {
    const target = new Int32Array(stacks.name.length);
    const columns = types.map((type) => columnFor(type, stacks, types.length === 1)!);
    for (let node = 0; node < stacks.name.length; node++) {
      if (node > 0) {
        const above = target[stacks.parent[node]!]!;
        const id = ids.get(stacks.names[stacks.name[node]!]!)!;
        let child = children[above]!.get(id);
        if (child === undefined) {
          child = children.push(new Map()) - 1;
          nameOf.push(id);
          for (const of of sums) for (const column of of) column.push(0);
          children[above]!.set(id, child);
        }
        target[node] = child;
      }
      columns.forEach((column, type) => { sums[side]![type]![target[node]!]! += column[node]!; });
    }
  });
  const [order, parent] = preorder(children);
  const column = (values: number[]) => Float64Array.from(order, (node) => values[node]!);
  const [before, after] = sums.map((of) => of.map(column)) as [Float64Array[], Float64Array[]];
  const steps = before.map((values, type) => {
    const nodes = Int32Array.from([...values.keys()].filter((node) => after[type]![node] !== values[node]));
    return [{ nodes, by: Float64Array.from(nodes, (node) => after[type]![node]! - values[node]!) }];
  });
  const places = new Int32Array(3 * names.length);
  const owners = new Int32Array(names.length);
  const colors = new Int32Array(names.length);
  const moduleName = Int32Array.from(names.keys());
  ours.names.forEach((name, old) => {
    const id = old === 0 ? 0 : ids.get(name)!;
    places.set(newer.places.subarray(3 * old, 3 * old + 3), 3 * id);
    colors[id] = newer.colors[old]!;
    const owner = newer.owners[old]!;
    owners[id] = owner === 0 ? 0 : ids.get(ours.names[owner]!)!;
  });
  const head: Head = { ...newer.head, points: [{ name: olderName, time: 0 }, { name: newerName, time: 0 }], trend: null, threads: [], threadsLeftOut: 0, subtitle: "",
    types: types.map((type) => ({ ...type, suspects: [] })), type: 0, isDifference: true, names: names.length, nodes: order.length, modules: [], sources: [olderName, newerName] };
  return { head, names, colors, places: newer.head.modules.length > 0 ? withoutModules(places) : places, owners, moduleName, parent, name: Int32Array.from(order, (node) => nameOf[node]!), grew: before, released: [], steps, threads: [] };
}

function withoutModules(places: Int32Array): Int32Array {
  return places.map((value, i) => (i % 3 === 0 ? 0 : value));
}

function preorder(children: Map<number, number>[]): [number[], Int32Array] {
  const order: number[] = [];
  const parent: number[] = [];
  const waiting: [node: number, above: number][] = [[0, -1]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [node, above] = next;
    const at = order.push(node) - 1;
    parent.push(above);
    for (const [, child] of [...children[node]!].sort((a, b) => b[0] - a[0])) waiting.push([child, at]);
  }
  return [order, Int32Array.from(parent)];
}
