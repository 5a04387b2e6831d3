// What a link to this page holds after the '#': the view, the filters, the zoomed frame by its path, the search. Frames are found by
// name, so a link survives another width and new data. Links of flamegraph.pl's pictures (?s=) are understood.

import { decodeFilter, encodeFilter, type Filter } from "./filters";
import { themeOf, type Theme } from "./theme";

export interface State {
  view: string;
  type: string; // name of the value type
  path: string[]; // names from the root to the zoomed frame; [] is the root
  picked: string; // the function of the sandwich
  filters: Filter[];
  search: string;
  isPlain: boolean;
  isCaseSensitive: boolean;
  theme: Theme;
}

export function readState(defaults: State): State {
  const state = { ...defaults };
  const old = new URLSearchParams(location.search);
  const now = new URLSearchParams(location.hash.slice(1));
  state.search = now.get("s") ?? old.get("s") ?? "";
  state.view = now.get("v") ?? defaults.view;
  state.type = now.get("t") ?? defaults.type;
  state.path = now.getAll("f");
  state.picked = now.get("p") ?? "";
  state.filters = now.getAll("k").map(decodeFilter).filter((filter) => filter !== undefined);
  state.isPlain = now.has("plain");
  state.isCaseSensitive = now.has("case");
  state.theme = themeOf(now.get("theme"));
  return state;
}

export function writeState(state: State, defaults: State): void {
  const to = new URLSearchParams();
  if (state.view !== defaults.view) to.set("v", state.view);
  if (state.type !== defaults.type) to.set("t", state.type);
  if (state.search) to.set("s", state.search);
  if (state.picked) to.set("p", state.picked);
  if (state.theme !== defaults.theme) to.set("theme", state.theme);
  if (state.isPlain) to.set("plain", "");
  if (state.isCaseSensitive) to.set("case", "");
  for (const filter of state.filters) to.append("k", encodeFilter(filter));
  for (const name of state.path) to.append("f", name);
  const hash = to.toString();
  history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
}
