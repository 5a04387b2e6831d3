// The charts that are shown as one picture, with the heading above them.

import { CanvasSurface } from "./canvas";
import type { Chart } from "./chart";
import { ROW_PX } from "./section";
import { SvgSurface } from "./svg";

const LINE_PX = 20;
const CANVAS_PX_AT_MOST = 16384; // what browsers draw on; deeper stacks are cut in a PNG

export interface Part {
  heading: string; // may be empty
  chart: Chart;
  describe: (node: number) => string;
}

export interface Picture {
  lines: string[]; // the first is the title
  legend: string[]; // sentences
  parts: Part[];
}

interface Sheet extends Partial<Pick<SvgSurface, "describe">>, Pick<CanvasSurface, "box" | "label" | "line" | "charPx"> {}

const charPxOf = () => new CanvasSurface(document.createElement("canvas").getContext("2d")!, 1).charPx;

// As many sentences on a line as have room.
function flowed(sentences: string[], room: number): string[] {
  const lines: string[] = [];
  for (const sentence of sentences) {
    const joined = `${lines.at(-1)}. ${sentence}`;
    if (lines.length > 0 && joined.length <= room) lines[lines.length - 1] = joined;
    else lines.push(sentence);
  }
  return lines;
}

// Paints, or, without a sheet, only measures. Returns the height.
function paint(picture: Picture, rowsAtMost: number, sheet?: Sheet): number {
  const { parts } = picture;
  const lines = [...picture.lines, ...flowed(picture.legend, Math.floor((widthOf(picture) - 12) / charPxOf()))];
  let y = 0;
  const line = (text: string, isTitle: boolean) => {
    sheet?.line(text, y + LINE_PX / 2, isTitle);
    y += LINE_PX;
  };
  for (const [i, text] of lines.entries()) line(text, i === 0);
  for (const { heading, chart, describe } of parts) {
    if (heading) line(heading, true);
    const rows = Math.min(chart.shownRows, rowsAtMost);
    if (sheet) {
      sheet.describe = describe;
      chart.paintAll(sheet, y, rows);
    }
    y += rows * ROW_PX;
  }
  return y;
}

const widthOf = ({ parts }: Picture) => parts[0]!.chart.host.clientWidth;

export function svgOf(picture: Picture): string {
  const sheet = new SvgSurface(widthOf(picture), paint(picture, Infinity), charPxOf());
  paint(picture, Infinity, sheet);
  return sheet.text();
}

export async function pngOf(picture: Picture): Promise<Blob> {
  const density = devicePixelRatio || 1;
  const rowsAtMost = Math.floor((CANVAS_PX_AT_MOST / density - 10 * LINE_PX) / picture.parts.length / ROW_PX);
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(widthOf(picture) * density);
  canvas.height = Math.round(paint(picture, rowsAtMost) * density);
  const context = canvas.getContext("2d")!;
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  const surface = new CanvasSurface(context, density);
  paint(picture, rowsAtMost, surface);
  surface.flush();
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the browser cannot make this picture"))), "image/png"));
}

// Gives the reader a file.
export function download(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
