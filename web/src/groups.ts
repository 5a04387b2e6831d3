// What a function belongs to: its crate, package or namespace as its name has it, else the file that it is from, else a
// beginning that it shares with others. Where that says nothing of most, each of the others is a group of its own.

import { basename, type Profile } from "./profile";
import { ROOT_NAME } from "./tree";

const LOOKED_AT = 200; // letters of a name
const NAMES_OF_ALL = 8; // fewer are not worth telling apart
const CLONE = /\.(?:cold|isra|part|constprop|lto_priv|llvm|localalias|\d)/;
const CPYTHON = /^(?:Py|py)(?:[A-Z_]|main|run)/;

// Names are read letter by letter: a page may have a hundred thousand, before anything is seen.
const isUpper = (code: number) => code >= 65 && code <= 90;
const isLower = (code: number) => code >= 97 && code <= 122;
const isLetter = (code: number) => isUpper(code) || isLower(code);
const isWord = (code: number) => isLetter(code) || (code >= 48 && code <= 57) || code === 95 || code === 36; // "_" and "$"

function endOf(name: string, from: number, isPart: (code: number) => boolean): number {
  let at = from;
  while (at < name.length && isPart(name.charCodeAt(at))) at++;
  return at;
}

// "alloc" of "<alloc::vec::Vec<T> as Drop>::drop", "hyper" of "hyper::proto::poll<...>", "http" of "net/http.(*conn).serve".
export function namespaceOf(whole: string): string {
  const name = /^[<&*]/.test(whole) ? whole.slice(0, LOOKED_AT).replace(/^[<&*]+(?:mut |dyn |const )?/, "") : whole.slice(0, LOOKED_AT);
  if (name.startsWith("[")) return whole === whole.slice(0, LOOKED_AT) && name.endsWith("]") ? name : "";
  if (name.startsWith("(anonymous namespace)")) return "(anonymous)";
  const end = endOf(name, 0, isWord);
  if (end > 0 && name.startsWith("::", end) && !/^\d/.test(name)) return name.slice(0, end);
  if (!name.includes(".")) return "";
  const words = /^[^\s(<]*/.exec(name)![0];
  const path = words.slice(words.lastIndexOf("/") + 1);
  const dot = path.indexOf(".");
  if (dot > 0 && !CLONE.test(path)) return path.slice(0, dot);
  return "";
}

// "<hyper::" of "<hyper::Body as ...": whatever begins so is of the same namespace; "" if that cannot be said.
function startOf(text: string, space: string): string {
  const end = text.indexOf("::");
  const from = end - space.length;
  return space !== "" && from >= 0 && text.startsWith(space, from) && (from === 0 || "<&* ".includes(text[from - 1]!)) ? text.slice(0, end + 2) : "";
}

// "hyper::proto" of "hyper::proto::poll<...>": where one crate is nearly everything, its parts are told apart.
export function partOf(whole: string): string {
  return /^[<&*]*(?:mut |dyn |const )?([A-Za-z_$][\w$]*::[A-Za-z_$][\w$]*)(?=::)/.exec(whole.slice(0, LOOKED_AT))?.[1] ?? "";
}

const libraryOf = (path: string) => basename(path).replace(/\.so[.\d]*$/, "");

function beginningOf(name: string): string {
  const text = name.slice(0, LOOKED_AT);
  const from = endOf(text, 0, (code) => code === 95);
  if (/^[Pp]y/.test(text.slice(from, from + 2)) && CPYTHON.test(text.slice(from))) return "CPython";
  const end = endOf(text, from, isLetter);
  if (end > from && text[end] === "_") return text.slice(0, end);
  const hump = endOf(text, from + (isUpper(text.charCodeAt(from)) ? 1 : 0), isLower);
  return isLower(text.charCodeAt(hump - 1)) && isUpper(text.charCodeAt(hump)) ? text.slice(0, hump) : "";
}

export interface Groups {
  titles: string[]; // [0] is "other"
  of: Int32Array; // by name
}

// Names are in order, so those that begin alike stand together.
interface Run {
  from: number;
  to: number;
  space: string;
  beginning: string; // of names without a space
}

// "tree_" of "tree_write": what is made of letters, digits and "_" alone and begins so has the same beginning.
const plainStart = (text: string, beginning: string) => (beginning !== "" && text.startsWith(`${beginning}_`) ? `${beginning}_` : "");
const isPlain = (text: string) => !text.includes(":") && !text.includes(".");

// The first name from `at` on that does not begin so: they stand together, so that few are looked at.
function endOfStart(names: string[], at: number, count: number, start: string): number {
  let step = 1;
  while (at + step < count && names[at + step]!.startsWith(start)) step *= 2;
  let low = at + (step >> 1); // begins so
  let high = Math.min(at + step, count); // does not
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (names[middle]!.startsWith(start)) low = middle;
    else high = middle;
  }
  return high;
}

