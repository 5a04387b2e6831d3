// The page: what is looked at, in which view, and what the keys and buttons do to it.

import { Actions } from "./actions";
import { Chart, type ChartEvents } from "./chart";
import { Controls } from "./controls";
import { Filtering } from "./filtering";
import { stackText } from "./folded";
import { both } from "./format";
import { frameText } from "./frame";
import { Keys } from "./keys";
import { layOut } from "./layout";
import { legendOf } from "./legend";
import { ProfileLook } from "./look";
import { Marks } from "./marks";
import { Measure } from "./measure";
import { Menu } from "./menu";
import { readable } from "./names";
import { nodeOfOldLink } from "./oldlink";
import { nameId, type Profile, type ValueType } from "./profile";
import type { Hits, Query } from "./search";
import { SearchBox, type SearchEvents } from "./searchbox";
import { totalsOf } from "./series";
import { defaultsOf, readState, writeState, type State } from "./state";
import { Suspects } from "./suspects";
import { Table } from "./table";
import { listThemes } from "./theme";
import { Timeline } from "./timeline";
import { callees, callers, functionRows, pathOf, pruned, reversed, total, type FunctionRow, type Tree } from "./tree";
import { trendOf } from "./verdict";
import { VIEWS, type ViewKind } from "./views";

const find = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

