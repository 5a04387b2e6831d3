// A series: what every stack holds at each point, and what the whole does.

import type { Profile } from "./profile";
import { sumOf } from "./tree";

export function heldAt(profile: Profile, type: number, point: number): Float64Array {
  const held = profile.grew[type]!.slice();
  for (const { nodes, by } of profile.steps[type]?.slice(0, point) ?? [])
    for (let i = 0; i < nodes.length; i++) held[nodes[i]!]! += by[i]!;
  return held;
}

// What all stacks hold at each point.
export function totalsOf(profile: Profile, type: number): number[] {
  let held = sumOf(profile.grew[type]!);
  return [held, ...profile.steps[type]!.map(({ by }) => (held += sumOf(by)))];
}

const SAMPLES = 16;

// Points to draw a small line through: all, or some evenly, with the first and the last.
export function sampledPoints(count: number): number[] {
  if (count <= SAMPLES) return Array.from({ length: count }, (_, i) => i);
  return Array.from({ length: SAMPLES }, (_, i) => Math.round((i * (count - 1)) / (SAMPLES - 1)));
}
