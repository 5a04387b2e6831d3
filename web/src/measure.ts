// What is measured of every stack: which kind of value, between which points of a series, and what of a change.

import type { Profile, ValueType } from "./profile";
import { heldAt, sampledPoints } from "./series";
import type { State } from "./state";
import type { Tree } from "./tree";

export const WIDTHS = { both: "grown and released", grew: "what grew", released: "what was released" };

export type Width = keyof typeof WIDTHS;

// Bytes and objects of the same blocks.
const PAIR = /^(.+)_(space|bytes|objects|count)$/;

export class Measure {
  constructor(private readonly profile: Profile, private readonly state: State) {}

  get type(): number {
    return this.profile.head.types.findIndex((type) => type.name === this.state.type);
  }

  get valueType(): ValueType {
    return this.profile.head.types[this.type]!;
  }

  get isSeries(): boolean {
    return this.profile.head.points.length > 0;
  }

  // A series is a difference unless it is looked at one point.
  get isDifference(): boolean {
    return this.isSeries ? this.state.range.from < this.state.range.to : this.profile.head.isDifference;
  }

  // The other kind of value of the same blocks, which makes a mean size; -1: there is none.
  get mate(): number {
    const [, stem, kind] = PAIR.exec(this.state.type) ?? [];
    const isBytes = kind === "space" || kind === "bytes";
    return this.isDifference ? -1 : this.profile.head.types.findIndex(({ name }) => {
      const [, other, otherKind] = PAIR.exec(name) ?? [];
      return stem !== undefined && other === stem && (otherKind === "space" || otherKind === "bytes") !== isBytes;
    });
  }

  // Bytes for each object, of a value and of its mate's.
  meanSize(value: number, mate: number): number {
    const [bytes, objects] = this.valueType.unit === "bytes" ? [value, mate] : [mate, value];
    return objects > 0 ? Math.round(bytes / objects) : 0;
  }

  // The stacks as they were captured, root first. `more` holds the mate's values if there is one, then, if asked for, what they
  // held at some points of the series.
  stacks(withPoints: boolean): Tree {
    const { head, parent, name } = this.profile;
    const more = this.mate < 0 ? [] : [this.valuesOf(this.mate)];
    const points = withPoints ? sampledPoints(head.points.length).map((point) => heldAt(this.profile, this.type, point)) : [];
    return { count: head.nodes, parent, name, ...this.change(), more: [...more, ...points] };
  }

  private valuesOf(type: number): Float64Array {
    return this.isSeries ? heldAt(this.profile, type, this.state.range.to) : this.profile.grew[type]!;
  }

  private change(): { grew: Float64Array; released: Float64Array } {
    const { profile, state, type } = this;
    const none = () => new Float64Array(profile.head.nodes);
    if (!this.isDifference) return { grew: this.valuesOf(type), released: none() };
    const whole = this.isSeries ? this.changeInRange() : { grew: profile.grew[type]!, released: profile.released[type]! };
    if (state.width === "grew") return { grew: whole.grew, released: none() };
    return state.width === "released" ? { grew: none(), released: whole.released } : whole;
  }

  // As src/analysis/difference.h. Normalised, the older point is taken as if its total were that of the newer.
  private changeInRange(): { grew: Float64Array; released: Float64Array } {
    const { range, isNormalised } = this.state;
    const before = heldAt(this.profile, this.type, range.from);
    const after = heldAt(this.profile, this.type, range.to);
    const sum = (values: Float64Array) => values.reduce((a, b) => a + b, 0);
    const factor = isNormalised && sum(before) > 0 ? sum(after) / sum(before) : 1;
    const released = new Float64Array(before.length);
    for (let node = 0; node < before.length; node++) {
      const change = after[node]! - (factor === 1 ? before[node]! : Math.trunc(before[node]! * factor));
      after[node] = Math.max(change, 0);
      released[node] = Math.max(-change, 0);
    }
    return { grew: after, released };
  }
}
