// A frame in words: what it holds, its shares, and where it is from.

import type { Chart } from "./chart";
import { amount, both, BYTES, exact, grouped, percent, share } from "./format";
import type { Layout } from "./layout";
import { changeText } from "./look";
import type { Measure } from "./measure";
import { isolated, readable } from "./names";
import { basename, moduleOf, sourceOf, type Profile } from "./profile";
import type { State } from "./state";
import type { Fact } from "./tip";

// Those above the zoomed have no share of it.
const isInZoomed = ({ width }: Layout, zoomed: number, node: number) => zoomed > 0 && width[node]! <= width[zoomed]!;

// Its name, and what is told of it. `whole` is what all holds; half of a sandwich begins with its function instead.
export function frameParts(
  profile: Profile, measure: Measure, state: State, { layout, zoomed }: Chart, whole: number, node: number,
): { name: string; parts: string[] } {
  const { mate, valueType } = measure;
  const isDifference = measure.isDifference && !layout.tree.isSide;
  const { grew, released, tree } = layout;
  const width = layout.width[node]!;
  const parent = tree.parent[node]!;
  const at = tree.name[node]!;
  const net = grew[node]! - released[node]!;
  const held = both(grew[node]!, released[node]!, valueType, isDifference);
  const precisely = isDifference && measure.width === "both"
    ? `net ${net < 0 ? "\u2212" : "+"}${exact(Math.abs(net), valueType)}` : exact(net, valueType);
  const parts = precisely.startsWith(`${held.replace(/ B$/, "")} `) ? [precisely] : [held, precisely];
  if (mate >= 0 && width > 0) parts.push(`mean size ${amount(measure.meanSize(grew[node]!, layout.more[0]![node]!), BYTES)}`);
  const all = layout.tree.isSide ? layout.width[0]! : whole;
  if (all > 0) parts.push(`${percent(width, all)} of all`); // of nothing there is no share
  if (node > 0 && state.view === "sandwich") parts.push(`${percent(width, layout.width[0]!)} of the function`);
  if (isInZoomed(layout, zoomed, node)) parts.push(`${percent(width, layout.width[zoomed]!)} of the zoomed`);
  if (parent > 0) parts.push(`${percent(width, layout.width[parent]!)} of its parent`);
  parts.push(...[basename(moduleOf(profile, at)), sourceOf(profile, at)].filter((text) => text !== ""));
  const chain = layout.chains.byHead.get(node);
  const title = isolated(readable(profile.names[at]!));
  const name = chain ? `${chain.frames} frames, ${title} \u2026 ${isolated(readable(profile.names[tree.name[chain.last]!]!))}` : title;
  return { name: `${name}: `, parts: parts.map((text, i) => (i === 0 ? text : ` \u00b7 ${text}`)) };
}

// Mean of something that stacks have, over all below a node; undefined if the tree is not as captured or nothing has it.
function meanBelow({ head, grew }: Profile, { tree }: Layout, node: number, sum: number | undefined, count: number | undefined): number | undefined {
  if (sum === undefined || count === undefined || tree.count !== head.nodes || !tree.isInOrder || head.points.length > 0) return undefined;
  let [all, of] = [0, 0];
  for (let at = node; at < tree.count && (at === node || tree.parent[at]! >= node); at++) {
    all += grew[sum]![at]!;
    of += grew[count]![at]!;
  }
  return of > 0 ? all / of : undefined;
}

const UNITS_OF_TIME: [string, number][] = [["d", 86400e9], ["h", 3600e9], ["min", 60e9], ["s", 1e9], ["ms", 1e6], ["\u00b5s", 1e3], ["ns", 1]];

function duration(ns: number): string {
  const [unit, size] = UNITS_OF_TIME.find(([, from]) => ns >= from) ?? ["ns", 1];
  return `${(ns / size).toPrecision(3).replace(/\.0+$/, "")} ${unit}`;
}

// What is told at the pointer.
export function tipOf(profile: Profile, measure: Measure, { layout, zoomed }: Chart, whole: number, node: number): { title: string; facts: Fact[]; hint: string } {
  const { columns, valueType } = measure;
  const isDifference = measure.isDifference && !layout.tree.isSide;
  const { chains, grew, more, released, tree, width } = layout;
  const name = tree.name[node]!;
  const chain = chains.byHead.get(node);
  const facts: Fact[] = [];
  const say = (title: string, value: string | undefined) => { if (value) facts.push([title, value]); };
  const held = both(grew[node]!, released[node]!, valueType, isDifference);
  const all = layout.tree.isSide ? width[0]! : whole;
  say("total", `${held}, ${share(width[node]!, all)} of all${isInZoomed(layout, zoomed, node) ? `, ${share(width[node]!, width[zoomed]!)} of the zoomed` : ""}`);
  say("itself", both(tree.grew[node]!, tree.released[node]!, valueType, isDifference));
  if (columns.before >= 0) {
    const [a, b] = [more[columns.before]![node]!, more[columns.after]![node]!];
    say("growth", `A ${amount(a, valueType)} \u2192 B ${amount(b, valueType)}: ${changeText(a, b)}`);
  }
  if (columns.mate >= 0) {
    const [value, mate] = [grew[node]!, more[columns.mate]![node]!];
    say("objects", grouped(valueType.unit === "bytes" ? mate : value));
    say("mean size", amount(measure.meanSize(value, mate), BYTES));
  }
  const [sum, count] = measure.ratioOf("lifetime");
  const life = meanBelow(profile, layout, node, sum, count);
  say("mean lifetime", life === undefined ? undefined : duration(life));
  say("module", basename(moduleOf(profile, name)));
  say("source", sourceOf(profile, name));
  const title = chain ? `${chain.frames} frames: ${readable(profile.names[name]!)} \u2026 ${readable(profile.names[tree.name[chain.last]!]!)}` : readable(profile.names[name]!);
  return { title, facts, hint: chain ? "click: open the chain" : node === zoomed ? "right click: more" : "click: zoom, right click: more" };
}

