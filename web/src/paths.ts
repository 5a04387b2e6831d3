// The path of a suspect, as short as tells it from the others: its callers that not every suspect has, the last ones first to stay.

const SHOWN = 3;

// Names from the root to the caller, without repetitions of a name in a row.
function thinned(path: string[]): string[] {
  const often = new Map<string, number>();
  for (const name of path) often.set(name, (often.get(name) ?? 0) + 1);
  return path.filter((name, i) => name !== path[i - 1] && often.get(name)! < 3);
}

function sharedByAll(paths: string[][]): number {
  let shared = 0;
  while (paths.length > 1 && paths.every((path) => path[shared] !== undefined && path[shared] === paths[0]![shared])) shared++;
  return shared;
}

// `paths`: of each suspect the names of its callers, the root first. Returns of each the names to show.
export function distinguishing(paths: string[][]): string[][] {
  const thin = paths.map(thinned);
  const shared = sharedByAll(thin);
  const own = thin.map((path) => (path.length > shared ? path.slice(shared) : path.slice(-1)));
  return own.map((path, i) => {
    const key = (of: string[], frames: number) => of.slice(-frames).join("\0");
    for (let frames = SHOWN; ; frames++) {
      const isAlone = own.every((other, j) => j === i || key(other, frames) !== key(path, frames));
      if (isAlone || frames >= path.length) return path.length > frames ? ["\u2026", ...path.slice(-frames)] : path;
    }
  });
}
