// Boxes on a canvas. A row of boxes is first a line of pixels, and all lines are then stretched to rows at once: thousands of
// narrow boxes cost as little as some wide ones.

import type { Surface } from "./painter";
import { BOX_PX } from "./section";

export const FONT_FAMILY = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";

const LINES = 64; // rows that are kept until they are stretched
const FEW = 8; // pixels that are sooner written one by one

interface Label {
  text: string;
  x: number;
  y: number; // middle
  room: number;
  ink: string;
}

export class CanvasSurface implements Surface {
  readonly charPx: number;
  boxes = 0; // painted
  private readonly strip = document.createElement("canvas"); // the lines
  private readonly image: ImageData;
  private readonly pixels: Uint32Array; // of `image`, 0xAABBGGRR
  private readonly tops: number[] = []; // of the rows that the lines are
  private top: number | undefined; // of the row that is painted
  private lineAt = 0; // where its pixels begin
  private readonly widthPx: number; // of the image
  private labels: Label[] = [];

  // One unit becomes `density` of the canvas's pixels.
  constructor(readonly context: CanvasRenderingContext2D, readonly density: number) {
    context.setTransform(density, 0, 0, density, 0, 0);
    context.font = `12px ${FONT_FAMILY}`;
    context.textBaseline = "middle";
    context.imageSmoothingEnabled = false;
    this.charPx = context.measureText("M").width;
    this.strip.width = Math.max(context.canvas.width, 1);
    this.strip.height = LINES;
    this.image = new ImageData(this.strip.width, LINES);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.widthPx = this.image.width;
  }

  clear(): void {
    const { canvas } = this.context;
    this.context.clearRect(0, 0, canvas.width, canvas.height);
    this.boxes = 0;
  }

  box(_node: number | undefined, x: number, y: number, width: number, color: number, opacity: number): void {
    const { density, pixels } = this;
    if (y !== this.top) this.begin(y);
    const from = this.lineAt + Math.min(width > 1 ? Math.round(x * density) : Math.floor(x * density), this.widthPx - 1);
    const to = Math.min(Math.max(this.lineAt + Math.round((x + width) * density), from + 1), this.lineAt + this.widthPx);
    const pixel = (Math.round(255 * opacity) << 24) | ((color & 255) << 16) | (color & 0xff00) | (color >> 16);
    if (to - from > FEW) pixels.fill(pixel, from, to);
    else for (let at = from; at < to; at++) pixels[at] = pixel;
    this.boxes++;
  }

  // The next boxes are those of another row.
  private begin(y: number): void {
    const { tops } = this;
    if (tops.length === LINES) this.flush();
    this.lineAt = tops.length * this.widthPx;
    this.top = y;
    tops.push(y);
  }

  label(text: string, x: number, y: number, room: number, ink: string): void {
    this.labels.push({ text, x, y: y + (BOX_PX + 1) / 2, room, ink });
  }

  // Shows what was painted since the last time.
  flush(): void {
    const { context, density, image, labels, strip, tops } = this;
    strip.getContext("2d", { willReadFrequently: true })!.putImageData(image, 0, 0);
    context.setTransform(1, 0, 0, 1, 0, 0);
    for (const [line, y] of tops.entries()) {
      const top = Math.round(y * density);
      context.drawImage(strip, 0, line, image.width, 1, 0, top, image.width, Math.round((y + BOX_PX) * density) - top);
    }
    context.setTransform(density, 0, 0, density, 0, 0);
    for (const { text, x, y, room, ink } of labels) {
      context.fillStyle = ink;
      context.fillText(text, x, y, room);
    }
    this.pixels.fill(0, 0, tops.length * image.width);
    tops.length = 0;
    this.top = undefined;
    this.labels = [];
  }

  line(text: string, y: number, isTitle: boolean): void {
    const { context } = this;
    context.font = `${isTitle ? "bold " : ""}12px ${FONT_FAMILY}`;
    context.fillStyle = "#000";
    context.fillText(text, 6, y);
    context.font = `12px ${FONT_FAMILY}`;
  }
}
