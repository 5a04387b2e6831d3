// What a box looks like: its colour, by what was chosen, and the label on it.

import { colorOf, colorOfHsl, textOn } from "./color";
import type { Layout } from "./layout";
import type { Measure } from "./measure";
import { fitted, shortName } from "./names";
import type { Look } from "./painter";
import type { Profile } from "./profile";
import type { State } from "./state";
import { ROOT_NAME } from "./tree";

// What colours can mean; each has a sentence for the legend.
export const COLORINGS = {
  names: { title: "names", legend: "tells functions apart" },
  growth: { title: "growth", legend: "orange grew and is still in use, blue was released; the lighter, the more both cancel out" },
  "red-blue": { title: "growth, red and blue", legend: "red grew and is still in use, blue was released; the lighter, the more both cancel out" },
  modules: { title: "modules", legend: "tells modules apart: the files that functions are from" },
  size: { title: "mean size", legend: "the mean size of an object: light is 16 B, dark is 16 MiB" },
};

export type Coloring = keyof typeof COLORINGS;

export function coloringsOf(measure: Measure): Coloring[] {
  const modules: Coloring[] = measure.hasModules ? ["modules"] : [];
  if (measure.isDifference) return ["growth", "red-blue", "names", ...modules];
  return [...(measure.mate < 0 ? ["names"] : ["names", "size"]) as Coloring[], ...modules];
}

const ROOT_COLOR = colorOf(200, 200, 200);

// The more both sides cancel out, the lighter.
function changeColor({ grew, released, width }: Layout, node: number, isSafe: boolean): number {
  const share = width[node]! > 0 ? (grew[node]! - released[node]!) / width[node]! : 0;
  const paleness = 1 - Math.abs(share);
  if (isSafe) return share >= 0 ? colorOfHsl(28, 95, 45 + 40 * paleness) : colorOfHsl(212, 80, 45 + 40 * paleness);
  const pale = Math.round(210 * paleness);
  return share >= 0 ? colorOf(255, pale, pale) : colorOf(pale, pale, 255);
}

export class ProfileLook implements Look {
  private readonly shortNames: (string | undefined)[] = [];

  constructor(private readonly profile: Profile, private readonly measure: Measure, private readonly state: State) {}

  // The one in force: what was chosen, if it means anything here.
  get coloring(): Coloring {
    const known = coloringsOf(this.measure);
    return known.find((coloring) => coloring === this.state.coloring) ?? known[0]!;
  }

  colorsOf(layout: Layout): (node: number) => number {
    const { colors, moduleName } = this.profile;
    const { name } = layout.tree;
    const { coloring } = this;
    switch (coloring) {
      case "names": return (node) => colors[name[node]!]!;
      case "modules": return (node) => (name[node] === ROOT_NAME ? ROOT_COLOR : colors[moduleName[name[node]!]!]!);
      case "size": return (node) => (name[node] === ROOT_NAME ? ROOT_COLOR : this.sizeColor(layout, node));
      default: return (node) => (name[node] === ROOT_NAME ? ROOT_COLOR : changeColor(layout, node, coloring === "growth"));
    }
  }

  ink(color: number): string {
    return textOn(color);
  }

  private sizeColor(layout: Layout, node: number): number {
    const size = this.measure.meanSize(layout.grew[node]!, layout.more[0]![node]!);
    const share = Math.min(Math.max((Math.log2(Math.max(size, 1)) - 4) / 20, 0), 1);
    return colorOfHsl(60 + 200 * share, 65, 82 - 54 * share);
  }

  label(layout: Layout, node: number, room: number): string {
    const sign = this.sign(layout, node);
    return sign + fitted(this.nameOf(layout.tree.name[node]!), room - sign.length);
  }

  // As names are drawn.
  nameOf(id: number): string {
    const name = this.profile.names[id]!;
    return this.state.isLong ? name : (this.shortNames[id] ??= shortName(name));
  }

  private sign(layout: Layout, node: number): string {
    if (!this.measure.isDifference) return "";
    const isBoth = layout.grew[node]! > 0 && layout.released[node]! > 0;
    return isBoth ? "± " : layout.released[node]! > 0 ? "− " : "+ ";
  }
}
