// A | B | Δ: three graphs of the same tree, side by side. What one of them zooms into, the others do, too.

import { Chart, type ChartEvents } from "./chart";
import type { Folding } from "./chains";
import { layOut } from "./layout";
import type { Look } from "./painter";
import type { Tree } from "./tree";

const PARTS = ["A", "B", "\u0394"] as const;

export class Sides {
  readonly charts: Chart[];

  constructor(host: HTMLElement, look: Look, events: ChartEvents) {
    this.charts = PARTS.map((part) => {
      const column = document.createElement("div");
      const chart = document.createElement("div");
      Object.assign(chart, { tabIndex: 0, ariaLabel: `Graph of ${part}` });
      chart.setAttribute("role", "application");
      chart.setAttribute("aria-describedby", "details");
      column.append(Object.assign(document.createElement("h2"), { textContent: part }), chart);
      host.append(column);
      return new Chart(chart, look, events);
    });
  }

  // `titles`: what each of them is of.
  show(tree: Tree, before: number, after: number, titles: string[], folding: Folding): void {
    const none = new Float64Array(tree.count);
    const side = (column: number): Tree => ({ ...tree, grew: tree.more[column]!, released: none, isSide: true });
    [side(before), side(after), tree].forEach((of, i) => {
      const chart = this.charts[i]!;
      chart.host.previousElementSibling!.textContent = `${PARTS[i]}  ${titles[i]}`;
      chart.show(layOut(of, "name", folding), true);
    });
  }

  // The same node everywhere; where it holds nothing, the nearest frame around it that does.
  zoom(node: number): void {
    for (const chart of this.charts) {
      const { chains: { head }, tree, width } = chart.layout;
      let at = head[node]!;
      while (at > 0 && width[at] === 0) at = head[tree.parent[at]!]!;
      chart.zoom(at);
    }
  }
}
