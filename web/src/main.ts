// Puts the page together: what is looked at, in which view, and what the keys and buttons do to it.

import { Chart, type ChartEvents, type Paint } from "./chart";
import { both, exact, percent } from "./format";
import { layOut, matched, type Layout, type Order } from "./layout";
import { readProfile, stacksOf, type Profile, type ValueType } from "./profile";
import { Search, type Hits } from "./search";
import { readState, writeState, type State } from "./state";
import { Strip } from "./strip";
import { Table } from "./table";
import { callees, callers, functionRows, pathOf, reversed, type Tree } from "./tree";

interface ViewKind {
  key: string;
  title: string;
  order: Order;
  isRootOnTop: boolean;
  isReversed: boolean;
}

const VIEWS: Record<string, ViewKind> = {
  flame: { key: "1", title: "Flame", order: "name", isRootOnTop: false, isReversed: false },
  icicle: { key: "2", title: "Icicle", order: "name", isRootOnTop: true, isReversed: false },
  reverse: { key: "3", title: "Reverse", order: "name", isRootOnTop: true, isReversed: true },
  heavy: { key: "4", title: "Left-heavy", order: "size", isRootOnTop: false, isReversed: false },
  sandwich: { key: "5", title: "Sandwich", order: "size", isRootOnTop: true, isReversed: false },
  table: { key: "6", title: "Table", order: "size", isRootOnTop: true, isReversed: false },
};

const find = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

class Page implements ChartEvents, Paint {
  private readonly state: State;
  private readonly defaults: State;
  private readonly main = new Chart(find("main"), this, this);
  private readonly above = new Chart(find("above"), this, this);
  private readonly below = new Chart(find("below"), this, this);
  private readonly strip = new Strip(find("strip"), (x) => this.goTo(x));
  private readonly table: Table;
  private readonly search: Search;
  private hits: Hits | undefined;
  private at = -1; // the hit that was gone to last

  constructor(private readonly profile: Profile) {
    const { head, names } = profile;
    this.defaults = {
      view: VIEWS[head.view] ? head.view : "flame", type: head.types[head.type]!.name, path: [], picked: "", search: "",
      isPlain: false, isCaseSensitive: false,
    };
    this.state = readState(this.defaults);
    if (!VIEWS[this.state.view]) this.state.view = this.defaults.view;
    if (!head.types.some((type) => type.name === this.state.type)) this.state.type = this.defaults.type;
    this.search = new Search(names);
    this.table = new Table(find("table"), names, head.isDifference, (name) => this.pick(name));
    this.fillHead();
    this.listen();
    this.show();
    this.restore();
    if (this.state.search) this.runSearch();
  }

  // What a chart is painted with.
  fill(layout: Layout, node: number): string {
    const { head, colors } = this.profile;
    const name = layout.tree.name[node]!;
    if (node === 0 && name === 0) return "#c8c8c8";
    if (head.isDifference) {
      const share = layout.width[node]! > 0 ? (layout.grew[node]! - layout.released[node]!) / layout.width[node]! : 0;
      const strength = Math.round(45 + 40 * (1 - Math.abs(share)));
      return share >= 0 ? `hsl(28 95% ${strength}%)` : `hsl(212 80% ${strength}%)`;
    }
    return `rgb(${colors[3 * name]} ${colors[3 * name + 1]} ${colors[3 * name + 2]})`;
  }

  text(layout: Layout, node: number): string {
    const { head, colors } = this.profile;
    const name = layout.tree.name[node]!;
    if (head.isDifference || name === 0) return layout.released[node]! > layout.grew[node]! ? "#fff" : "#000";
    const luminance = [0, 1, 2].reduce((sum, i) => sum + [0.2126, 0.7152, 0.0722][i]! * (colors[3 * name + i]! / 255) ** 2.2, 0);
    return luminance > 0.18 ? "#000" : "#fff";
  }

  label(layout: Layout, node: number): string {
    const name = this.profile.names[layout.tree.name[node]!]!;
    if (!this.profile.head.isDifference) return name;
    const isBoth = layout.grew[node]! > 0 && layout.released[node]! > 0;
    return `${isBoth ? "±" : layout.released[node]! > 0 ? "−" : "+"} ${name}`;
  }

  hover(chart: Chart, node: number | undefined): void {
    this.describe(chart, node ?? chart.focused);
  }

  focus(chart: Chart, node: number): void {
    this.describe(chart, node);
    find("spoken").textContent = `${find("details").textContent}, depth ${chart.layout.depth[node]}`;
  }

  zoom(chart: Chart, node: number): void {
    chart.zoom(node);
    if (chart === this.main) {
      this.state.path = pathOf(chart.layout.tree, node).reverse().map((name) => this.profile.names[name]!);
      this.save();
    }
    this.focus(chart, node);
    this.showMatched();
  }

  private get type(): number {
    return this.profile.head.types.findIndex((type) => type.name === this.state.type);
  }

