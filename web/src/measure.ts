// What is measured of every stack: which kind of value, between which points of a series, and what of a change.

import { CLASSES, classOf, type ClassKind } from "./classes";
import type { Profile, ValueType } from "./profile";
import { heldAt, sampledPoints } from "./series";
import type { State } from "./state";
import { mapColumns, sumOf, type Tree } from "./tree";

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

  get hasModules(): boolean {
    return this.profile.head.modules.length > 0;
  }

  // A series is a difference unless it is looked at one point.
  get isDifference(): boolean {
    return this.isSeries ? this.state.range.from < this.state.range.to : this.profile.head.isDifference;
  }

  // The other kind of value of the same blocks, which makes a mean size; -1: there is none.
  get mate(): number {
    return this.isDifference ? -1 : this.pair.find((type) => type !== this.type) ?? -1;
  }

  // Bytes and objects of the same blocks as what is shown, and in this order; [] if one is missing.
  private get pair(): number[] {
    const [, stem] = PAIR.exec(this.state.type) ?? [];
    const find = (...kinds: string[]) => this.profile.head.types.findIndex(({ name }) => kinds.some((kind) => name === `${stem}_${kind}`));
    const pair = [find("space", "bytes"), find("objects", "count")];
    return pair.includes(-1) ? [] : pair;
  }

  // The sum of something and the count of those it is of, whose quotient has classes; [] if the profile has none.
  ratioOf(kind: ClassKind): number[] {
    if (kind === "size") return this.pair;
    const { types } = this.profile.head;
    const ratio = [types.findIndex(({ name }) => name === "lifetime"), types.findIndex(({ name }) => name === "alloc_objects")];
    return ratio.includes(-1) ? [] : ratio;
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
    const columns = { ...this.change(), more: [...more, ...points] };
    return { count: head.nodes, parent, name, isInOrder: true, ...mapColumns(columns, this.classified()) };
  }

  private valuesOf(type: number): Float64Array {
    const { head, threads } = this.profile;
    if (this.isSeries) return heldAt(this.profile, type, this.state.range.to);
    const thread = head.threads.findIndex(({ uid }) => uid === this.state.thread);
    if (thread < 0) return this.profile.grew[type]!;
    const held = new Float64Array(head.nodes);
    const { nodes, by } = threads[thread]![type]!;
    for (let i = 0; i < nodes.length; i++) held[nodes[i]!] = by[i]!;
    return held;
  }

  // The classes that occur, in their order.
  classesOf(ratio: number[]): number[] {
    if (ratio.length === 0) return [];
    const [sums, counts] = ratio.map((type) => this.valuesOf(type)) as [Float64Array, Float64Array];
    const found = new Set<number>();
    for (let node = 0; node < sums.length; node++) if (counts[node]! > 0) found.add(classOf(sums[node]!, counts[node]!));
    return [...found].sort((a, b) => a - b);
  }

  // Clears stacks whose means lie in other classes than what was chosen.
  private classified(): (column: Float64Array) => Float64Array {
    const asked = (Object.keys(CLASSES) as ClassKind[]).map((kind) => ({ wanted: this.state.classes[kind], ratio: this.ratioOf(kind) }))
      .filter(({ wanted, ratio }) => wanted !== undefined && ratio.length > 0)
      .map(({ wanted, ratio }) => ({ wanted, sums: this.valuesOf(ratio[0]!), counts: this.valuesOf(ratio[1]!) }));
    if (asked.length === 0) return (column) => column;
    const isKept = (node: number) => asked.every(({ wanted, sums, counts }) => classOf(sums[node]!, counts[node]!) === wanted);
    return (column) => column.map((value, node) => (isKept(node) ? value : 0));
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
    const factor = isNormalised && sumOf(before) > 0 ? sumOf(after) / sumOf(before) : 1;
    const released = new Float64Array(before.length);
    for (let node = 0; node < before.length; node++) {
      const change = after[node]! - (factor === 1 ? before[node]! : Math.trunc(before[node]! * factor));
      after[node] = Math.max(change, 0);
      released[node] = Math.max(-change, 0);
    }
    return { grew: after, released };
  }
}
