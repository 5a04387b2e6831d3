// The points of a series along time, and the range of them that is looked at.

import { amount, both } from "./format";
import { showParts } from "./parts";
import type { Point, Trend, ValueType } from "./profile";
import { alongPoints, Spans } from "./spans";

export interface PointRange {
  from: number; // index of a point
  to: number; // not before it; the same: this point alone
}

const HEIGHT_PX = 44;
const ONSETS_AT_MOST = 5;
const EDGE_PX = 8; // half of a slider's thumb, so that points stand under it

// "2026-11-21 22:10:05"
export function timeText(time: number): string {
  return new Date(time * 1000).toISOString().slice(0, 19).replace("T", " ");
}

export class Timeline {
  private readonly canvas = document.createElement("canvas");
  private readonly sliders: [HTMLInputElement, HTMLInputElement];
  private readonly said = document.createElement("output");
  private readonly spans: Spans;
  private totals: number[] = [];
  private type!: ValueType;
  private onsets: { along: number; color: string }[] = [];

  constructor(private readonly host: HTMLElement, private readonly points: Point[], private range: PointRange,
    private readonly changed: (range: PointRange) => void) {
    this.host.hidden = points.length < 3; // of two, the subtitle says it all
    this.sliders = [this.slider("From", range.from), this.slider("To", range.to)];
    this.canvas.ariaHidden = "true";
    const plot = document.createElement("div");
    plot.className = "plot";
    plot.append(this.canvas, ...this.sliders);
    this.host.append(plot);
    this.spans = new Spans(host, EDGE_PX, points.length, (chosen) => this.choose(chosen));
    this.host.append(this.said);
    this.listenToDrags();
    if (points.length > 2) new ResizeObserver(() => this.draw()).observe(this.host);
  }

  // What all stacks hold at each point, and the verdicts on that.
  show(totals: number[], type: ValueType, trend: Trend | undefined): void {
    this.totals = totals;
    this.type = type;
    this.spans.show(trend);
    const colors = getComputedStyle(this.host);
    this.onsets = (trend?.places ?? []).filter(({ grew_from, verdict }) => grew_from !== null && verdict !== "steady").slice(0, ONSETS_AT_MOST)
      .map(({ grew_from, verdict }) => ({ along: alongPoints(trend!.times, grew_from!), color: colors.getPropertyValue(verdict === "leak" ? "--leak" : "--other") }));
    this.refresh();
  }

  set(range: PointRange): void {
    this.range = range;
    this.refresh();
  }

  private slider(title: string, at: number): HTMLInputElement {
    const slider = document.createElement("input");
    Object.assign(slider, { type: "range", min: "0", max: String(Math.max(this.points.length - 1, 0)), value: String(at), ariaLabel: title });
    slider.addEventListener("input", () => {
      const value = Number(slider.value);
      const { from, to } = this.range;
      this.choose(slider === this.sliders[0] ? { from: value, to: Math.max(to, value) } : { from: Math.min(from, value), to: value });
    });
    return slider;
  }

  private choose(range: PointRange): void {
    if (range.from === this.range.from && range.to === this.range.to) return;
    this.set(range);
    this.changed(range);
  }

  private listenToDrags(): void {
    let first: number | undefined;
    const at = (event: PointerEvent) => {
      const { left, width } = this.canvas.getBoundingClientRect();
      const share = (event.clientX - left - EDGE_PX) / (width - 2 * EDGE_PX);
      return Math.round(Math.min(Math.max(share, 0), 1) * (this.points.length - 1));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      first = at(event);
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const now = at(event);
      if (first !== undefined && now !== first) this.choose({ from: Math.min(first, now), to: Math.max(first, now) });
    });
    this.canvas.addEventListener("pointerup", (event) => {
      if (first === at(event)) this.choose({ from: first, to: first });
      first = undefined;
    });
  }

  private refresh(): void {
    if (this.totals.length === 0) return;
    const { range, totals, type } = this;
    for (const [slider, at] of [[this.sliders[0], range.from], [this.sliders[1], range.to]] as const) {
      slider.value = String(at);
      slider.ariaValueText = this.nameOf(at);
    }
    const net = totals[range.to]! - totals[range.from]!;
    const [from, to] = [range.from, range.to].map((at) => amount(totals[at]!, type));
    showParts(this.said, range.from === range.to ? [`${to} in use`, ` at ${this.nameOf(range.to)}`]
      : [`net ${both(Math.max(net, 0), Math.max(-net, 0), type, true)}`, ` \u00b7 from ${from} to ${to}`, ` \u00b7 ${this.nameOf(range.from)}`, ` to ${this.nameOf(range.to)}`]);
    this.draw();
  }

  nameOf(point: number): string {
    const { name, time } = this.points[point]!;
    return time > 0 ? `${name}, ${timeText(time)} UTC` : name;
  }

  private draw(): void {
    const { canvas, range, totals } = this;
    if (totals.length === 0 || canvas.clientWidth === 0) return;
    const density = devicePixelRatio || 1;
    const width = canvas.clientWidth;
    canvas.width = Math.round(width * density);
    canvas.height = Math.round(HEIGHT_PX * density);
    const context = canvas.getContext("2d")!;
    context.scale(density, density);
    const ink = getComputedStyle(this.host).color;
    const top = Math.max(...totals, 1);
    const x = (point: number) => EDGE_PX + (point * (width - 2 * EDGE_PX)) / Math.max(totals.length - 1, 1);
    const y = (value: number) => HEIGHT_PX - 3 - (value * (HEIGHT_PX - 10)) / top;
    const trace = (from: number, to: number) => {
      context.beginPath();
      for (let point = from; point <= to; point++) context.lineTo(x(point), y(totals[point]!));
    };
    trace(range.from, range.to);
    context.lineTo(x(range.to), HEIGHT_PX);
    context.lineTo(x(range.from), HEIGHT_PX);
    context.fillStyle = "rgb(230 119 28 / 0.35)";
    context.fill();
    trace(0, totals.length - 1);
    context.strokeStyle = ink;
    context.lineWidth = 1.5;
    context.stroke();
    for (const { along, color } of [...this.onsets].reverse()) { // where a suspect began to grow
      const at = EDGE_PX + along * (width - 2 * EDGE_PX);
      context.fillStyle = color;
      context.fillRect(at - 0.75, 4, 1.5, HEIGHT_PX - 4);
      context.beginPath();
      for (const [dx, dy] of [[0, 0], [9, 4], [0, 8]] as const) context.lineTo(at + dx, 4 + dy);
      context.fill();
    }
    for (let point = 0; point < totals.length; point++) {
      const isChosen = point === range.from || point === range.to;
      context.beginPath();
      context.arc(x(point), y(totals[point]!), isChosen ? 4 : 2, 0, 7);
      context.fillStyle = isChosen ? "#c2560a" : ink;
      context.fill();
    }
  }
}
