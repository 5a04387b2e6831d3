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
    if (name === ROOT_NAME) return "#c8c8c8";
    if (head.isDifference) {
      const { isGrown, lightness } = this.change(layout, node);
      return isGrown ? `hsl(28 95% ${lightness}%)` : `hsl(212 80% ${lightness}%)`;
    }
    return `rgb(${colors[3 * name]} ${colors[3 * name + 1]} ${colors[3 * name + 2]})`;
  }

  text(layout: Layout, node: number): string {
    const { head, colors } = this.profile;
    const name = layout.tree.name[node]!;
    if (name === ROOT_NAME) return "#000";
    if (head.isDifference) {
      const { isGrown, lightness } = this.change(layout, node);
      return isGrown || lightness >= 48 ? "#000" : "#fff"; // either has a contrast of 4.5 at 48
    }
    const luminance = [0, 1, 2].reduce((sum, i) => sum + [0.2126, 0.7152, 0.0722][i]! * (colors[3 * name + i]! / 255) ** 2.2, 0);
    return luminance > 0.18 ? "#000" : "#fff";
  }

  // The more both sides cancel out, the lighter.
  private change(layout: Layout, node: number): { isGrown: boolean; lightness: number } {
    const share = layout.width[node]! > 0 ? (layout.grew[node]! - layout.released[node]!) / layout.width[node]! : 0;
    return { isGrown: share >= 0, lightness: Math.round(45 + 40 * (1 - Math.abs(share))) };
  }

  label(layout: Layout, node: number): string {
    const name = this.profile.names[layout.tree.name[node]!]!;
    if (!this.profile.head.isDifference) return name;
    const isBoth = layout.grew[node]! > 0 && layout.released[node]! > 0;
    return `${isBoth ? "±" : layout.released[node]! > 0 ? "−" : "+"} ${name}`;
  }
}
