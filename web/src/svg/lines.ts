// Frames too narrow for a box of their own: lines, as src/render/flame/flame_small.c draws them.

const GAP = 5; // tenths of a pixel; narrower gaps are closed

interface Line {
  color: number[];
  from: number; // tenths of a pixel
  to: number;
  pen: number;
  path: string;
}

const shade = ([red, green, blue]: number[]) => ((red! >> 6) << 4) | ((green! >> 6) << 2) | (blue! >> 6);

export class Lines {
  private readonly rows = new Map<number, Map<number, Line>>(); // by depth, by shade

  // Frames of a row come from left to right.
  add(depth: number, left: number, width: number, color: number[]): void {
    if (width === 0) return;
    let row = this.rows.get(depth);
    if (!row) this.rows.set(depth, (row = new Map<number, Line>()));
    const line = row.get(shade(color));
    if (!line) {
      row.set(shade(color), { color, from: left, to: left + width, pen: 0, path: "" });
      return;
    }
    if (left - line.to >= GAP) {
      line.path += this.piece(line);
      line.pen = line.to;
      line.from = left;
    }
    line.to = left + width;
  }

  // Colour and path of each; `center` is a row's middle in tenths of a pixel.
  *paths(center: (depth: number) => number): Generator<[number[], string]> {
    for (const [depth, row] of this.rows)
      for (const line of row.values()) yield [line.color, `M0 ${center(depth)}${line.path}${this.piece(line)}`];
  }

  private piece({ from, pen, to }: Line): string {
    return `m${from - pen} 0h${to - from}`;
  }
}
