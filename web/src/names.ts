// Names shown shorter than they are: template arguments and parameters folded, and, where that is still too long, the end kept.

import { grouped } from "./format";

const CLOSING: Record<string, string> = { "<": ">", "(": ")", "[": "]", "{": "}" };

const FOLDED_AT_MOST = 4096; // letters of names that are shortened at all

// By index of a bracket that opens: that behind the one that closes it; -1: none does. Of arrows no bracket is closed.
function closings(name: string): Int32Array {
  const closing = new Int32Array(name.length).fill(-1);
  const waiting: number[] = [];
  for (let i = 0; i < name.length; i++) {
    const c = name[i]!;
    if (c === ">" && name[i - 1] === "-") continue;
    if (CLOSING[c]) waiting.push(i);
    else if (waiting.length > 0 && c === CLOSING[name[waiting.at(-1)!]!]) closing[waiting.pop()!] = i + 1;
  }
  return closing;
}

// The parameters at the end: "(...)", maybe with const or a clone's mark behind.
function isParameters(name: string, at: number, end: number): boolean {
  return at > 0 && name[at] === "(" && !name.endsWith("operator", at) && /^(?: const| volatile| &| &&| \[.*\])*$/.test(name.slice(end));
}

// "std::map<int, long>::at(int const&) const" as "std::map<…>::at(…) const".
export function shortName(name: string): string {
  if (name.length > FOLDED_AT_MOST) return name;
  const closing = closings(name);
  let short = "";
  for (let i = 0; i < name.length;) {
    const operator = /^operator(?:<=>|<<=?|<=?|->\*?|>>=?|>=?|\(\))/.exec(name.slice(i, i + 14));
    const end = (i > 0 && name[i] === "<") || name[i] === "(" ? closing[i]! : -1;
    if (operator) {
      short += operator[0];
      i += operator[0].length;
    } else if (end > i + 2 && (name[i] === "<" || isParameters(name, i, end))) {
      short += `${name[i]}…${name[end - 1]}`;
      i = end;
    } else {
      short += name[i++];
    }
  }
  return short;
}

// Where parts of a name begin, outside of brackets: behind "::" and "/".
function partStarts(name: string): number[] {
  if (name.length > FOLDED_AT_MOST) return [];
  const closing = closings(name);
  const starts = [];
  for (let i = 0; i < name.length; i++) {
    if (closing[i]! > 0) i = closing[i]! - 1;
    else if (name.startsWith("::", i)) starts.push(++i + 1);
    else if (name[i] === "/") starts.push(i + 1);
  }
  return starts;
}

// As much as has room for so many letters: all of it, else its last parts, else the beginning of the last one.
export function fitted(name: string, room: number): string {
  if (name.length <= room) return name;
  const starts = partStarts(name);
  const start = starts.find((at) => name.length - at + 1 <= room);
  if (start !== undefined) return `…${name.slice(start)}`;
  const last = name.slice(starts.at(-1) ?? 0);
  if (last.length <= room) return last;
  const end = Math.max(room - 1, 0);
  return `${last.slice(0, /^[\udc00-\udfff]/.test(last.slice(end)) ? Math.max(end - 1, 0) : end)}…`; // no half of a letter
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

// What is read from right to left, so that it does not turn round the numbers beside it.
export const isolated = (text: string) => (RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text);

const TEXT_AT_MOST = 1000;

// A text of the data as the page says it: what is longer than anybody reads is cut, and says so.
export function readable(text: string): string {
  return text.length <= TEXT_AT_MOST ? text : `${text.slice(0, TEXT_AT_MOST)}\u2026 (${grouped(text.length)} letters)`;
}
