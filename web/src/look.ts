// What a box looks like: its colour, by what was chosen, and the text on it.

import { colorOfHsl, textOn } from "./color";
import { amount, share } from "./format";
import { groupsOf, type Groups } from "./groups";
import type { Layout } from "./layout";
import type { Measure } from "./measure";
import { fitted, shortName } from "./names";
import type { Look } from "./painter";
import { groupColors, plainColor, rootColor, scaleOf, shadeOf, stepOf } from "./palette";
import type { Profile } from "./profile";
import type { State } from "./state";
import { themingOf } from "./theme";
import { ROOT_NAME } from "./tree";

// What colours can mean; each has a sentence for the legend.
export const COLORINGS = {
  groups: { title: "package or module", legend: "the crate, package, namespace or file that a function is from" },
  relative: { title: "relative change", legend: "how much a place changed: gone, \u221250 %, \u221210 %, same, +10 %, \u00d72, new" },
  absolute: { title: "absolute change", legend: "how much of the largest change: orange grew and is still in use, blue was released" },
  "red-blue": { title: "relative change, red and blue", legend: "how much a place changed: blue is less, red is more" },
  names: { title: "function (classic)", legend: "tells functions apart" },
  modules: { title: "file", legend: "tells modules apart: the files that functions are from" },
  size: { title: "mean size", legend: "the mean size of an object: light is 16 B, dark is 16 MiB" },
};

export type Coloring = keyof typeof COLORINGS;

export function coloringsOf(measure: Measure): Coloring[] {
  const modules: Coloring[] = measure.hasModules ? ["modules"] : [];
  if (measure.isDifference) return ["relative", "absolute", "red-blue", "groups", "names", ...modules];
  return ["groups", "names", ...(measure.mate < 0 ? [] : ["size"]) as Coloring[], ...modules];
}

export const isScale = (coloring: Coloring) => coloring === "relative" || coloring === "red-blue";

export class ProfileLook implements Look {
  whole = 0; // what shares are of
  isOnPaper = false;
  private readonly shortNames: (string | undefined)[] = [];
  private known: Groups | undefined;
  private colored: { theme: "light" | "dark"; colors: number[] } | undefined; // by group
  private named: { theme: "light" | "dark"; coloring: Coloring; colors: Int32Array } | undefined; // by name
  private ranks: Int32Array | undefined; // by group: the largest has 0
  private rankedLast: { layout: Layout; groups: number[] } | undefined;

  constructor(private readonly profile: Profile, private readonly measure: Measure, private readonly state: State) {}

  // The one in force: what was chosen, if it means anything here.
  get coloring(): Coloring {
    const known = coloringsOf(this.measure);
    return known.find((coloring) => coloring === this.state.coloring) ?? known[0]!;
  }

  get groups(): Groups {
    return (this.known ??= groupsOf(this.profile, this.profile.head.names));
  }

  get theme(): "light" | "dark" {
    return this.isOnPaper ? "light" : themingOf(this.state.theme);
  }

  // Groups by how much of the picture they are, the largest first.
  ranked(layout: Layout): number[] {
    if (this.rankedLast?.layout !== layout) this.rankedLast = { layout, groups: this.rankedNow(layout) };
    return this.rankedLast.groups;
  }

  // Boxes of less than a pixel make no group larger.
  private rankedNow(layout: Layout): number[] {
    const { of, titles } = this.groups;
    const area = new Float64Array(titles.length);
    const { tree: { name }, wide, width } = layout;
    for (const node of wide) area[of[name[node]!]!]! += width[node]!;
    area[0] = 0;
    return [...area.keys()].filter((group) => area[group]! > 0).sort((a, b) => area[b]! - area[a]! || a - b);
  }

  // Colours stay as they were first: filters change what is seen, not what it looks like.
  private rankOf(layout: Layout): Int32Array {
    if (!this.ranks) {
      this.ranks = new Int32Array(this.groups.titles.length);
      const ranked = this.ranked(layout);
      this.ranks.forEach((_, group, ranks) => { ranks[group] = ranked.length + group; }); // seen once it is zoomed into
      ranked.forEach((group, rank) => { this.ranks![group] = rank; });
    }
    return this.ranks;
  }

  groupColors(layout: Layout): number[] {
    const { theme } = this;
    const ranks = this.rankOf(layout);
    if (this.colored?.theme !== theme) {
      const palette = groupColors(theme);
      this.colored = { theme, colors: Array.from(ranks, (rank, group) => (group === 0 ? plainColor(theme) : palette[rank % palette.length]!)) };
    }
    return this.colored.colors;
  }

  colorsOf(layout: Layout): (node: number) => number {
    const { name } = layout.tree;
    const { coloring } = this;
    const root = rootColor(this.theme);
    const plain = (of: (node: number) => number) => (node: number) => (name[node] === ROOT_NAME ? root : of(node));
    switch (coloring) {
      case "names":
      case "modules":
      case "groups": {
        const colors = this.colorsByName(layout, coloring);
        return (node) => colors[name[node]!]!;
      }
      case "size": return plain((node) => this.sizeColor(layout, node));
      case "absolute": return plain(this.absoluteColors(layout));
      default: return plain(this.relativeColors(layout, coloring === "red-blue"));
    }
  }

