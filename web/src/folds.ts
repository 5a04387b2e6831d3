// Which chains of the graph are folded: all, but for those that were opened. What suspects are never folds.

import { chainAt, NO_FOLDING, type Folding } from "./chains";
import type { Chart } from "./chart";
import { encodePath, nodeOfPath } from "./links";
import type { Profile } from "./profile";
import type { State } from "./state";
import { pathOf, type Tree } from "./tree";

export class Folds {
  private readonly isKept: Uint8Array;

  constructor(private readonly profile: Profile, private readonly state: State) {
    this.isKept = new Uint8Array(profile.names.length);
    for (const { suspects } of profile.head.types) for (const { node } of suspects) this.isKept[profile.name[node]!] = 1;
    for (const { node } of profile.head.trend?.places ?? []) this.isKept[profile.name[node]!] = 1;
  }

  of(tree: Tree): Folding {
    if (!this.state.isFolded) return NO_FOLDING;
    const opened = new Set(this.state.opened.map((path) => nodeOfPath(tree, this.profile.names, path)));
    return { isKept: this.isKept, opened };
  }

  // The first frame of the chain that a node is in, folded or not.
  chainAt({ layout: { tree, width } }: Chart, node: number): number | undefined {
    return this.state.isFolded ? chainAt(tree, width, this.isKept, node) : undefined;
  }

  keyOf(tree: Tree, node: number): string {
    return encodePath(pathOf(tree, node).reverse().map((name) => this.profile.names[name]!));
  }

  toggle(tree: Tree, first: number): void {
    const key = this.keyOf(tree, first);
    const { opened } = this.state;
    this.state.opened = opened.includes(key) ? opened.filter((other) => other !== key) : [...opened, key];
  }
}
