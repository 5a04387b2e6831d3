// How much of the zoomed frame the hits of a search cover.

import type { Picture } from "./picture";

// Exact but for the last digit, with hits that were too narrow to be drawn; one below another does not count again.
export function matchedPercent({ frames, zoomed }: Picture, isHit: Uint8Array): string {
  const { end, name, parent, width } = frames;
  let sum = 0n;
  for (let node = parent[zoomed]!; node >= 0; node = parent[node]!) if (isHit[name[node]!] === 1) return "100";
  for (let node = zoomed; node < end[zoomed]!;) {
    const isIn = isHit[name[node]!] === 1;
    if (isIn) sum += width[node]!;
    node = isIn ? end[node]! : node + 1;
  }
  const percent = width[zoomed] === 0n ? 0 : Number((sum * 1000000n) / width[zoomed]!) / 10000;
  return percent === 100 ? "100" : percent.toFixed(2);
}