  // What is asked for each box that is painted is looked up once.
  private colorsByName(layout: Layout, coloring: "names" | "modules" | "groups"): Int32Array {
    const { profile, theme } = this;
    if (coloring === "names") return profile.colors;
    if (this.named?.theme === theme && this.named.coloring === coloring) return this.named.colors;
    let colors: Int32Array;
    if (coloring === "modules") {
      colors = profile.moduleName.map((module) => profile.colors[module]!);
    } else {
      const colorOf = this.groupColors(layout);
      colors = this.groups.of.map((group) => colorOf[group] ?? plainColor(theme));
    }
    colors[ROOT_NAME] = rootColor(theme);
    this.named = { theme, coloring, colors };
    return colors;
  }

  private relativeColors(layout: Layout, isRedBlue: boolean): (node: number) => number {
    const { before, after } = this.measure.columns;
    const { theme } = this;
    const scale = scaleOf(theme, isRedBlue).map(({ color }) => color);
    if (before >= 0) {
      const [older, newer] = [layout.more[before]!, layout.more[after]!];
      return (node) => scale[stepOf(older[node]!, newer[node]!)]!;
    }
    const { grew, released, width } = layout; // what there was before is not known: only how much cancels out
    return (node) => shadeOf(width[node]! > 0 ? (grew[node]! - released[node]!) / width[node]! : 0, theme, isRedBlue);
  }

  private absoluteColors({ grew, released, tree }: Layout): (node: number) => number {
    let most = 1;
    for (let node = 0; node < tree.count; node++) most = Math.max(most, Math.abs(grew[node]! - released[node]!));
    const shades = Array.from({ length: 41 }, (_, i) => shadeOf((i - 20) / 20, this.theme));
    return (node) => {
      const part = (grew[node]! - released[node]!) / most;
      return shades[20 + Math.round(20 * Math.sign(part) * Math.sqrt(Math.abs(part)))]!;
    };
  }

  ink(color: number): string {
    return textOn(color);
  }

  private sizeColor(layout: Layout, node: number): number {
    const size = this.measure.meanSize(layout.grew[node]!, layout.more[0]![node]!);
    const part = Math.min(Math.max((Math.log2(Math.max(size, 1)) - 4) / 20, 0), 1);
    return colorOfHsl(60 + 200 * part, 65, 82 - 54 * part);
  }

  label(layout: Layout, node: number, room: number): string {
    const chain = layout.chains.byHead.get(node);
    if (chain) {
      const text = `${chain.frames} frames: `;
      const [first, last] = [node, chain.last].map((frame) => this.nameOf(layout.tree.name[frame]!)) as [string, string];
      const left = room - text.length - 3;
      const count = text.slice(0, -2);
      if (left < 12) return room < 9 ? (count.length <= room ? count : fitted(first, room)) : `${fitted(first, room - 2)} \u2026`; // a name says more than a number
      const firstRoom = Math.min(first.length, Math.max(left - last.length, left >> 1));
      return `${text}${fitted(first, firstRoom)} \u2026 ${fitted(last, left - firstRoom)}`;
    }
    const sign = this.sign(layout, node);
    return sign + fitted(this.nameOf(layout.tree.name[node]!), room - sign.length);
  }

  // "10.4 MiB  29 %", or of a difference "+3.0 MiB  ×2.1".
  figures(layout: Layout, node: number): string {
    const { columns: { before, after }, isDifference, valueType } = this.measure;
    const net = layout.grew[node]! - layout.released[node]!;
    if (!isDifference || layout.tree.isSide)
      return `${amount(net, valueType)}  ${share(layout.width[node]!, layout.tree.isSide ? layout.width[0]! : this.whole)}`;
    const change = `${net < 0 ? "\u2212" : "+"}${amount(Math.abs(net), valueType)}`;
    return before < 0 ? change : `${change}  ${changeText(layout.more[before]![node]!, layout.more[after]![node]!)}`;
  }

  // As names are drawn.
  nameOf(id: number): string {
    const name = this.profile.names[id]!;
    return this.state.isLong ? name : (this.shortNames[id] ??= shortName(name));
  }

  private sign(layout: Layout, node: number): string {
    if (!this.measure.isDifference || layout.tree.isSide) return "";
    const isBoth = layout.grew[node]! > 0 && layout.released[node]! > 0;
    return isBoth ? "± " : layout.released[node]! > 0 ? "− " : "+ ";
  }
}

// "new", "×2.1", "+12 %", "gone".
export function changeText(before: number, after: number): string {
  if (before === after) return "same";
  if (before === 0) return "new";
  if (after === 0) return "gone";
  const factor = after / before;
  if (factor >= 2) return `\u00d7${factor >= 100 ? Math.round(factor) : factor.toFixed(1)}`;
  const part = 100 * (factor - 1);
  return `${part < 0 ? "\u2212" : "+"}${Math.abs(part) < 10 ? Math.abs(part).toFixed(1) : Math.abs(part).toFixed(0)} %`;
}
