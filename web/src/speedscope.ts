// Stacks as speedscope's JSON (speedscope.app/file-format-schema.json): a sampled profile. A weight cannot be negative, so a
// difference has two, of what grew and of what was released.

import type { Stack } from "./folded";
import type { ValueType } from "./profile";

export function speedscopeText(stacks: Stack[], names: string[], type: ValueType, title: string, isDifference: boolean): string {
  const ids = new Map<number, number>();
  const id = (name: number) => ids.get(name) ?? (ids.set(name, ids.size), ids.size - 1);
  const profile = (suffix: string, kept: Stack[]) => ({
    type: "sampled",
    name: type.name + suffix,
    unit: type.unit === "bytes" ? "bytes" : "none",
    startValue: 0,
    endValue: kept.reduce((sum, { value }) => sum + Math.abs(value), 0),
    samples: kept.map((stack) => stack.names.map(id)),
    weights: kept.map(({ value }) => Math.abs(value)),
  });
  const profiles = isDifference
    ? [profile(" grew", stacks.filter(({ value }) => value > 0)), profile(" released", stacks.filter(({ value }) => value < 0))]
    : [profile("", stacks)];
  return JSON.stringify({
    $schema: "https://www.speedscope.app/file-format-schema.json",
    exporter: "heapflame",
    name: title,
    shared: { frames: [...ids.keys()].map((name) => ({ name: names[name]! })) },
    profiles,
  });
}
