// Boxes on a canvas.

import type { PaintedBox, Surface } from "./painter";

export const FONT_FAMILY = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";

export class CanvasSurface implements Surface {
  readonly charPx: number;
  boxes = 0; // painted

  // One unit becomes `density` of the canvas's pixels.
  constructor(readonly context: CanvasRenderingContext2D, density: number) {
    context.setTransform(density, 0, 0, density, 0, 0);
    context.font = `12px ${FONT_FAMILY}`;
    context.textBaseline = "middle";
    this.charPx = context.measureText("M").width;
  }

  box({ x, y, width, height, fill, opacity, label, ink }: PaintedBox): void {
    const { context } = this;
    context.globalAlpha = opacity;
    context.fillStyle = fill;
    context.fillRect(x, y, width, height);
    context.globalAlpha = 1;
    this.boxes++;
    if (!label) return;
    context.fillStyle = ink;
    context.fillText(label, x + 3, y + (height + 1) / 2, width - 5);
  }

  line(text: string, y: number, isTitle: boolean): void {
    const { context } = this;
    context.font = `${isTitle ? "bold " : ""}12px ${FONT_FAMILY}`;
    context.fillStyle = "#000";
    context.fillText(text, 6, y);
    context.font = `12px ${FONT_FAMILY}`;
  }
}
