// When the suspects of a series grew: a bar for each below the line of time, with its verdict. A click shows that time.

import type { Place, Trend } from "./profile";
import { readable } from "./names";
import type { PointRange } from "./timeline";
import { badge } from "./verdict";

const BARS_AT_MOST = 3;
const WORST_FIRST = ["leak", "undecided", "filling cache", "burst", "full cache"];

const rank = ({ verdict }: Place) => WORST_FIRST.indexOf(verdict);

// How far along the points a time is, from 0 to 1: points are drawn at equal distances, whatever their times.
export function alongPoints(times: number[], seconds: number): number {
  const after = times.findIndex((time) => time >= seconds);
  if (after <= 0) return after < 0 ? 1 : 0;
  const part = (seconds - times[after - 1]!) / (times[after]! - times[after - 1]!);
  return (after - 1 + part) / (times.length - 1);
}

export class Spans {
  private readonly list = document.createElement("ol");

  // `edgePx`: what is left free on both sides of the points.
  constructor(host: HTMLElement, private readonly edgePx: number, private readonly pointCount: number, private readonly chosen: (range: PointRange) => void) {
    this.list.className = "spans";
    this.list.ariaLabel = "When suspects grew";
    host.append(this.list);
  }

  show(trend: Trend | undefined): void {
    const grew = (trend?.places ?? []).filter(({ grew_from }) => grew_from !== null);
    grew.sort((a, b) => rank(a) - rank(b));
    this.list.hidden = grew.length === 0;
    this.list.replaceChildren(...grew.slice(0, BARS_AT_MOST).map((place) => this.item(place, trend!.times)));
  }

  private item(place: Place, times: number[]): HTMLLIElement {
    const [from, to] = [place.grew_from!, place.grew_to!].map((seconds) => alongPoints(times, seconds)) as [number, number];
    const button = document.createElement("button");
    const bar = document.createElement("span");
    bar.className = "bar";
    bar.dataset.verdict = place.verdict;
    const at = (part: number) => `calc(${this.edgePx}px + (100% - ${2 * this.edgePx}px) * ${part})`;
    bar.style.left = at(from);
    bar.style.right = at(1 - to);
    const text = document.createElement("span");
    text.className = "text";
    text.append(badge(place.verdict), ` ${readable(place.name)} ${place.slope}`);
    if (from < 0.5) text.style.left = at(from);
    else text.style.right = at(1 - to);
    button.append(bar, text);
    button.title = `${readable(place.sentence)} Click: what changed while it grew.`;
    const last = this.pointCount - 1;
    button.addEventListener("click", () => this.chosen({ from: Math.round(from * last), to: Math.round(to * last) }));
    const item = document.createElement("li");
    item.append(button);
    return item;
  }
}
