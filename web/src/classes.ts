// Classes of means: of how large an object is, and of how long it lives. Each spans a factor of 16; what belongs to none has none.

import { amount, BYTES, grouped } from "./format";
import type { ValueType } from "./profile";

const FACTOR = 16;
const AT_MOST = 15; // 16 ** 15 is beyond any

export const CLASSES = { size: "Sizes", lifetime: "Lifetimes" };

export type ClassKind = keyof typeof CLASSES;

// Of a sum and the count of what it is the sum of; -1: none.
export function classOf(sum: number, count: number): number {
  if (count <= 0) return -1;
  let of = 0;
  for (let bound = FACTOR; sum / count >= bound && of < AT_MOST; bound *= FACTOR) of++;
  return of;
}

// "16 B to 255 B"
export function classTitle(of: number, type: ValueType | undefined): string {
  const shown = (value: number) => (type && type.unit !== "bytes" ? `${grouped(value)} ${type.unit}` : amount(value, BYTES));
  return of === 0 ? `below ${shown(FACTOR)}` : `${shown(FACTOR ** of)} to ${shown(FACTOR ** (of + 1))}`;
}
