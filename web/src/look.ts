// What a box looks like: its colour, by what was chosen, and the label on it.

import { rgbOfHsl, textOn, type Rgb } from "./color";
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

const colorAt = (colors: Uint8Array, i: number): Rgb => [colors[3 * i]!, colors[3 * i + 1]!, colors[3 * i + 2]!];

const ROOT_COLOR: Rgb = [200, 200, 200];

export class ProfileLook implements Look {
  private readonly shortNames: (string | undefined)[] = [];

  constructor(private readonly profile: Profile, private readonly measure: Measure, private readonly state: State) {}

  // The one in force: what was chosen, if it means anything here.
  get coloring(): Coloring {
    const known = coloringsOf(this.measure);
    return known.find((coloring) => coloring === this.state.coloring) ?? known[0]!;
  }

  fill(layout: Layout, node: number): string {
    return `rgb(${this.color(layout, node).join(" ")})`;
  }

  text(layout: Layout, node: number): string {
    return textOn(this.color(layout, node));
  }

  private color(layout: Layout, node: number): Rgb {
    const { colors, moduleName } = this.profile;
    const name = layout.tree.name[node]!;
    if (name === ROOT_NAME) return ROOT_COLOR;
    switch (this.coloring) {
      case "names": return colorAt(colors, name);
      case "modules": return colorAt(colors, moduleName[name]!);
      case "size": return this.sizeColor(layout, node);
      default: return this.changeColor(layout, node);
    }
  }

  // The more both sides cancel out, the lighter.
  private changeColor(layout: Layout, node: number): Rgb {
    const width = layout.width[node]!;
    const share = width > 0 ? (layout.grew[node]! - layout.released[node]!) / width : 0;
    const paleness = 1 - Math.abs(share);
    if (this.coloring === "growth") return share >= 0 ? rgbOfHsl(28, 95, 45 + 40 * paleness) : rgbOfHsl(212, 80, 45 + 40 * paleness);
    const pale = Math.round(210 * paleness);
    return share >= 0 ? [255, pale, pale] : [pale, pale, 255];
  }

  private sizeColor(layout: Layout, node: number): Rgb {
    const size = this.measure.meanSize(layout.grew[node]!, layout.more[0]![node]!);
    const share = Math.min(Math.max((Math.log2(Math.max(size, 1)) - 4) / 20, 0), 1);
    return rgbOfHsl(60 + 200 * share, 65, 82 - 54 * share);
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