function listTexts(list: HTMLElement, texts: string[]): void {
  list.replaceChildren(...texts.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
}

export class Page implements ChartEvents, SearchEvents {
  readonly state: State;
  private readonly defaults: State;
  readonly measure: Measure;
  readonly main: Chart;
  readonly above: Chart;
  readonly below: Chart;
  readonly marks = new Marks(this);
  private readonly menu = new Menu(find("menu"));
  readonly actions = new Actions(this);
  readonly filtering: Filtering;
  readonly table: Table;
  private readonly suspects: Suspects;
  private readonly timeline: Timeline;
  private readonly controls: Controls;
  readonly look: ProfileLook;
  readonly searchBox: SearchBox;
  stacks!: Tree; // that pass the filters
  private hasPoints = false; // `stacks` hold what they held at points of the series
  private whole = 0; // what all holds, while the sandwich is shown

  constructor(readonly profile: Profile) {
    const { head, names } = profile;
    this.defaults = defaultsOf(head);
    this.state = readState(this.defaults, head);
    this.measure = new Measure(profile, this.state);
    this.look = new ProfileLook(profile, this.measure, this.state);
    [this.main, this.above, this.below] = ["main", "above", "below"].map((id) => new Chart(find(id), this.look, this)) as [Chart, Chart, Chart];
    this.table = new Table(find("table"), names, {
      pick: (name) => this.pick(name),
      menu: (name, x, y) => this.menu.open(x, y, names[name]!, this.actions.nameItems(name)),
    });
    this.suspects = new Suspects(find("suspects"), {
      zoom: (node) => this.zoomTo(node),
      pick: (node) => this.pick(this.profile.name[node]!),
      copy: (what, text) => this.actions.copy(what, text),
    });
    this.filtering = new Filtering(find("filters"), profile, this.state.filters, () => {
      this.state.filters = this.filtering.now;
      this.measured();
    });
    this.timeline = new Timeline(find("timeline"), head.points, this.state.range, (range) => {
      this.state.range = range;
      this.measured();
    });
    this.controls = new Controls(this.state, this.measure, this.look, head, () => this.measured(), () => {
      this.save();
      this.showLegend();
      for (const chart of this.charts) chart.refresh();
    });
    this.fillHead();
    this.listen();
    this.searchBox = new SearchBox(names, { text: this.state.search, isPlain: this.state.isPlain,
      isCaseSensitive: this.state.isCaseSensitive }, this);
  }

  // Shows what the link says. Until then the page is empty.
  async start(): Promise<void> {
    await this.refresh();
    if (this.state.path.length > 0 || this.state.view !== "flame") return;
    const node = nodeOfOldLink(location.search, this.main.layout);
    if (node > 0) this.zoom(this.main, node);
  }

  hover(chart: Chart, node: number | undefined): void {
    this.describe(chart, node ?? chart.focused);
  }

  focus(chart: Chart, node: number): void {
    this.describe(chart, node);
    find("spoken").textContent = `${find("details").textContent}, depth ${chart.layout.depth[node]}`;
  }

  openMenu(chart: Chart, node: number, x: number, y: number): void {
    const name = chart.layout.tree.name[node]!;
    chart.focus(node);
    this.menu.open(x, y, this.profile.names[name]!, this.actions.frameItems(chart, node));
  }

  zoom(chart: Chart, node: number): void {
    chart.zoom(node);
    this.spanned(chart);
  }

  // The link keeps the frame around what is shown.
  spanned(chart: Chart): void {
    if (chart === this.main) {
      this.state.path = pathOf(chart.layout.tree, chart.zoomed).reverse().map((name) => this.profile.names[name]!);
      this.save();
    }
    this.focus(chart, chart.zoomed);
    this.marks.show();
  }

  get charts(): Chart[] {
    return [this.main, this.above, this.below];
  }

  private get valueType(): ValueType {
    return this.measure.valueType;
  }

  // Other values are to be shown.
  private measured(): void {
    this.save();
    void this.refresh();
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
    listThemes(find<HTMLSelectElement>("theme"), this.state.theme, (theme) => {
      this.state.theme = theme;
      this.save();
      for (const chart of this.charts) chart.refresh();
    });
    listTexts(find("notes"), head.notes);
    find("about-notes").hidden = head.notes.length === 0;
  }

  // Shows the stacks that pass the filters, of the kind of values that was chosen.
  private async refresh(): Promise<void> {
    const { isDifference, isSeries } = this.measure;
    const withPoints = isSeries && this.view.section === "table";
    const stacks = this.measure.stacks(withPoints);
    const isPart = this.state.thread !== "" || Object.keys(this.state.classes).length > 0;
    const left = await this.filtering.apply(isSeries || isPart ? pruned(stacks) : stacks, (tree) => {
      const { grew, released } = total(tree);
      return both(grew, released, this.valueType, isDifference);
    });
    if (!left) return;
    this.hasPoints = withPoints;
    this.controls.refresh();
    if (isSeries) this.timeline.show(totalsOf(this.profile, this.measure.type), this.valueType, trendOf(this.profile.head, this.valueType));
    this.stacks = left;
    this.marks.restart();
    this.show();
    this.restore();
  }

  setView(id: string): void {
    const hadPoints = this.hasPoints;
    this.state.view = id;
    this.state.path = [];
    if (this.measure.isSeries && hadPoints !== (this.view.section === "table")) return this.measured();
    if (id === "sandwich" && !this.state.picked) this.state.picked = this.profile.names[this.heaviest()]!;
    this.show();
    this.save();
  }

  private heaviest(): number {
    const rows = functionRows(this.stacks);
    return rows.reduce((a, b) => (b.self.grew + b.self.released > a.self.grew + a.self.released ? b : a), rows[0]!)?.name ?? 0;
  }

  pick(name: number): void {
    this.state.picked = this.profile.names[name]!;
    this.setView("sandwich");
  }

  // Builds what the view needs of the stacks.
  private show(): void {
    const { stacks, view } = this;
    for (const button of find("views").querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(button.dataset.view === this.state.view));
    for (const section of document.querySelectorAll<HTMLElement>("main > section")) section.hidden = section.id !== view.section;
    if (view.section === "sandwich") this.showSandwich(stacks);
    else if (view.section === "table") this.showTable(stacks);
    else if (view.section === "suspects") this.showSuspects(stacks);
    else this.main.show(layOut(view.isReversed ? reversed(stacks, this.profile.names.length) : stacks, view.order), view.isRootOnTop);
    this.showLegend();
    this.marks.show();
    this.describe(this.shown, this.shown.focused);
  }

  get legend(): string[] {
    return legendOf(this.profile.head, this.measure, this.look, this.state, this.view);
  }

  private showLegend(): void {
    find("legend").textContent = `${this.legend.join(". ")}.`;
    listTexts(find("about-legend"), this.legend);
  }

  private showSandwich(stacks: Tree): void {
    this.whole = layOut(stacks, "name").width[0]!;
    const names = this.profile.names.length;
    const picked = Math.max(nameId(this.profile, this.state.picked), 0);
    find("picked").textContent = readable(this.profile.names[picked]!);
    this.above.show(layOut(callers(stacks, picked, names), "size"), false);
    this.below.show(layOut(callees(stacks, picked, names), "size"), true);
  }

  private showTable(stacks: Tree): void {
    const whole = layOut(stacks, "name").width[0]!;
    const isAny = ({ total: { grew, released } }: FunctionRow) => !this.measure.isDifference || grew > 0 || released > 0;
    this.table.show(functionRows(stacks).filter(isAny), whole, this.measure, this.hasPoints);
    this.main.show(layOut(stacks, "name"), false);
  }

  private showSuspects(stacks: Tree): void {
    const { head, names } = this.profile;
    this.suspects.show(this.valueType, head, (node) => stackText(this.profile, names, node));
    this.main.show(layOut(stacks, "name"), false);
  }

  private zoomTo(node: number): void {
    const path = pathOf(this.profile, node);
    this.setView("flame");
    this.state.path = path.reverse().map((name) => this.profile.names[name]!);
    this.restore();
    this.save();
  }

  // The chart that keys act on.
  get shown(): Chart {
    if (this.state.view !== "sandwich") return this.main;
    return document.activeElement === find("above") ? this.above : this.below;
  }

  // Zooms where the link says; a path that is not there any more is left at its last frame that is.
  private restore(): void {
    if (find("main").hidden) return;
    const { tree } = this.main.layout;
    let node = 0;
    for (const name of this.state.path) {
      const id = nameId(this.profile, name);
      let next = -1;
      for (let i = 1; i < tree.count; i++) if (tree.parent[i] === node && tree.name[i] === id) next = i;
      if (next < 0) break;
      node = next;
    }
    if (node > 0) this.zoom(this.main, node);
  }

  private describe(chart: Chart, node: number): void {
    if (chart.layout) find("details").textContent = this.descriptionOf(chart, node);
  }

  descriptionOf(chart: Chart, node: number): string {
    const whole = this.state.view === "sandwich" ? this.whole : chart.layout.width[0]!;
    return frameText(this.profile, this.measure, this.state, chart, whole, node);
  }

  queried({ text, isPlain, isCaseSensitive }: Query): void {
    Object.assign(this.state, { search: text, isPlain, isCaseSensitive });
    this.save();
  }

  found(hits: Hits | undefined, problem: string): void {
    this.marks.set(hits, problem);
    if (this.stacks) this.marks.show();
  }

  step(by: number): void {
    this.marks.step(by);
  }

  leave(): void {
    this.shown.host.focus();
  }

  say(text: string): void {
    find("details").textContent = find("spoken").textContent = text;
  }

  private listen(): void {
    find("filter-hits").addEventListener("click", (event) => {
      this.menu.openBelow(event.currentTarget as HTMLElement, "Filter by the search", this.actions.hitItems());
    });
    find("export").addEventListener("click", (event) => {
      this.menu.openBelow(event.currentTarget as HTMLElement, "Export what is shown", this.actions.exportItems());
    });
    find("reset").addEventListener("click", () => this.zoom(this.shown, 0));
    find("help").addEventListener("click", () => find<HTMLDialogElement>("about").showModal());
    find("close").addEventListener("click", () => find<HTMLDialogElement>("about").close());
    new Keys(this, find("about"));
    addEventListener("beforeprint", () => this.charts.forEach((chart) => chart.setExpanded(true)));
    addEventListener("afterprint", () => this.charts.forEach((chart) => chart.setExpanded(false)));
  }
}
