// What a box looks like: the colours that the profile brings, or growth and release, and the label on it.

import type { Layout } from "./layout";
import type { Look } from "./painter";
import type { Profile } from "./profile";
import { ROOT_NAME } from "./tree";

export class ProfileLook implements Look {
  constructor(private readonly profile: Profile) {}

  fill(layout: Layout, node: number): string {
    const { head, colors } = this.profile;
    const name = layout.tree.name[node]!;
    if (node === 0 && name === ROOT_NAME) return "#c8c8c8";
    if (head.isDifference) {
      const share = layout.width[node]! > 0 ? (layout.grew[node]! - layout.released[node]!) / layout.width[node]! : 0;
      const strength = Math.round(45 + 40 * (1 - Math.abs(share)));
      return share >= 0 ? `hsl(28 95% ${strength}%)` : `hsl(212 80% ${strength}%)`;
    }
    return `rgb(${colors[3 * name]} ${colors[3 * name + 1]} ${colors[3 * name + 2]})`;
  }

  text(layout: Layout, node: number): string {
    const { head, colors } = this.profile;
    const name = layout.tree.name[node]!;
    if (head.isDifference || name === ROOT_NAME) return layout.released[node]! > layout.grew[node]! ? "#fff" : "#000";
    const luminance = [0, 1, 2].reduce((sum, i) => sum + [0.2126, 0.7152, 0.0722][i]! * (colors[3 * name + i]! / 255) ** 2.2, 0);
    return luminance > 0.18 ? "#000" : "#fff";
  }

  label(layout: Layout, node: number): string {
    const name = this.profile.names[layout.tree.name[node]!]!;
    if (!this.profile.head.isDifference) return name;
    const isBoth = layout.grew[node]! > 0 && layout.released[node]! > 0;
    return `${isBoth ? "±" : layout.released[node]! > 0 ? "−" : "+"} ${name}`;
  }
}
