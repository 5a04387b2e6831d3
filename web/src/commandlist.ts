// What the command palette offers.

import { titleOfType } from "./controls";
import type { Command } from "./commands";
import { chooseFile } from "./dropping";
import { COLORINGS, coloringsOf } from "./look";
import { WIDTHS } from "./measure";
import type { Page } from "./page";
import { VIEWS } from "./views";

const press = (id: string) => () => document.getElementById(id)!.click();

export function commandsOf(page: Page): Command[] {
  const { filtering, measure, profile: { head }, state } = page;
  const measured = (title: string, run: () => void): Command => ({ title, run: () => (run(), page.measured()) });
  return [
    ...Object.entries(VIEWS).map(([id, { key, tab, title }]): Command => ({ title: tab === title ? `View: ${tab}` : `View: ${tab}, ${title}`, key, run: () => page.setView(id) })),
    ...head.types.map((type) => measured(`Value: ${titleOfType(type)}`, () => { state.type = type.name; })),
    ...coloringsOf(measure).map((coloring): Command => ({ title: `Colour: ${COLORINGS[coloring].title}`, run: () => (state.coloring = coloring, page.painted()) })),
    ...(measure.isDifference ? measure.widths.map((width) => measured(`Width: ${WIDTHS[width]}`, () => { state.width = width; })) : []),
    measured(state.isFolded ? "Chains: draw every frame" : "Chains: fold those without a choice", () => { state.isFolded = !state.isFolded; }),
    { title: state.isLong ? "Names: short" : "Names: full", run: () => (state.isLong = !state.isLong, page.painted()) },
    { title: "Reset the zoom", key: "Esc", run: press("reset") },
    { title: "Filters: undo", key: "u", run: () => filtering.undo() },
    { title: "Filters: redo", key: "U", run: () => filtering.redo() },
    { title: "Filters: collapse all recursion", key: "r", run: () => filtering.add({ kind: "recursion" }) },
    ...(measure.hasModules ? [{ title: "Filters: one frame for each module", run: () => filtering.add({ kind: "modules" }) }] : []),
    { title: "Compare with a file (it becomes A)", run: () => chooseFile((file) => void page.compareWith(file)) },
    { title: "Settings", key: ",", run: () => document.getElementById("settings")!.showPopover() },
    { title: "Search: next hit", key: "n", run: () => page.step(1) },
    { title: "Search: previous hit", key: "N", run: () => page.step(-1) },
    ...page.actions.exportItems().map(({ title, run }): Command => ({ title: `Export: ${title}`, run })),
    { title: "How to read this", key: "?", run: () => page.tour.open() },
  ];
}