  private get valueType(): ValueType {
    return this.profile.head.types[this.type]!;
  }

  private get view(): ViewKind {
    return VIEWS[this.state.view]!;
  }

  private save(): void {
    writeState(this.state, this.defaults);
  }

  private fillHead(): void {
    const { head } = this.profile;
    find("title").textContent = head.title;
    find("subtitle").textContent = head.subtitle;
    for (const [id, view] of Object.entries(VIEWS)) {
      const button = document.createElement("button");
      button.textContent = view.title;
      button.dataset.view = id;
      button.title = `key ${view.key}`;
      button.addEventListener("click", () => this.setView(id));
      find("views").append(button);
    }
    const metric = find<HTMLSelectElement>("metric");
    for (const type of head.types) metric.add(new Option(type.name.replace("_", " "), type.name));
    metric.value = this.state.type;
    metric.addEventListener("change", () => {
      this.state.type = metric.value;
      this.show();
      this.restore();
      this.save();
    });
    for (const note of head.notes) {
      const item = document.createElement("li");
      item.textContent = note;
      find("notes").append(item);
    }
    find("about-notes").hidden = head.notes.length === 0;
    find("legend").hidden = !head.isDifference;
  }

  private setView(id: string): void {
    this.state.view = id;
    this.state.path = [];
    if (id === "sandwich" && !this.state.picked) this.state.picked = this.profile.names[this.heaviest()]!;
    this.show();
    this.save();
  }

  private heaviest(): number {
    const rows = functionRows(stacksOf(this.profile, this.type));
    return rows.reduce((a, b) => (b.self.grew + b.self.released > a.self.grew + a.self.released ? b : a), rows[0]!)?.name ?? 0;
  }

  private pick(name: number): void {
    this.state.picked = this.profile.names[name]!;
    this.setView("sandwich");
  }

  // Builds what the view needs of the stacks.
  private show(): void {
    const { view } = this;
    const stacks = stacksOf(this.profile, this.type);
    for (const button of find("views").querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(button.dataset.view === this.state.view));
    find("main").hidden = this.state.view === "table" || this.state.view === "sandwich";
    find("sandwich").hidden = this.state.view !== "sandwich";
    find("table").hidden = this.state.view !== "table";
    if (this.state.view === "sandwich") this.showSandwich(stacks);
    else if (this.state.view === "table") this.showTable(stacks);
    else this.main.show(layOut(view.isReversed ? reversed(stacks, this.profile.names.length) : stacks, view.order), view.isRootOnTop);
    this.showMatched();
    this.describe(this.shown, this.shown.focused);
  }

  private showSandwich(stacks: Tree): void {
    const names = this.profile.names.length;
    const picked = Math.max(this.profile.names.indexOf(this.state.picked), 0);
    find("picked").textContent = this.profile.names[picked]!;
    this.above.show(layOut(callers(stacks, picked, names), "size"), false);
    this.below.show(layOut(callees(stacks, picked, names), "size"), true);
  }

  private showTable(stacks: Tree): void {
    const whole = layOut(stacks, "name").width[0]!;
    this.table.show(functionRows(stacks), whole, this.valueType);
    this.main.show(layOut(stacks, "name"), false);
  }

  // The chart that keys act on.
  private get shown(): Chart {
    if (this.state.view !== "sandwich") return this.main;
    return document.activeElement === find("above") ? this.above : this.below;
  }

  // Zooms where the link says; a path that is not there any more is left at its last frame that is.
  private restore(): void {
    if (find("main").hidden) return;
    const { tree } = this.main.layout;
    let node = 0;
    for (const name of this.state.path) {
      const id = this.profile.names.indexOf(name);
      let next = -1;
      for (let i = 1; i < tree.count; i++) if (tree.parent[i] === node && tree.name[i] === id) next = i;
      if (next < 0) break;
      node = next;
    }
    if (node > 0) this.zoom(this.main, node);
  }

  private describe(chart: Chart, node: number): void {
    const { layout } = chart;
    if (!layout) return;
    const { head, names } = this.profile;
    const width = layout.width[node]!;
    const parent = layout.tree.parent[node]!;
    const parts = [
      `${names[layout.tree.name[node]!]}: ${both(layout.grew[node]!, layout.released[node]!, this.valueType, head.isDifference)}`,
      `${head.isDifference ? "net " : ""}${exact(layout.grew[node]! - layout.released[node]!, this.valueType)}`,
      `${percent(width, layout.width[0]!)} of all`,
    ];
    if (chart.zoomed > 0) parts.push(`${percent(width, layout.width[chart.zoomed]!)} of the zoomed`);
    if (parent > 0) parts.push(`${percent(width, layout.width[parent]!)} of its parent`);
    find("details").textContent = parts.join(" · ");
  }

