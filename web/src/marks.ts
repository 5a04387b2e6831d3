// What the search found in what is shown: marked, counted, and gone to.

import { both, counted, percent } from "./format";
import { matched } from "./layout";
import type { Page } from "./page";
import type { Hits } from "./search";
import { Strip } from "./strip";

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
    find<HTMLButtonElement>("filter-hits").disabled = !this.hits;
    if (!this.hits || !chart.layout) {
      find("matched").textContent = this.problem;
      return;
    }
    const { value, frames } = matched(chart.layout, chart.zoomed, range, this.hits.isHit);
    find("matched").textContent = `${counted(frames, "frame")}, ${both(value, 0, page.measure.valueType, false)}, ` +
      `${percent(value, range.to - range.from)}`;
  }

  // Zooms to the next frame that matches, in the order of rows, from the root.
  step(by: number): void {
    const chart = this.page.shown;
    if (!this.hits || !chart.layout) return;
    const { rowNodes, tree } = chart.layout;
    for (let i = 1; i <= tree.count; i++) {
      const at = (this.at + by * i + 2 * tree.count) % tree.count;
      if (!this.hits.isHit[tree.name[rowNodes[at]!]!]) continue;
      this.at = at;
      this.page.zoom(chart, rowNodes[at]!);
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
