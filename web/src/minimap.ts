// The whole graph as small as a word, with what is seen of it. A press or a drag moves that.

import type { Chart } from "./chart";
import type { Layout } from "./layout";
import { Painter, type Look, type Surface } from "./painter";
import { Section } from "./section";

const PATIENCE_MS = 500;

function whenIdle(run: () => void): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(run, { timeout: PATIENCE_MS });
  else setTimeout(run, PATIENCE_MS); // Safari
}

export class Minimap {
  private readonly whole = document.createElement("canvas"); // the graph alone
  private drawn: { layout: Layout; key: string } | undefined;
  private chart: Chart | undefined;
  private key = "";
  private isOpened = false;
  private isWaiting = false;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly look: Look) {
    const move = (event: PointerEvent) => {
      if (event.buttons === 0 || !this.chart?.layout) return;
      const { from, to } = this.chart.seenRange();
      const { left, width } = canvas.getBoundingClientRect();
      const center = ((event.clientX - left) / width) * this.chart.layout.width[0]!;
      this.chart.span(center - (to - from) / 2, center + (to - from) / 2);
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      move(event);
    });
    canvas.addEventListener("pointermove", move);
  }

  // `key`: what colours mean now. As a page opens, all else comes first; later, with the graph: who asks sooner how large it is
  // has all laid out that is written still.
  show(chart: Chart, key: string): void {
    this.chart = chart;
    this.key = key;
    if (this.isWaiting) return;
    this.isWaiting = true;
    const when = this.isOpened ? requestAnimationFrame : whenIdle;
    this.isOpened = true;
    when(() => {
      this.isWaiting = false;
      this.draw(this.chart!, this.key);
    });
  }

  private draw(chart: Chart, key: string): void {
    const { canvas, whole } = this;
    const { layout } = chart;
    if (!layout || canvas.clientWidth === 0) return;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (this.drawn?.layout !== layout || this.drawn.key !== key || canvas.width !== width) {
      Object.assign(whole, { width, height });
      this.paint(layout, width, height);
      this.drawn = { layout, key };
    }
    Object.assign(canvas, { width, height });
    const context = canvas.getContext("2d")!;
    context.drawImage(whole, 0, 0);
    const { from, to } = chart.seenRange();
    const scale = width / (layout.width[0]! || 1);
    if (to - from >= layout.width[0]!) return;
    context.fillStyle = "rgb(128 128 128 / 0.55)";
    context.fillRect(0, 0, from * scale, height);
    context.fillRect(to * scale, 0, width, height);
    context.strokeStyle = getComputedStyle(canvas).color;
    context.strokeRect(from * scale, 0.5, Math.max((to - from) * scale, 2), height - 1);
  }

  private paint(layout: Layout, width: number, height: number): void {
    const section = new Section(layout, 0, width);
    const seen = section.shownRows(); // without those of other values
    const rows = Math.min(seen, height);
    const high = Math.max(height / rows, 1);
    const image = new ImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer); // 0xAABBGGRR
    const surface: Surface = {
      charPx: width,
      box: (_node, x, y, wide, color) => {
        const left = Math.min(Math.round(x), width - 1);
        const right = Math.max(Math.round(x + wide), left + 1);
        const end = y + Math.max(high - 0.5, 0.75);
        for (let line = Math.floor(y); line < Math.min(end, height); line++) {
          const covered = Math.min(end, line + 1) - Math.max(y, line); // how much of the line of pixels
          const pixel = (Math.round(255 * covered) << 24) | ((color & 255) << 16) | (color & 0xff00) | (color >> 16);
          pixels.fill(pixel, line * width + left, line * width + Math.min(right, width));
        }
      },
      label: () => undefined,
    };
    const painter = new Painter(section, { ...this.look, colorsOf: (of) => this.look.colorsOf(of), ink: () => "", label: () => "", figures: () => "" }, undefined, surface);
    for (let row = 0; row < rows; row++) painter.row(Math.floor((row * seen) / rows), row * high);
    this.whole.getContext("2d")!.putImageData(image, 0, 0);
  }
}
