// The controls above the chart that say what is measured, and how boxes look.

import { COLORINGS, coloringsOf, type Coloring, type ProfileLook } from "./look";
import { WIDTHS, type Measure, type Width } from "./measure";
import type { ValueType } from "./profile";
import type { State } from "./state";

const TITLES: Record<string, string> = {
  inuse_space: "bytes in use",
  inuse_objects: "objects in use",
  alloc_space: "bytes allocated",
  alloc_objects: "objects allocated",
};

export const titleOfType = ({ name }: ValueType) => TITLES[name] ?? name.replaceAll("_", " ");

const find = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

export class Controls {
  private readonly metric = find<HTMLSelectElement>("metric");
  private readonly coloring = find<HTMLSelectElement>("coloring");
  private readonly width = find<HTMLSelectElement>("width");
  private readonly normalised = find<HTMLInputElement>("normalised");
  private readonly long = find<HTMLInputElement>("long");

  // `measured`: other values are to be shown; `painted`: the same in other colours or words.
  constructor(private readonly state: State, private readonly measure: Measure, private readonly look: ProfileLook, types: ValueType[],
    measured: () => void, painted: () => void) {
    for (const type of types) this.metric.add(new Option(titleOfType(type), type.name));
    for (const [width, title] of Object.entries(WIDTHS)) this.width.add(new Option(title, width));
    this.metric.value = state.type;
    this.width.value = state.width;
    this.normalised.checked = state.isNormalised;
    this.long.checked = state.isLong;
    this.metric.addEventListener("change", () => (state.type = this.metric.value, measured()));
    this.width.addEventListener("change", () => (state.width = this.width.value as Width, measured()));
    this.normalised.addEventListener("change", () => (state.isNormalised = this.normalised.checked, measured()));
    this.coloring.addEventListener("change", () => (state.coloring = this.coloring.value as Coloring, painted()));
    this.long.addEventListener("change", () => (state.isLong = this.long.checked, painted()));
  }

  // Offers what has a meaning for what is measured.
  refresh(): void {
    const { isDifference, isSeries } = this.measure;
    this.coloring.replaceChildren(...coloringsOf(this.measure).map((coloring) => new Option(COLORINGS[coloring].title, coloring)));
    this.coloring.value = this.look.coloring;
    this.metric.value = this.state.type;
    for (const [control, isOffered] of [[this.width, isDifference], [this.normalised, isDifference && isSeries],
      [this.coloring, this.coloring.options.length > 1]] as const) control.closest("label")!.hidden = !isOffered;
  }
}
