// A frame in words: what it holds, its shares, and where it is from.

import type { Chart } from "./chart";
import { amount, both, BYTES, exact, percent } from "./format";
import type { Measure } from "./measure";
import { readable } from "./names";
import { basename, moduleOf, sourceOf, type Profile } from "./profile";
import type { State } from "./state";

// `whole` is what all holds; half of a sandwich begins with its function instead.
export function frameText(
  profile: Profile, measure: Measure, state: State, { layout, zoomed }: Chart, whole: number, node: number,
): string {
  const { isDifference, mate, valueType } = measure;
  const { grew, released, tree } = layout;
  const width = layout.width[node]!;
  const parent = tree.parent[node]!;
  const name = tree.name[node]!;
  const net = grew[node]! - released[node]!;
  const held = both(grew[node]!, released[node]!, valueType, isDifference);
  const precisely = isDifference && state.width === "both"
    ? `net ${net < 0 ? "\u2212" : "+"}${exact(Math.abs(net), valueType)}` : exact(net, valueType);
  const parts = precisely.startsWith(`${held.replace(/ B$/, "")} `) ? [precisely] : [held, precisely];
  if (mate >= 0) parts.push(`mean size ${amount(measure.meanSize(grew[node]!, layout.more[0]![node]!), BYTES)}`);
  parts.push(`${percent(width, whole)} of all`);
  if (node > 0 && state.view === "sandwich") parts.push(`${percent(width, layout.width[0]!)} of the function`);
  if (zoomed > 0) parts.push(`${percent(width, layout.width[zoomed]!)} of the zoomed`);
  if (parent > 0) parts.push(`${percent(width, layout.width[parent]!)} of its parent`);
  parts.push(...[basename(moduleOf(profile, name)), sourceOf(profile, name)].filter((text) => text !== ""));
  return `${readable(profile.names[name]!)}: ${parts.join(" \u00b7 ")}`;
}
