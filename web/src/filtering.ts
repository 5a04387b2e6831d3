// The filters in force: their history, what they mean, what they leave, and the pills that show them.

import { applyFilter, byModule, encodeFilter, namesOf, type Filter } from "./filters";
import { percent } from "./format";
import { History } from "./history";
import { Pills } from "./pills";
import type { Profile } from "./profile";
import { total, type Tree } from "./tree";

export class Filtering {
  private history: History<Filter[]>;
  private readonly meanings = new Map<string, Uint8Array>(); // by name, of each filter's text
  private readonly pills: Pills;
  private runs = 0;

  // `changed` is called when other filters are in force.
  constructor(host: HTMLElement, private readonly profile: Profile, first: Filter[], private readonly changed: () => void) {
    this.history = new History(first);
    this.pills = new Pills(host, {
      remove: (index) => this.set(this.now.filter((_, i) => i !== index)),
      undo: () => this.undo(),
      redo: () => this.redo(),
    });
  }

  get now(): Filter[] {
    return this.history.now;
  }

  add(filter: Filter): void {
    const last = this.now.at(-1);
    if (!last || encodeFilter(last) !== encodeFilter(filter)) this.set([...this.now, filter]);
  }

  // As a link says, if that is something else.
  follow(filters: Filter[]): void {
    if (filters.map(encodeFilter).join("\0") !== this.now.map(encodeFilter).join("\0")) this.history = new History(filters);
  }

  undo(): void {
    this.history.undo();
    this.changed();
  }

  redo(): void {
    this.history.redo();
    this.changed();
  }

  private set(filters: Filter[]): void {
    this.history.add(filters);
    this.changed();
  }

  // What is left of the stacks; undefined if it was asked again meanwhile.
  async apply(stacks: Tree, amount: (tree: Tree) => string): Promise<Tree | undefined> {
    const filters = this.now;
    const run = ++this.runs;
    const problems: (string | undefined)[] = [];
    let left = stacks;
    for (const [i, filter] of filters.entries()) {
      try {
        left = filter.kind === "modules" ? byModule(left, this.profile) : applyFilter(left, filter.kind, await this.meaning(filter));
      } catch (error) {
        problems[i] = (error as Error).message;
      }
    }
    if (run !== this.runs) return undefined;
    const shown = () => {
      const [part, whole] = [left, stacks].map(total).map(({ grew, released }) => grew + released) as [number, number];
      return `${amount(left)} left, ${percent(part, whole)} of the profile`;
    };
    this.pills.show(filters, problems, this.history.canUndo, this.history.canRedo, filters.length > 0 ? shown() : "");
    return left;
  }

  private async meaning(filter: Filter): Promise<Uint8Array> {
    const key = encodeFilter(filter);
    const isHit = this.meanings.get(key) ?? await namesOf(filter, this.profile);
    this.meanings.set(key, isHit);
    return isHit;
  }
}