  private runSearch(): void {
    this.at = -1;
    if (!this.state.search) {
      this.hits = undefined;
      this.showMatched();
      return;
    }
    this.search.find({ text: this.state.search, isPlain: this.state.isPlain, isCaseSensitive: this.state.isCaseSensitive })
      .then((hits) => {
        this.hits = hits;
        this.showMatched();
      }, (error: Error) => {
        this.hits = undefined;
        this.showMatched();
        find("matched").textContent = error.message;
      });
  }

  private showMatched(): void {
    const isHit = this.hits?.isHit;
    for (const chart of [this.main, this.above, this.below]) chart.mark(isHit);
    this.table.mark(isHit);
    const chart = this.shown;
    this.strip.show(chart.layout, chart.zoomed, isHit);
    if (!this.hits || !chart.layout) {
      find("matched").textContent = "";
      return;
    }
    const { value, frames } = matched(chart.layout, chart.zoomed, this.hits.isHit);
    find("matched").textContent = `${frames} frames, ${both(value, 0, this.valueType, false)}, ` +
      `${percent(value, chart.layout.width[chart.zoomed]!)}`;
  }

  // Zooms to the next frame that matches, in the order of rows, from the root.
  private step(by: number): void {
    const chart = this.shown;
    if (!this.hits || !chart.layout) return;
    const { rowNodes, tree } = chart.layout;
    for (let i = 1; i <= tree.count; i++) {
      const at = (this.at + by * i + 2 * tree.count) % tree.count;
      if (!this.hits.isHit[tree.name[rowNodes[at]!]!]) continue;
      this.at = at;
      this.zoom(chart, rowNodes[at]!);
      return;
    }
  }

  // A place of the strip, 0 to 1: the outermost hit there, or the frame.
  private goTo(share: number): void {
    const chart = this.shown;
    const { layout } = chart;
    const x = layout.start[chart.zoomed]! + share * layout.width[chart.zoomed]!;
    for (const node of layout.rowNodes) {
      const isThere = layout.start[node]! <= x && x < layout.start[node]! + layout.width[node]!;
      if (isThere && node !== chart.zoomed && this.hits?.isHit[layout.tree.name[node]!]) return this.zoom(chart, node);
    }
  }

  private listen(): void {
    const text = find<HTMLInputElement>("search");
    const plain = find<HTMLInputElement>("plain");
    const cased = find<HTMLInputElement>("case");
    text.value = this.state.search;
    plain.checked = this.state.isPlain;
    cased.checked = this.state.isCaseSensitive;
    const changed = () => {
      this.state.search = text.value;
      this.state.isPlain = plain.checked;
      this.state.isCaseSensitive = cased.checked;
      this.runSearch();
      this.save();
    };
    text.addEventListener("input", changed);
    plain.addEventListener("change", changed);
    cased.addEventListener("change", changed);
    text.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.step(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") find(this.shown.host.id).focus();
      event.stopPropagation();
    });
    find("next").addEventListener("click", () => this.step(1));
    find("previous").addEventListener("click", () => this.step(-1));
    find("reset").addEventListener("click", () => this.zoom(this.shown, 0));
    find("help").addEventListener("click", () => find<HTMLDialogElement>("about").showModal());
    find("close").addEventListener("click", () => find<HTMLDialogElement>("about").close());
    document.addEventListener("keydown", (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    const isModal = find<HTMLDialogElement>("about").open;
    const isTyping = event.target instanceof HTMLSelectElement || event.target instanceof HTMLInputElement;
    if ((event.ctrlKey && event.key === "f") || event.key === "F3" || (event.key === "/" && !isTyping)) {
      event.preventDefault();
      find<HTMLInputElement>("search").select();
      return;
    }
    if (isModal || isTyping || event.ctrlKey || event.altKey || event.metaKey) return;
    const view = Object.keys(VIEWS).find((id) => VIEWS[id]!.key === event.key);
    const chart = this.shown;
    if (view) this.setView(view);
    else if (event.key === "?") find<HTMLDialogElement>("about").showModal();
    else if (event.key === "n" || event.key === "N") this.step(event.key === "n" ? 1 : -1);
    else if (event.key === "Escape") this.zoom(chart, chart.layout.tree.parent[chart.zoomed]! > 0 ? chart.layout.tree.parent[chart.zoomed]! : 0);
    else if (document.activeElement === chart.host) this.chartKey(chart, event);
  }

  private chartKey(chart: Chart, event: KeyboardEvent): void {
    if (event.key.startsWith("Arrow")) {
      event.preventDefault();
      const to = chart.neighbour(event.key);
      if (to !== undefined) chart.focus(to);
    } else if (event.key === "Enter") {
      this.zoom(chart, chart.focused);
    } else if (event.key === "s") {
      this.pick(chart.layout.tree.name[chart.focused]!);
    }
  }
}

readProfile(find("head").textContent!, find("data").textContent!.trim()).then((profile) => {
  Object.assign(globalThis, { heapflame: new Page(profile) });
  document.body.dataset.ready = "";
}, (error: Error) => {
  find("details").textContent = `This page cannot be shown: ${error.message}`;
});
