// Colours that are drawn for each theme: of groups, one lightness and many hues; of changes, a scale with labels; of amounts.

import { colorOf, colorOfOklch } from "./color";

export interface Shades {
  lightness: number;
  chroma: number;
}

const GROUPS: Record<"light" | "dark", Shades> = { light: { lightness: 0.82, chroma: 0.075 }, dark: { lightness: 0.42, chroma: 0.07 } };
const HUES = [250, 70, 150, 25, 290, 195, 110, 0, 225, 48, 172, 310];

export type Theming = "light" | "dark";

// The largest groups have the hues that lie farthest apart.
export function groupColors(theme: Theming): number[] {
  const { lightness, chroma } = GROUPS[theme];
  return [0, 9, 18].flatMap((turn) => HUES.map((hue) => colorOfOklch(lightness, chroma, hue + turn)));
}

export const plainColor = (theme: Theming) => (theme === "light" ? colorOfOklch(0.9, 0.004, 90) : colorOfOklch(0.33, 0.004, 90));

// How a place changed from A to B. Each step has what it says, from which factor on, and a hue with a strength from 0 to 1.
const WARM = 50;
const COLD = 245;
const SAFE = { up: WARM, down: COLD };
const RED_BLUE = { up: 25, down: 262 };

export interface Step {
  title: string;
  color: number;
}

const STEPS: { title: string; strength: number }[] = [
  { title: "gone", strength: -1 }, { title: "\u221250 %", strength: -0.66 }, { title: "\u221210 %", strength: -0.33 }, { title: "same", strength: 0 },
  { title: "+10 %", strength: 0.33 }, { title: "\u00d72", strength: 0.66 }, { title: "new", strength: 1 },
];

export function shadeOf(strength: number, theme: Theming, isRedBlue = false): number {
  const hue = (isRedBlue ? RED_BLUE : SAFE)[strength < 0 ? "down" : "up"];
  const size = Math.abs(strength);
  return theme === "light" ? colorOfOklch(0.93 - 0.25 * size, 0.004 + 0.15 * size, hue) : colorOfOklch(0.31 + 0.21 * size, 0.004 + 0.12 * size, hue);
}

// From which step on the scale a change is: an index of STEPS.
export function stepOf(before: number, after: number): number {
  if (before === after) return 3;
  if (after === 0) return 0;
  if (before === 0) return 6;
  const factor = after / before;
  if (factor >= 2) return 5;
  if (factor >= 1.1) return 4;
  if (factor <= 0.5) return 1;
  return factor <= 0.9 ? 2 : 3;
}

export const scaleOf = (theme: Theming, isRedBlue: boolean): Step[] =>
  STEPS.map(({ title, strength }) => ({ title, color: shadeOf(strength, theme, isRedBlue) }));

// An amount from 0 to 1.
export function heatColor(share: number, theme: Theming): number {
  const at = Math.min(Math.max(share, 0), 1);
  return theme === "light" ? colorOfOklch(0.97 - 0.5 * at, 0.01 + 0.14 * at, 95 - 60 * at) : colorOfOklch(0.24 + 0.5 * at, 0.01 + 0.13 * at, 30 + 50 * at);
}

export const rootColor = (theme: Theming) => (theme === "light" ? colorOf(222, 222, 219) : colorOf(62, 63, 66));
