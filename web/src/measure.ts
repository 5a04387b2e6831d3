// What is measured of every stack: which kind of value, between which points of a series, and what of a change.

import { CLASSES, classOf, type ClassKind } from "./classes";
import type { Profile, ValueType } from "./profile";
import { heldAt, sampledPoints } from "./series";
import type { State } from "./state";
import { mapColumns, sumOf, type Tree } from "./tree";

export const WIDTHS = {
  both: "grown and released", grew: "what grew", released: "what was released", after: "all in use in B", before: "all in use in A",
  kept: "grew, and stays until the end",
};

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

  // Widths that mean something for what is measured.
  get widths(): Width[] {
    const all = Object.keys(WIDTHS) as Width[];
    const sides = all.filter((width) => width !== "kept" || this.profile.head.points.length > 2);
    return this.isSeries ? sides : all.slice(0, 3);
  }

  get width(): Width {
    return this.widths.find((width) => width === this.state.width) ?? "both";
  }

  // Where further values of a stack are: those of the mate, in A and B, and at points of the series. -1: there are none.
  get columns(): { mate: number; before: number; after: number; points: number } {
    const hasSides = this.isDifference && this.isSeries;
    const mate = this.mate < 0 ? -1 : 0;
    return { mate, before: hasSides ? 0 : -1, after: hasSides ? 1 : -1, points: hasSides ? 2 : mate + 1 };
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

  // The stacks as they were captured, root first. What `more` holds, `columns` says; points of the series only if asked for.
  stacks(withPoints: boolean): Tree {
    const { head, parent, name } = this.profile;
    const more = this.mate < 0 ? this.sides() : [this.valuesOf(this.mate)];
    const points = withPoints ? sampledPoints(head.points.length).map((point) => heldAt(this.profile, this.type, point)) : [];
    const columns = { ...this.change(), more: [...more, ...points] };
    return { count: head.nodes, parent, name, isInOrder: true, isGrown: !this.isDifference, ...mapColumns(columns, this.classified()) };
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

  // What each stack holds in A and in B. Normalised, A is taken as if its total were that of B.
  private sides(): Float64Array[] {
    if (this.columns.before < 0) return [];
    const { range, isNormalised } = this.state;
    const before = heldAt(this.profile, this.type, range.from);
    const after = heldAt(this.profile, this.type, range.to);
    const factor = isNormalised && sumOf(before) > 0 ? sumOf(after) / sumOf(before) : 1;
    return [factor === 1 ? before : before.map((value) => Math.trunc(value * factor)), after];
  }

  private change(): { grew: Float64Array; released: Float64Array } {
    const { profile, type, width } = this;
    const none = () => new Float64Array(profile.head.nodes);
    if (!this.isDifference) return { grew: this.valuesOf(type), released: none() };
    if (width === "after" || width === "before") return { grew: this.sides()[width === "after" ? 1 : 0]!, released: none() };
    if (width === "kept") return { grew: this.kept(), released: none() };
    const whole = this.isSeries ? this.changeInRange() : { grew: profile.grew[type]!, released: profile.released[type]! };
    if (width === "grew") return { grew: whole.grew, released: none() };
    return width === "released" ? { grew: none(), released: whole.released } : whole;
  }

  // What grew in the range, as far as it was never released until the last point.
  private kept(): Float64Array {
    const { range } = this.state;
    const before = heldAt(this.profile, this.type, range.from);
    const held = heldAt(this.profile, this.type, range.to);
    const least = held.slice();
    for (const { nodes, by } of this.profile.steps[this.type]!.slice(range.to))
      for (let i = 0; i < nodes.length; i++) {
        const node = nodes[i]!;
        held[node]! += by[i]!;
        least[node] = Math.min(least[node]!, held[node]!);
      }
    return least.map((value, node) => Math.max(value - before[node]!, 0));
  }

  // As src/analysis/difference.h.
  private changeInRange(): { grew: Float64Array; released: Float64Array } {
    const [before, after] = this.sides() as [Float64Array, Float64Array];
    const grew = after.map((value, node) => Math.max(value - before[node]!, 0));
    return { grew, released: before.map((value, node) => Math.max(value - after[node]!, 0)) };
  }
}
