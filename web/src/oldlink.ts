// Links of flamegraph.pl's pictures: ?x=&y= say where the zoomed frame lies in a picture 1200 px wide, the root at the bottom,
// rows of 16 px, 10 px free on both sides, 34 px below; frames narrower than 0.1 px are left out.

import { lastAtOrBefore, rowCount, type Layout } from "./layout";

const SIDE_PX = 10;
const BOTTOM_PX = 34;
const TOP_PX = 36;
const ROW_PX = 16;
const WIDTH_PX = 1180;
const MIN_WIDTH_PX = 0.1;

// The frame that a link means; 0, the root, if it means none. `layout` is in the order of names, as the pictures are.
export function nodeOfOldLink(search: string, layout: Layout): number {
  const [x, y] = ["x", "y"].map((name) => parseFloat(new URLSearchParams(search).get(name) ?? "")) as [number, number];
  if (Number.isNaN(x) || Number.isNaN(y)) return 0;
  const scale = WIDTH_PX / layout.width[0]!;
  let rows = rowCount(layout);
  const isDrawn = (row: number) => layout.rowNodes.subarray(layout.rowStart[row], layout.rowStart[row + 1])
    .some((node) => layout.width[node]! * scale >= MIN_WIDTH_PX);
  while (rows > 1 && !isDrawn(rows - 1)) rows--;
  const height = rows * ROW_PX + TOP_PX + BOTTOM_PX;
  const row = Math.round((height - BOTTOM_PX - y + 1) / ROW_PX) - 1;
  if (row < 1 || row >= rows) return 0;
  const start = (x - SIDE_PX + MIN_WIDTH_PX) / scale; // places are rounded to a tenth
  const node = layout.rowNodes[lastAtOrBefore(layout, row, start)]!;
  return Math.abs(layout.start[node]! * scale + SIDE_PX - x) <= 2 * MIN_WIDTH_PX ? node : 0;
}
