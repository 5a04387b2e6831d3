// Where the graph is zoomed into: the boxes from the root to there, each a button.

import type { Chart } from "./chart";
import type { ProfileLook } from "./look";
import { readable } from "./names";

const SHOWN = 5;
const LETTERS = 28;

export class Crumbs {
  constructor(private readonly host: HTMLElement, private readonly look: ProfileLook, private readonly zoom: (chart: Chart, node: number) => void) {}

  show(chart: Chart): void {
    const { layout, zoomed } = chart;
    if (!layout) return;
    const { chains: { head }, tree } = layout;
    const boxes = [];
    for (let at = head[zoomed]!; at > 0; at = head[tree.parent[at]!]!) boxes.push(at);
    boxes.push(0);
    boxes.reverse();
    const kept = boxes.length <= SHOWN ? boxes : [boxes[0]!, ...boxes.slice(-(SHOWN - 1))];
    this.host.replaceChildren(...kept.map((box, i) => this.crumb(chart, box, i + 1 === kept.length, boxes.length > SHOWN && i === 1)));
  }

  private crumb(chart: Chart, box: number, isLast: boolean, isGap: boolean): HTMLLIElement {
    const item = document.createElement("li");
    const button = document.createElement("button");
    const { layout } = chart;
    const chain = layout.chains.byHead.get(box);
    button.textContent = `${isGap ? "\u2026 " : ""}${this.look.label(layout, box, LETTERS)}`;
    button.title = chain ? `${chain.frames} frames` : readable(this.look.nameOf(layout.tree.name[box]!));
    if (isLast) button.ariaCurrent = "location";
    button.addEventListener("click", () => this.zoom(chart, box));
    item.append(button);
    return item;
  }
}
