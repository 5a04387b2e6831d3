// The words of a frame, just as src/render/flame/flame_text.c writes them.

import type { Frames } from "./frames";

const UNITS = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

// As C rounds: what lies in the middle, to the even digit.
function fixed(value: number, digits: 1 | 2): string {
  const eighths = value * (digits === 1 ? 4 : 8);
  const isMiddle = Number.isInteger(eighths) && eighths % 2 === 1;
  return (isMiddle && eighths % 4 === 1 ? value - 0.001 : value).toFixed(digits);
}

const grouped = (value: bigint) => value.toString().replace(/\B(?=(\d{3})+$)/g, ",");

function bytes(value: bigint): string {
  if (value < 1024n) return `${value} B`;
  let shown = Number(value) / 1024;
  let unit = 0;
  while (shown >= 1023.95 && unit + 1 < UNITS.length) {
    shown /= 1024;
    unit++;
  }
  return `${fixed(shown, 1)} ${UNITS[unit]}`;
}

const distance = (a: bigint, b: bigint) => (a > b ? a - b : b - a);
const sign = (grew: bigint, released: bigint) => (grew === released ? "" : grew > released ? "+" : "\u2212");

export class Titles {
  constructor(private readonly frames: Frames) {}

  name(node: number): string {
    return this.frames.names[this.frames.name[node]!]!;
  }

  // Of a frame, or of all those that are folded into its box.
  title(node: number, chain: number[] = []): string {
    const { isDifference, hasChanges } = this.frames.head;
    const numbers = isDifference ? this.difference(node) : this.plain(node) + (hasChanges && node > 0 ? this.ownChange(node) : "");
    const name = this.name(chain.at(-1) ?? node);
    const lead = chain.length > 1 ? `${chain.length} frames folded, from ${this.name(node)} to ` : "";
    return `${lead}${name} (${numbers})${this.frames.head.owners?.[node] ?? ""}`;
  }

  // "+", "−" or "±" of a difference.
  mark(node: number): string {
    const { head, released, width } = this.frames;
    if (!head.isDifference) return "";
    return released[node] === 0n ? "+" : released[node] === width[node] ? "\u2212" : "\u00b1";
  }

  // Behind the name in a box: "10.4 MiB  29 %", or what changed.
  numbers(node: number): string {
    const { head, width } = this.frames;
    const released = this.frames.released[node]!;
    const grew = width[node]! - released;
    if (head.isDifference) return `${sign(grew, released)}${this.short(distance(grew, released))}`;
    const percent = (100 * Number(width[node]!)) / Number(head.total);
    return `${this.short(width[node]!)}  ${percent.toFixed(percent >= 9.95 ? 0 : 1)} %`;
  }

  private scaled(value: bigint): bigint {
    const { factor } = this.frames.head;
    if (factor === 1) return value;
    const product = Number(value) * factor;
    const floor = Math.floor(product);
    const isUp = product - floor > 0.5 || (product - floor === 0.5 && floor % 2 === 1);
    return BigInt(floor + (isUp ? 1 : 0));
  }

  private short(value: bigint): string {
    return this.frames.head.showsBytes ? bytes(this.scaled(value)) : grouped(this.scaled(value));
  }

  private percent(node: number): string {
    return node === 0 ? "100%" : `${this.percentOf(this.frames.width[node]!)}%`;
  }

  private percentOf(value: bigint, factor = 1): string {
    const whole = Number(this.frames.head.total);
    return fixed(whole > 0 ? (100 * Number(value)) / whole / factor : 0, 2);
  }

  private plain(node: number): string {
    const { head, width } = this.frames;
    const value = width[node]!;
    const isLarge = head.showsBytes && this.scaled(value) >= 1024n;
    return `${grouped(this.scaled(value))} ${head.noun}${isLarge ? `, ${this.short(value)}` : ""}, ${this.percent(node)}`;
  }

  private ownChange(node: number): string {
    const { head, less, more } = this.frames;
    const size = more[node]! + less[node]!; // one of them is 0
    const grew = more[node]! > 0n !== head.isNegated;
    return `; ${size === 0n ? "" : grew ? "+" : "-"}${this.percentOf(size, head.factor)}%`;
  }

  private difference(node: number): string {
    const { head, width } = this.frames;
    const released = this.frames.released[node]!;
    const grew = width[node]! - released;
    const noun = head.showsBytes ? "" : ` ${head.noun}`;
    const parts = [];
    if (grew > 0n) parts.push(`+${this.short(grew)}${noun} grew`);
    if (released > 0n) parts.push(`\u2212${this.short(released)}${grew > 0n ? "" : noun} released`);
    if (grew > 0n && released > 0n) parts.push(`net ${sign(grew, released)}${this.short(distance(grew, released))}`);
    parts.push(this.percent(node));
    return parts.join(", ") + (head.showsBytes ? this.exactDifference(grew, released) : "");
  }

  private exactDifference(grew: bigint, released: bigint): string {
    const exact = (value: bigint) => grouped(this.scaled(value));
    const parts = [];
    if (grew > 0n) parts.push(`+${exact(grew)}`);
    if (released > 0n) parts.push(`\u2212${exact(released)}`);
    if (grew > 0n && released > 0n) parts.push(`= ${sign(grew, released)}${exact(distance(grew, released))}`);
    return `; ${parts.join(" ")} ${this.frames.head.noun}`;
  }
}
