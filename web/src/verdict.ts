// Verdicts on the places of a series.

import type { Head, Trend, ValueType } from "./profile";

// Those on values of this type.
export function trendOf(head: Head, type: ValueType): Trend | undefined {
  const { trend } = head;
  return trend && head.types[trend.type] === type ? trend : undefined;
}

// "leak", in the colour of leaks.
export function badge(verdict: string): HTMLElement {
  const badge = document.createElement("span");
  badge.textContent = verdict;
  badge.className = "verdict";
  badge.dataset.verdict = verdict;
  return badge;
}
