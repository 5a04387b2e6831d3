// The settings: what is measured, and how boxes look. The value has its place in the bar.

import { VIEWS } from "./views";
import { COLORINGS, coloringsOf, type Coloring, type ProfileLook } from "./look";
import { WIDTHS, type Measure, type Width } from "./measure";
import { classTitle, type ClassKind } from "./classes";
import type { Head, ValueType } from "./profile";
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
  private readonly thread = find<HTMLSelectElement>("thread");
  private readonly classes: [ClassKind, HTMLSelectElement][] = [["size", find("size")], ["lifetime", find("lifetime")]];
  private readonly long = find<HTMLInputElement>("long");
  private readonly folded = find<HTMLInputElement>("folded");
  private readonly shape = find<HTMLSelectElement>("shape");

  // `measured`: other values are to be shown; `painted`: the same in other colours or words.
  constructor(private readonly state: State, private readonly measure: Measure, private readonly look: ProfileLook, private readonly head: Head,
    measured: () => void, painted: () => void, private readonly setView: (view: string) => void) {
    for (const [view, { tab, title }] of Object.entries(VIEWS)) if (tab === "Graph") this.shape.add(new Option(title, view));
    this.shape.addEventListener("change", () => this.setView(this.shape.value));
    this.folded.addEventListener("change", () => (state.isFolded = this.folded.checked, measured()));
    for (const type of head.types) this.metric.add(new Option(titleOfType(type), type.name));
    this.thread.add(new Option("all", ""));
    for (const { uid, name } of head.threads) this.thread.add(new Option(name && name !== uid ? `${uid}: ${name}` : uid, uid));
    const others = Object.assign(new Option(`${head.threadsLeftOut} that hold less are left out`), { disabled: true });
    if (head.threadsLeftOut > 0) this.thread.add(others);
    this.thread.addEventListener("change", () => (state.thread = this.thread.value, measured()));
    for (const [kind, select] of this.classes) select.addEventListener("change", () => {
      if (select.value) state.classes[kind] = Number(select.value);
      else delete state.classes[kind];
      measured();
    });
    this.metric.addEventListener("change", () => (state.type = this.metric.value, measured()));
    this.width.addEventListener("change", () => (state.width = this.width.value as Width, measured()));
    this.normalised.addEventListener("change", () => (state.isNormalised = this.normalised.checked, measured()));
    this.coloring.addEventListener("change", () => (state.coloring = this.coloring.value as Coloring, painted()));
    this.long.addEventListener("change", () => (state.isLong = this.long.checked, painted()));
  }

  private listClasses(kind: ClassKind, select: HTMLSelectElement): void {
    const ratio = this.measure.ratioOf(kind);
    const found = this.measure.classesOf(ratio);
    select.replaceChildren(new Option("all", ""), ...found.map((of) => new Option(classTitle(of, this.head.types[ratio[0]!]), String(of))));
    select.value = String(this.state.classes[kind] ?? "");
    select.closest("label")!.hidden = found.length < 2 && this.state.classes[kind] === undefined;
  }

  // Offers what has a meaning for what is measured.
  refresh(): void {
    const { isDifference, isSeries } = this.measure;
    this.coloring.replaceChildren(...coloringsOf(this.measure).map((coloring) => new Option(COLORINGS[coloring].title, coloring)));
    this.coloring.value = this.look.coloring;
    this.metric.value = this.state.type;
    this.width.replaceChildren(...this.measure.widths.map((width) => new Option(WIDTHS[width], width)));
    this.width.value = this.measure.width;
    this.thread.value = this.state.thread;
    this.normalised.checked = this.state.isNormalised;
    this.long.checked = this.state.isLong;
    this.folded.checked = this.state.isFolded;
    if (VIEWS[this.state.view]!.tab === "Graph") this.shape.value = this.state.view;
    for (const [kind, select] of this.classes) this.listClasses(kind, select);
    const offered: [HTMLElement, boolean][] = [[this.metric, this.metric.options.length > 1], [this.thread.closest("label")!, this.thread.options.length > 1],
      [this.width.closest("label")!, isDifference], [this.normalised.closest("label")!, isDifference && isSeries],
      [this.coloring.closest("label")!, this.coloring.options.length > 1]];
    for (const [control, isOffered] of offered) control.hidden = !isOffered;
  }
}
