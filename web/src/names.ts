// Names shown shorter than they are: template arguments and parameters folded, and, where that is still too long, the end kept.

const CLOSING: Record<string, string> = { "<": ">", "(": ")", "[": "]", "{": "}" };

// Index behind the bracket that closes the one at `open`; of "operator<" and of arrows no bracket is opened.
function closes(name: string, open: number): number {
  const waiting: string[] = [];
  for (let i = open; i < name.length; i++) {
    const c = name[i]!;
    if (c === ">" && name[i - 1] === "-") continue;
    if (CLOSING[c]) waiting.push(CLOSING[c]);
    else if (c === waiting.at(-1) && (waiting.pop(), waiting.length === 0)) return i + 1;
  }
  return -1;
}

// The parameters at the end: "(...)", maybe with const or a clone's mark behind.
function isParameters(name: string, at: number, end: number): boolean {
  return at > 0 && name[at] === "(" && !name.endsWith("operator", at) && /^(?: const| volatile| &| &&| \[.*\])*$/.test(name.slice(end));
}

// "std::map<int, long>::at(int const&) const" as "std::map<…>::at(…) const".
export function shortName(name: string): string {
  let short = "";
  for (let i = 0; i < name.length;) {
    const operator = /^operator(?:<=>|<<=?|<=?|->\*?|>>=?|>=?|\(\))/.exec(name.slice(i, i + 14));
    const end = i > 0 && name[i] === "<" ? closes(name, i) : name[i] === "(" ? closes(name, i) : -1;
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
  const starts = [];
  for (let i = 0; i < name.length; i++) {
    const end = CLOSING[name[i]!] ? closes(name, i) : -1;
    if (end > 0) i = end - 1;
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
  return last.length <= room ? last : `${last.slice(0, Math.max(room - 1, 0))}…`;
}
