// What a function belongs to: its crate, package or namespace as its name has it, else the file that it is from, else a
// beginning that it shares with others. Where that says nothing of most, each of the others is a group of its own.

import { basename, moduleOf, type Profile } from "./profile";
import { ROOT_NAME } from "./tree";

const LOOKED_AT = 200; // letters of a name
const NAMES_OF_ALL = 8; // fewer are not worth telling apart
const CLONE = /\.(?:cold|isra|part|constprop|lto_priv|llvm|localalias|\d)/;
const CPYTHON = /^_*(?:Py|py)(?:[A-Z_]|main|run)/;

// "alloc" of "<alloc::vec::Vec<T> as Drop>::drop", "hyper" of "hyper::proto::poll<...>", "http" of "net/http.(*conn).serve".
export function namespaceOf(whole: string): string {
  const name = whole.slice(0, LOOKED_AT).replace(/^[<&*]+(?:mut |dyn |const )?/, "");
  if (name.startsWith("[")) return whole === whole.slice(0, LOOKED_AT) && name.endsWith("]") ? name : "";
  if (name.startsWith("(anonymous namespace)")) return "(anonymous)";
  const spaces = /^([A-Za-z_$][\w$]*)::/.exec(name);
  if (spaces) return spaces[1]!;
  const words = /^[^\s(<]*/.exec(name)![0];
  const path = words.slice(words.lastIndexOf("/") + 1);
  const dot = path.indexOf(".");
  if (dot > 0 && !CLONE.test(path)) return path.slice(0, dot);
  return "";
}

// "hyper::proto" of "hyper::proto::poll<...>": where one crate is nearly everything, its parts are told apart.
export function partOf(whole: string): string {
  return /^[<&*]*(?:mut |dyn |const )?([A-Za-z_$][\w$]*::[A-Za-z_$][\w$]*)(?=::)/.exec(whole.slice(0, LOOKED_AT))?.[1] ?? "";
}

const libraryOf = (path: string) => basename(path).replace(/\.so[.\d]*$/, "");

function beginningOf(name: string): string {
  if (CPYTHON.test(name)) return "CPython";
  return /^_*[A-Za-z]+(?=_)|^_*[A-Z]?[a-z]+(?=[A-Z])/.exec(name.slice(0, LOOKED_AT))?.[0] ?? "";
}

export interface Groups {
  titles: string[]; // [0] is "other"
  of: Int32Array; // by name
}

export function groupsOf(profile: Profile, count: number): Groups {
  const ids = new Map<string, number>([["other", 0]]);
  const of = new Int32Array(profile.names.length);
  const put = (title: string) => {
    const id = ids.get(title) ?? ids.size;
    ids.set(title, id);
    return id;
  };
  const beginnings = new Map<string, number[]>(); // of names that nothing else is known of
  const members = new Map<string, number>();
  for (let name = ROOT_NAME + 1; name < count; name++) {
    const space = namespaceOf(profile.names[name]!);
    if (space) members.set(space, (members.get(space) ?? 0) + 1);
  }
  const isNearlyAll = (space: string) => count > NAMES_OF_ALL && 2 * (members.get(space) ?? 0) > count;
  for (let name = ROOT_NAME + 1; name < count; name++) {
    const text = profile.names[name]!;
    const space = namespaceOf(text);
    const known = (isNearlyAll(space) && partOf(text)) || space || libraryOf(moduleOf(profile, name));
    if (known) {
      of[name] = put(known);
      continue;
    }
    const beginning = beginningOf(text);
    if (beginning === "") continue;
    const names = beginnings.get(beginning);
    if (names) names.push(name);
    else beginnings.set(beginning, [name]);
  }
  for (const [beginning, names] of beginnings) {
    if (names.length < 2 || 2 * names.length > count) continue; // what nearly all begin with tells nothing apart
    const id = put(beginning);
    for (const name of names) of[name] = id;
  }
  let known = 0;
  for (let name = ROOT_NAME + 1; name < count; name++) if (of[name]! > 0) known++;
  if (2 * known < count) // nothing is known of most: then functions are told apart
    for (let name = ROOT_NAME + 1; name < count; name++) if (of[name] === 0) of[name] = put(profile.names[name]!);
  return { titles: [...ids.keys()], of };
}
