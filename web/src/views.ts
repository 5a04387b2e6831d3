// The views of the stacks, and which order and direction each has.

import type { Order } from "./layout";

export interface ViewKind {
  key: string;
  title: string;
  order: Order;
  isRootOnTop: boolean;
  isReversed: boolean;
  section: "main" | "sandwich" | "table" | "suspects"; // of the page
}

export const VIEWS: Record<string, ViewKind> = {
  flame: { key: "1", title: "Flame", order: "name", isRootOnTop: false, isReversed: false, section: "main" },
  icicle: { key: "2", title: "Icicle", order: "name", isRootOnTop: true, isReversed: false, section: "main" },
  reverse: { key: "3", title: "Reverse", order: "name", isRootOnTop: true, isReversed: true, section: "main" },
  heavy: { key: "4", title: "Left-heavy", order: "size", isRootOnTop: false, isReversed: false, section: "main" },
  sandwich: { key: "5", title: "Sandwich", order: "size", isRootOnTop: true, isReversed: false, section: "sandwich" },
  table: { key: "6", title: "Table", order: "size", isRootOnTop: true, isReversed: false, section: "table" },
  suspects: { key: "7", title: "Suspects", order: "size", isRootOnTop: true, isReversed: false, section: "suspects" },
};
