// What is done to the stacks before they are shown: a list of filters, each applied to what the one before it left.

import { groupsOf } from "./groups";
import { moduleOf, moduleTitle, type Profile } from "./profile";
import { Search, type Query } from "./search";
import { Builder, mapColumns, pruned, type Tree } from "./tree";

const KINDS = {
  in: "keep stacks with",
  out: "drop stacks with",
  hide: "hide",
  recursion: "collapse recursion of",
  modules: "one frame for each module",
};

export type FilterKind = keyof typeof KINDS;

// Of frames with one name, of one module, of one group, of those that a search finds, or, with none of these, of all.
export interface Filter {
  kind: FilterKind;
  name?: string;
  module?: string; // its path
  group?: string; // its title
  query?: Query;
}

export function titleOf({ kind, name, module, group, query }: Filter): string {
  if (group !== undefined) return `${KINDS[kind]} ${kind === "hide" ? "" : "frames of "}${group}`;
  if (kind === "modules") return KINDS.modules;
  if (module !== undefined) return `${KINDS[kind]} ${kind === "hide" ? "" : "frames of "}${moduleTitle(module)}`;
  if (query) return `${KINDS[kind]} ${query.isPlain ? `"${query.text}"` : `/${query.text}/${query.isCaseSensitive ? "" : "i"}`}`;
  return name === undefined ? "collapse recursion" : `${KINDS[kind]} ${name}`;
}

// As it stands in a link: "hide=NAME", "hide@MODULE", "hide~GROUP", "in/pc/TEXT" (p: plain, c: case-sensitive), "recursion", "modules".
export function encodeFilter({ kind, name, module, group, query }: Filter): string {
  if (group !== undefined) return `${kind}~${group}`;
  if (module !== undefined) return `${kind}@${module}`;
  if (query) return `${kind}/${query.isPlain ? "p" : ""}${query.isCaseSensitive ? "c" : ""}/${query.text}`;
  return name === undefined ? kind : `${kind}=${name}`;
}

// Undefined: no filter of this page.
export function decodeFilter(text: string): Filter | undefined {
  if (text === "modules") return { kind: "modules" };
  const parts = /^(in|out|hide|recursion)(?:=([^]*)|\/(p?)(c?)\/([^]*)|@([^]*)|~([^]*))?$/.exec(text);
  if (!parts) return undefined;
  const kind = parts[1] as FilterKind;
  if (parts[2] !== undefined) return { kind, name: parts[2] };
  if (parts[7] !== undefined) return { kind, group: parts[7] };
  if (parts[6] !== undefined) return { kind, module: parts[6] };
  if (parts[5] !== undefined) return { kind, query: { text: parts[5], isPlain: parts[3] !== "", isCaseSensitive: parts[4] !== "" } };
  return kind === "recursion" ? { kind } : undefined;
}

// Which names a filter means. Rejects with a sentence if its expression is none, or takes too long.
export async function namesOf({ name, module, group, query }: Filter, profile: Profile): Promise<Uint8Array> {
  const { names } = profile;
  if (query) return (await new Search(names).find(query)).isHit;
  if (group !== undefined) {
    const { of, titles } = groupsOf(profile, profile.head.names);
    return Uint8Array.from(names, (_, i) => (i > 0 && titles[of[i]!] === group ? 1 : 0));
  }
  if (module !== undefined) return Uint8Array.from(names, (_, i) => (moduleOf(profile, i) === module ? 1 : 0));
  return Uint8Array.from(names, (other, i) => (i > 0 && (name === undefined || other === name) ? 1 : 0));
}

// Stacks that hold a frame of these names, or those that hold none.
function stacksWith(tree: Tree, isHit: Uint8Array, isKept: boolean): Tree {
  const isBelow = new Uint8Array(tree.count);
  const values = mapColumns(tree, (column) => column.slice());
  for (let node = 0; node < tree.count; node++) {
    isBelow[node] = isHit[tree.name[node]!] || (node > 0 && isBelow[tree.parent[node]!]) ? 1 : 0;
    if ((isBelow[node] === 1) === isKept) continue;
    for (const column of [values.grew, values.released, ...values.more]) column[node] = 0;
  }
  return pruned({ ...tree, ...values });
}

// Joins nodes with their parents; what they hold goes there. Nodes that become equal are added up. A node may get another name.
function joined(tree: Tree, names: number, isJoined: (node: number, parentName: number) => boolean,
  nameOf: (node: number) => number = (node) => tree.name[node]!): Tree {
  const builder = new Builder(names, tree.name[0]!, tree);
  const target = new Int32Array(tree.count);
  builder.add(0, 0);
  for (let node = 1; node < tree.count; node++) {
    const above = target[tree.parent[node]!]!;
    target[node] = isJoined(node, builder.nameOf(above)) ? above : builder.child(above, nameOf(node));
    builder.add(target[node]!, node);
  }
  return builder.tree();
}

// Stacks of modules: frames that follow each other in one are one.
export function byModule(tree: Tree, { moduleName, names }: Profile): Tree {
  const nameOf = (node: number) => moduleName[tree.name[node]!]!;
  return joined(tree, names.length, (node, parentName) => nameOf(node) === parentName, nameOf);
}

// Recursion that is collapsed is a function that calls itself: every other function keeps its sums, and so does this one.
export function applyFilter(tree: Tree, kind: FilterKind, isHit: Uint8Array): Tree {
  const { name } = tree;
  if (kind === "in" || kind === "out") return stacksWith(tree, isHit, kind === "in");
  if (kind === "hide") return joined(tree, isHit.length, (node) => isHit[name[node]!] === 1);
  return joined(tree, isHit.length, (node, parentName) => isHit[name[node]!] === 1 && name[node] === parentName);
}
