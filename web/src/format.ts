// Numbers as people read them.

import type { ValueType } from "./profile";

export const BYTES: Pick<ValueType, "name" | "unit"> = { name: "bytes", unit: "bytes" };

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

// "12,345"
export const grouped = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

// "1 frame", "12,345 frames"
export const counted = (count: number, noun: string) => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;

export function amount(value: number, type: Pick<ValueType, "unit">): string {
  if (type.unit !== "bytes") return grouped(value);
  if (value < 1024) return `${value} B`;
  let unit = 0;
  let shown = value;
  while (shown >= 1024 && unit + 1 < UNITS.length) {
    shown /= 1024;
    unit++;
  }
  return `${shown.toFixed(1)} ${UNITS[unit]}`;
}

export function exact(value: number, type: ValueType): string {
  return `${grouped(value)} ${type.unit === "count" ? type.name.replace("_", " ") : type.unit}`;
}

export function percent(part: number, whole: number): string {
  return whole > 0 ? `${((100 * part) / whole).toFixed(2)} %` : "0.00 %";
}

// "+3.0 MiB −1.0 MiB" of a difference, or the plain amount.
export function both(grew: number, released: number, type: ValueType, isDifference: boolean): string {
  if (!isDifference) return amount(grew, type);
  const parts = [];
  if (grew > 0 || released === 0) parts.push(`+${amount(grew, type)}`);
  if (released > 0) parts.push(`−${amount(released, type)}`);
  return parts.join(" ");
}

// As `percent`, for boxes and lines: "29 %", "2.4 %", "0.03 %".
export function share(part: number, whole: number): string {
  const of = whole > 0 ? (100 * part) / whole : 0;
  return `${of.toFixed(of >= 9.95 ? 0 : of >= 0.95 || of === 0 ? 1 : 2).replace(/^100\.0$/, "100")} %`;
}
