// What the search found in what is shown: marked, counted, and gone to.

import { framesOf } from "./chains";
import { both, counted, percent, share } from "./format";
import { matched } from "./layout";
import type { Page } from "./page";
import type { Hits } from "./search";
import { Strip } from "./strip";

const LISTED_AT_MOST = 12;

const find = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

export class Marks {
  private readonly strip = new Strip(find<HTMLCanvasElement>("strip"), (x) => this.goTo(x));
  private hits: Hits | undefined;
  private problem = ""; // why the search found nothing
  private at = -1; // the hit that was gone to last

  constructor(private readonly page: Page) {}

  set(hits: Hits | undefined, problem: string): void {
    this.hits = hits;
    this.problem = problem;
    this.restart();
  }

  // Goes to the first hit next.
  restart(): void {
    this.at = -1;
  }

  show(): void {
    const { page } = this;
    const isHit = this.hits?.isHit;
    for (const chart of page.charts) chart.mark(isHit);
    page.table.mark(isHit);
    const chart = page.shown;
    const range = chart.seenRange();
    this.strip.show(chart.layout, range, isHit);
    find<HTMLButtonElement>("hits").disabled = !this.hits;
    if (!this.hits || !chart.layout) {
      find("matched").textContent = this.problem;
      return;
    }
    const { value, frames } = matched(chart.layout, chart.zoomed, range, this.hits.isHit);
    find("matched").textContent = `${counted(frames, "frame")}, ${both(value, 0, page.measure.valueType, false)}, ` +
      `${percent(value, range.to - range.from)}`;
  }

  // What was found, by function, those that hold most first; as many as a list shows.
  functions(): { name: number; text: string }[] {
    const { layout } = this.page.shown;
    const { hits, page: { measure } } = this;
    if (!hits || !layout) return [];
    const held = new Map<number, number>();
    const isInside = new Map<number, number>(); // name -> end of the outermost frame of it that was met last
    for (let node = 0; node < layout.tree.count; node++) {
      const name = layout.tree.name[node]!;
      if (!hits.isHit[name] || layout.start[node]! < (isInside.get(name) ?? 0)) continue;
      isInside.set(name, layout.start[node]! + layout.width[node]!);
      held.set(name, (held.get(name) ?? 0) + layout.width[node]!);
    }
    return [...held].sort((a, b) => b[1] - a[1]).slice(0, LISTED_AT_MOST)
      .map(([name, value]) => ({ name, text: `${both(value, 0, measure.valueType, false)}  ${share(value, this.page.look.whole)}` }));
  }

  // Zooms to the next frame that matches, in the order of rows, from the root.
  step(by: number): void {
    const chart = this.page.shown;
    if (!this.hits || !chart.layout) return;
    const { chains, rowNodes, tree } = chart.layout;
    for (let i = 1; i <= rowNodes.length; i++) {
      const at = (this.at + by * i + 2 * rowNodes.length) % rowNodes.length;
      const hit = framesOf(tree, chains, rowNodes[at]!).find((frame) => this.hits!.isHit[tree.name[frame]!]);
      if (hit === undefined) continue;
      this.at = at;
      this.page.zoom(chart, hit);
      return;
    }
  }

  // A place of the strip, 0 to 1: the outermost hit there, or the frame.
  private goTo(share: number): void {
    const chart = this.page.shown;
    const { layout } = chart;
    const { from, to } = chart.seenRange();
    const x = from + share * (to - from);
    for (const node of layout.rowNodes) {
      const isThere = layout.start[node]! <= x && x < layout.start[node]! + layout.width[node]!;
      if (isThere && node !== chart.zoomed && this.hits?.isHit[layout.tree.name[node]!]) return this.page.zoom(chart, node);
    }
  }
}
