// What a link to this page holds after the '#': the view, the range of a series, the filters, the zoomed frame by its path, the search. Frames
// are found by hashes of names (links.ts), so a link survives another width and new data. Links of flamegraph.pl's pictures are understood:
// ?s= here, ?x=&y= by oldlink.ts. Zooms and views are steps of the browser's history; the rest replaces the step it is in.

import { decodeFilter, encodeFilter, type Filter } from "./filters";
import { encodePath } from "./links";
import { CLASSES, type ClassKind } from "./classes";
import type { Coloring } from "./look";
import { WIDTHS, type Width } from "./measure";
import type { Head } from "./profile";
import { themeOf, type Theme } from "./theme";
import type { PointRange } from "./timeline";
import { VIEWS } from "./views";

export interface State {
  view: string;
  type: string; // name of the value type
  path: string; // of the zoomed frame, encoded; "" is the root
  opened: string[]; // chains, by the path of their first frame
  isFolded: boolean; // chains are
  picked: string; // the function of the sandwich
  filters: Filter[];
  search: string;
  isPlain: boolean;
  isCaseSensitive: boolean;
  theme: Theme;
  range: PointRange; // of a series
  width: Width; // of a difference
  isNormalised: boolean;
  coloring: Coloring | "";
  isLong: boolean; // names as they are
  thread: string; // its uid; "" is all
  classes: { [kind in ClassKind]?: number }; // of mean sizes and lifetimes, where only one is shown
}

export function defaultsOf(head: Head): State {
  return {
    view: Object.hasOwn(VIEWS, head.view) ? head.view : "icicle", type: head.types[head.type]!.name, path: "", opened: [], isFolded: true, picked: "", filters: [],
    search: "", isPlain: false, isCaseSensitive: false, theme: "auto", range: { from: 0, to: Math.max(head.points.length - 1, 0) },
    width: head.dropsReleased ? "grew" : "both", isNormalised: false, coloring: "", isLong: false, thread: "", classes: {},
  };
}

// What means nothing here is as by default.
export function readState(defaults: State, head: Head): State {
  const state = { ...defaults };
  const old = new URLSearchParams(location.search);
  const now = new URLSearchParams(location.hash.slice(1));
  state.search = now.get("s") ?? old.get("s") ?? "";
  state.view = Object.keys(VIEWS).find((view) => view === now.get("v")) ?? defaults.view;
  state.type = head.types.find(({ name }) => name === now.get("t"))?.name ?? defaults.type;
  state.path = now.get("z") ?? encodePath(now.getAll("f")); // f: as links once were
  state.opened = (now.get("o") ?? "").split(".").filter((path) => path !== "").slice(0, OPENED_AT_MOST);
  state.isFolded = !now.has("flat");
  state.picked = now.get("p") ?? "";
  state.filters = now.getAll("k").map(decodeFilter).filter((filter) => filter !== undefined);
  state.isPlain = now.has("plain");
  state.isCaseSensitive = now.has("case");
  state.theme = themeOf(now.get("theme"));
  state.range = readRange(now.get("r"), defaults.range);
  state.width = Object.keys(WIDTHS).find((width) => width === now.get("w")) as Width ?? defaults.width;
  state.isNormalised = now.has("normalised");
  state.coloring = (now.get("c") ?? "") as Coloring; // one that means nothing has no effect
  state.isLong = now.has("long");
  state.thread = now.get("thread") ?? "";
  state.classes = {};
  for (const kind of Object.keys(CLASSES) as ClassKind[]) if (/^\d+$/.test(now.get(kind) ?? "")) state.classes[kind] = Number(now.get(kind));
  return state;
}

const LINK_AT_MOST = 65536; // letters
const OPENED_AT_MOST = 16;
const STEPS_AT_MOST = 50; // of the history within STEPS_MS: browsers refuse many more
const STEPS_MS = 10_000;
const steps: number[] = []; // when the last were made

// "2-5": from one point of the series to another.
function readRange(text: string | null, whole: PointRange): PointRange {
  const [, from, to] = (/^(\d+)-(\d+)$/.exec(text ?? "") ?? []).map(Number);
  return from !== undefined && to !== undefined && from <= to && to <= whole.to ? { from, to } : whole;
}

// `isStep`: Back returns to what was before.
export function writeState(state: State, defaults: State, isStep: boolean): void {
  const to = new URLSearchParams();
  if (state.view !== defaults.view) to.set("v", state.view);
  if (state.type !== defaults.type) to.set("t", state.type);
  if (state.search) to.set("s", state.search);
  if (state.picked) to.set("p", state.picked);
  if (state.theme !== defaults.theme) to.set("theme", state.theme);
  if (state.range.from !== defaults.range.from || state.range.to !== defaults.range.to) to.set("r", `${state.range.from}-${state.range.to}`);
  if (state.width !== defaults.width) to.set("w", state.width);
  if (state.isNormalised) to.set("normalised", "");
  if (state.coloring) to.set("c", state.coloring);
  if (state.isLong) to.set("long", "");
  if (state.thread) to.set("thread", state.thread);
  for (const [kind, of] of Object.entries(state.classes)) to.set(kind, String(of));
  if (state.isPlain) to.set("plain", "");
  if (state.isCaseSensitive) to.set("case", "");
  for (const filter of state.filters) to.append("k", encodeFilter(filter));
  if (state.path) to.set("z", state.path);
  if (state.opened.length > 0) to.set("o", state.opened.slice(-OPENED_AT_MOST).join("."));
  if (!state.isFolded) to.set("flat", "");
  const hash = to.toString();
  if (hash.length > LINK_AT_MOST) return; // of names that are longer than links
  const link = hash ? `#${hash}` : location.pathname + location.search;
  if ((hash ? `#${hash}` : "") === location.hash) return;
  const now = Date.now();
  while (steps.length > 0 && now - steps[0]! > STEPS_MS) steps.shift();
  if (steps.length >= 2 * STEPS_AT_MOST) return;
  steps.push(now);
  if (isStep && steps.length <= STEPS_AT_MOST) history.pushState(null, "", link);
  else history.replaceState(null, "", link);
}
