// What menus offer: to do with a frame, with the hits of the search, and with all that is shown.

import type { Chart } from "./chart";
import { copyText } from "./clipboard";
import { applyFilter, titleOf, type FilterKind } from "./filters";
import { headingOf } from "./facts";
import { foldedText, stacksBelow, stackText } from "./folded";
import type { MenuItem } from "./menu";
import type { Page } from "./page";
import { download, pngOf, svgOf, type Picture } from "./picture";
import { pprofFile } from "./pprof";
import { moduleOf, moduleTitle, nameId, sourceOf } from "./profile";
import { speedscopeText } from "./speedscope";
import { ROOT_NAME, type Tree } from "./tree";

export class Actions {
  constructor(private readonly page: Page) {}

  // What can be done to frames of a name, in every view.
  nameItems(name: number): MenuItem[] {
    const text = this.page.profile.names[name]!;
    const filter = (title: string, kind: FilterKind, key?: string): MenuItem =>
      ({ title, key, group: "filter", run: () => this.page.filtering.add({ kind, name: text }) });
    const source = sourceOf(this.page.profile, name);
    return [
      { title: "Callers and callees", key: "s", run: () => this.page.pick(name) },
      ...(source && this.page.source.isThere ? [{ title: "Its source, beside the graph", key: "v", run: () => this.page.showSource(name) }] : []),
      filter("Keep only stacks with it", "in", "i"),
      filter("Drop stacks with it", "out", "o"),
      filter("Hide it", "hide", "h"),
      filter("Collapse its recursion", "recursion"),
      ...this.moduleItems(name),
      { title: "Copy its name", key: "c", group: "copy", run: () => this.copy("the name", text) },
      ...(source ? [{ title: "Copy its source line", key: "l", group: "copy", run: () => this.copy("the source line", source) }] : []),
    ];
  }

  private moduleItems(name: number): MenuItem[] {
    const { filtering, measure, profile } = this.page;
    const module = moduleOf(profile, name);
    const filter = (title: string, kind: FilterKind): MenuItem => ({ title, group: "filter", run: () => filtering.add({ kind, module }) });
    return [
      ...(module === "" ? [] : [
        filter(`Keep only stacks through ${moduleTitle(module)}`, "in"),
        filter(`Drop stacks through ${moduleTitle(module)}`, "out"),
        filter(`Hide all of ${moduleTitle(module)}`, "hide"),
      ]),
      ...(measure.hasModules ? [{ title: "One frame for each module", group: "filter", run: () => filtering.add({ kind: "modules" }) }] : []),
    ];
  }

  private chainItems(chart: Chart, node: number): MenuItem[] {
    const isFolded = chart.layout.chains.byHead.has(node);
    if (!isFolded && this.page.folds.chainAt(chart, node) === undefined) return [];
    return [{ title: isFolded ? "Open the chain" : "Fold its chain again", key: "x", run: () => this.page.toggleChain(chart, node) }];
  }

  frameItems(chart: Chart, node: number): MenuItem[] {
    const { tree } = chart.layout;
    const { names } = this.page.profile;
    const name = tree.name[node]!;
    return [
      { title: "Zoom", key: "Enter", run: () => this.page.zoom(chart, node) },
      ...this.chainItems(chart, node),
      ...(name === ROOT_NAME ? [] : this.nameItems(name)),
      { title: "Collapse all recursion", key: "r", group: "filter", run: () => this.page.filtering.add({ kind: "recursion" }) },
      { title: "Copy the stack", group: "copy", run: () => this.copy("the stack", stackText(tree, names, node)) },
      { title: "Copy as folded stacks", group: "copy", run: () => this.copy("folded stacks", foldedText(tree, names, node)) },
    ];
  }

  groupItems(group: string): MenuItem[] {
    const filter = (title: string, kind: FilterKind): MenuItem => ({ title, run: () => this.page.filtering.add({ kind, group }) });
    return [filter(`Keep only stacks through ${group}`, "in"), filter(`Drop stacks through ${group}`, "out"), filter(`Hide all of ${group}`, "hide")];
  }

  // The functions that were found, those that hold most first; then what can be done to all of them.
  hitItems(): MenuItem[] {
    const { query } = this.page.searchBox;
    const found = this.page.marks.functions().map(({ name, text }): MenuItem =>
      ({ title: this.page.look.nameOf(name), key: text, run: () => this.page.goToName(name) }));
    const filter = (title: string, kind: FilterKind): MenuItem => ({ title, group: "filter", run: () => this.page.filtering.add({ kind, query }) });
    return [
      ...found,
      filter("Keep only stacks with a hit", "in"),
      filter("Drop stacks with a hit", "out"),
      filter("Hide the hits", "hide"),
      filter("Collapse the recursion of hits", "recursion"),
    ];
  }

  // What is shown as files. Tables are none; of the sandwich, folded stacks are whole.
  exportItems(): MenuItem[] {
    const name = decodeURIComponent(location.pathname.split("/").at(-1)!).replace(/\.html?$/, "") || "heapflame";
    const save = (ending: string, make: () => BlobPart | Promise<Blob>, type: string) => async () => {
      try {
        const made = await make();
        download(`${name}.${ending}`, made instanceof Blob ? made : new Blob([made], { type }));
      } catch (error) {
        this.page.say((error as Error).message);
      }
    };
    const { measure, profile: { head, names } } = this.page;
    const pictures = [
      { title: "SVG picture", run: save("svg", () => svgOf(this.picture()), "image/svg+xml") },
      { title: "PNG picture", run: save("png", () => pngOf(this.picture()), "image/png") },
    ];
    const stacks = () => stacksBelow(...this.shownStacks());
    return [
      ...(["table", "suspects", "source"].includes(this.page.state.view) ? [] : pictures),
      { title: "Folded stacks", run: save("folded", () => foldedText(...this.shownStacks()), "text/plain") },
      { title: "speedscope", run: save("speedscope.json",
        () => speedscopeText(stacks(), names, measure.valueType, headingOf(head), measure.isDifference), "application/json") },
      { title: "pprof", run: save("pb.gz", () => pprofFile(stacks(), names, measure.valueType), "") },
    ];
  }

  // A tree, its names, and the node below which it is shown.
  private shownStacks(): [Tree, string[], number] {
    const { main, profile, stacks, state } = this.page;
    const { names } = profile;
    if (state.view !== "sandwich") return [main.layout.tree, names, main.zoomed];
    const isPicked = new Uint8Array(names.length);
    isPicked[nameId(profile, state.picked)] = 1;
    return [applyFilter(stacks, "in", isPicked), names, 0];
  }

  private picture(): Picture {
    const { above, below, filtering, main, profile: { head }, state } = this.page;
    const filters = filtering.now.map(titleOf).join(" \u203a ");
    const part = (chart: Chart, heading = "") => ({ chart, heading, describe: (node: number) => this.page.descriptionOf(chart, node) });
    return {
      lines: [headingOf(head), head.subtitle, filters].filter((line) => line !== ""),
      legend: this.page.legend,
      parts: state.view === "sandwich" ? [part(above), part(below, state.picked)] : [part(main)],
    };
  }

  copy(what: string, text: string): void {
    copyText(text).then(() => this.page.say(`copied ${what}`), (error: Error) => this.page.say(error.message));
  }
}