function runsOf(names: string[], count: number): Run[] {
  const runs: Run[] = [];
  for (let name = ROOT_NAME + 1; name < count; ) {
    const text = names[name]!;
    const space = namespaceOf(text);
    const beginning = space === "" ? beginningOf(text) : "";
    const start = space === "" ? plainStart(text, beginning) : startOf(text, space); // of all that belongs to the run; "": only this one does
    let to = name + 1;
    if (start !== "" && space !== "") to = endOfStart(names, name, count, start);
    else if (start !== "") while (to < count && names[to]!.startsWith(start) && isPlain(names[to]!)) to++;
    runs.push({ from: name, to, space, beginning });
    name = to;
  }
  return runs;
}

export function groupsOf(profile: Profile, count: number): Groups {
  const ids = new Map<string, number>([["other", 0]]);
  const of = new Int32Array(profile.names.length);
  const put = (title: string) => {
    const id = ids.get(title) ?? ids.size;
    ids.set(title, id);
    return id;
  };
  let known = 0; // names of a group
  const fill = (id: number, from: number, to: number) => {
    of.fill(id, from, to);
    if (id > 0) known += to - from;
  };
  const beginnings = new Map<string, { names: number; parts: [from: number, to: number][] }>(); // of names that nothing else is known of
  const begin = (beginning: string, from: number, to: number) => {
    if (beginning === "") return;
    const found = beginnings.get(beginning) ?? { names: 0, parts: [] };
    beginnings.set(beginning, found);
    found.names += to - from;
    found.parts.push([from, to]);
  };
  const members = new Map<string, number>();
  const runs = runsOf(profile.names, count);
  for (const { space, from, to } of runs) if (space) members.set(space, (members.get(space) ?? 0) + to - from);
  const libraries = ["", ...profile.head.modules.map(libraryOf)];
  const [nearlyAll] = [...members].find(([, of]) => count > NAMES_OF_ALL && 2 * of > count) ?? [];
  const knownOf = ({ space }: Run, name: number) => (space === nearlyAll && partOf(profile.names[name]!)) || space || libraries[profile.places[3 * name]!];
  for (const run of runs) {
    const { beginning, from, space, to } = run;
    if (space && space !== nearlyAll) {
      fill(put(space), from, to);
    } else if (!space && libraries.length === 1) {
      begin(beginning, from, to);
    } else {
      for (let name = from; name < to; name++) {
        const title = knownOf(run, name);
        if (title) fill(put(title), name, name + 1);
        else begin(beginning, name, name + 1);
      }
    }
  }
  for (const [beginning, { names, parts }] of beginnings) {
    if (names < 2 || 2 * names > count) continue; // what nearly all begin with tells nothing apart
    const id = put(beginning);
    for (const [from, to] of parts) fill(id, from, to);
  }
  if (2 * known < count) // nothing is known of most: then functions are told apart
    for (let name = ROOT_NAME + 1; name < count; name++) if (of[name] === 0) of[name] = put(profile.names[name]!);
  return { titles: [...ids.keys()], of };
}
