// The views of the stacks, and which order and direction each has.

import type { Order } from "./layout";

export interface ViewKind {
  key: string;
  title: string;
  tab: string; // those of one tab are shapes of the same
  order: Order;
  isRootOnTop: boolean;
  isReversed: boolean;
  section: "main" | "sandwich" | "table" | "suspects" | "sides" | "time" | "source"; // of the page
}

export const VIEWS: Record<string, ViewKind> = {
  icicle: { key: "2", title: "root on top", tab: "Graph", order: "name", isRootOnTop: true, isReversed: false, section: "main" },
  flame: { key: "1", title: "root at the bottom", tab: "Graph", order: "name", isRootOnTop: false, isReversed: false, section: "main" },
  heavy: { key: "4", title: "the largest first", tab: "Graph", order: "size", isRootOnTop: true, isReversed: false, section: "main" },
  reverse: { key: "3", title: "Callers", tab: "Callers", order: "name", isRootOnTop: true, isReversed: true, section: "main" },
  sandwich: { key: "5", title: "Sandwich", tab: "Sandwich", order: "size", isRootOnTop: true, isReversed: false, section: "sandwich" },
  table: { key: "6", title: "Table", tab: "Table", order: "size", isRootOnTop: true, isReversed: false, section: "table" },
  suspects: { key: "7", title: "Suspects", tab: "Suspects", order: "size", isRootOnTop: true, isReversed: false, section: "suspects" },
  compare: { key: "8", title: "A | B | \u0394", tab: "A | B | \u0394", order: "name", isRootOnTop: true, isReversed: false, section: "sides" },
  time: { key: "9", title: "Time", tab: "Time", order: "name", isRootOnTop: true, isReversed: false, section: "time" },
  source: { key: "0", title: "Source", tab: "Source", order: "size", isRootOnTop: true, isReversed: false, section: "source" },
};
