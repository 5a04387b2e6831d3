// Boxes on a canvas. A row of boxes is first a line of pixels, and all lines are then stretched to rows at once: thousands of
// narrow boxes cost as little as some wide ones.

import type { Surface } from "./painter";
import { BOX_PX } from "./section";

export const FONT_FAMILY = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";

const LINES = 64; // rows that are kept until they are stretched

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
  }

  clear(): void {
    const { canvas } = this.context;
    this.context.clearRect(0, 0, canvas.width, canvas.height);
    this.boxes = 0;
  }

  box(_node: number | undefined, x: number, y: number, width: number, color: number, opacity: number): void {
    const { density, image, tops } = this;
    if (tops[tops.length - 1] !== y) {
      if (tops.length === LINES) this.flush();
      tops.push(y);
    }
    const line = (tops.length - 1) * image.width;
    const left = Math.min(width > 1 ? Math.round(x * density) : Math.floor(x * density), image.width - 1);
    const right = Math.min(Math.max(Math.round((x + width) * density), left + 1), image.width);
    const pixel = (Math.round(255 * opacity) << 24) | ((color & 255) << 16) | (color & 0xff00) | (color >> 16);
    this.pixels.fill(pixel, line + left, line + right);
    this.boxes++;
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
