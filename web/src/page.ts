// The page: what is looked at, in which view, and what the keys and buttons do to it.

import { Actions } from "./actions";
import { Answer } from "./answer";
import { Bar } from "./bar";
import { Chart, type ChartEvents } from "./chart";
import { Chips } from "./chips";
import { Commands } from "./commands";
import { commandsOf } from "./commandlist";
import { Controls } from "./controls";
import { Crumbs } from "./crumbs";
import { difference, readDropped } from "./dropped";
import { Dropping } from "./dropping";
import { factsOf, headingOf } from "./facts";
import { Filtering } from "./filtering";
import { Folds } from "./folds";
import { stackText } from "./folded";
import { amount, both, counted } from "./format";
import { frameParts, tipOf } from "./frame";
import { Heat, heatRows, type HeatRows } from "./heat";
import { Keys } from "./keys";
import { layOut } from "./layout";
import { legendOf } from "./legend";
import { ProfileLook } from "./look";
import { encodePath, nodeOfPath } from "./links";
import { Marks } from "./marks";
import { Measure } from "./measure";
import { Menu } from "./menu";
import { Minimap } from "./minimap";
import { readable } from "./names";
import { fillPaper } from "./paper";
import { partsOf, showNamed, showParts } from "./parts";
import { nodeOfOldLink } from "./oldlink";
import { fileOf, nameId, type Profile, type ValueType } from "./profile";
import type { Hits, Query } from "./search";
import { SearchBox, type SearchEvents } from "./searchbox";
import { totalsOf } from "./series";
import { defaultsOf, readState, writeState, type State } from "./state";
import { Sides } from "./sides";
import { Source } from "./source";
import { Suspects } from "./suspects";
import { Table } from "./table";
import { listThemes } from "./theme";
import { Tip } from "./tip";
import { Timeline, type PointRange } from "./timeline";
import { Tour } from "./tour";
import { callees, callers, functionRows, pathOf, pruned, reversed, sumOf, sums, total, type FunctionRow, type Tree } from "./tree";
import { trendOf } from "./verdict";
import { VIEWS, type ViewKind } from "./views";

const find = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

function listTexts(list: HTMLElement, texts: string[]): void {
  list.replaceChildren(...texts.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
}

const SPLIT = "(min-width: 77.5rem)"; // room for the graph beside a table or the sandwich

export class Page implements ChartEvents, SearchEvents {
  readonly state: State;
  readonly defaults: State;
  readonly measure: Measure;
  readonly main: Chart;
  readonly above: Chart;
  readonly below: Chart;
  readonly marks = new Marks(this);
  private readonly menu = new Menu(find("menu"));
  private readonly tip = new Tip(find("tip"));
  readonly actions = new Actions(this);
  readonly commands: Commands;
  readonly tour = new Tour();
  readonly folds: Folds;
  readonly filtering: Filtering;
  readonly table: Table;
  readonly source: Source;
  private readonly bar: Bar;
  private readonly answer: Answer;
  private readonly crumbs: Crumbs;
  private readonly chips: Chips;
  private readonly minimap: Minimap;
  private readonly suspects: Suspects;
  private readonly timeline: Timeline;
  readonly heat: Heat;
  readonly sides: Sides;
  private readonly controls: Controls;
  readonly look: ProfileLook;
  readonly searchBox: SearchBox;
  stacks!: Tree; // that pass the filters
  private hasPoints = false; // `stacks` hold what they held at points of the series
  heatShown: { key: string; rows: HeatRows } | undefined; // rows depend on what is measured, not on the range
  private readonly life = new AbortController(); // of what listens outside of the page's elements

  // `replace`: another profile takes the place of this one.
  constructor(readonly profile: Profile, private readonly replace: (profile: Profile) => void) {
    const { head, names } = profile;
    this.defaults = defaultsOf(head);
    this.state = readState(this.defaults, head);
    this.measure = new Measure(profile, this.state);
    this.look = new ProfileLook(profile, this.measure, this.state);
    this.folds = new Folds(profile, this.state);
    [this.main, this.above, this.below] = ["main", "above", "below"].map((id) => new Chart(find(id), this.look, this)) as [Chart, Chart, Chart];
    this.sides = new Sides(find("sides"), this.look, this);
    this.heat = new Heat(find("heat"), {
      chose: (range) => this.setRange(range),
      pick: (row) => this.filtering.add(this.isByGroup ? { kind: "in", group: this.look.groups.titles[row]! } : { kind: "in", name: names[row]! }),
      tip: (key, x, y, make) => (key === undefined ? this.tip.hide() : this.tip.show(key, x, y, make)),
      label: (row) => (this.isByGroup ? this.look.groups.titles[row]! : this.look.nameOf(row)),
      pointName: (point) => this.timeline.nameOf(point),
    });
    this.bar = new Bar((view) => this.setView(view));
    this.answer = new Answer(find("answer"), profile, (node, type) => this.zoomTo(node, type), (name) => this.markName(name));
    this.crumbs = new Crumbs(find("crumbs"), this.look, (chart, node) => this.zoom(chart, node));
    this.chips = new Chips(find("chips"), this.look, (group) => this.filtering.add({ kind: "in", group }),
      (group, x, y) => this.menu.open(x, y, group, this.actions.groupItems(group)));
    this.minimap = new Minimap(find<HTMLCanvasElement>("minimap"), this.look);
    this.commands = new Commands(() => commandsOf(this), (text) => this.searchBox.ask({ text, isPlain: true, isCaseSensitive: false }));
    this.table = new Table(find("table"), profile, {
      copy: (what, text) => this.actions.copy(what, text),
      pick: (name) => this.pick(name),
      hover: (name) => this.markName(name),
      menu: (name, x, y) => this.menu.open(x, y, names[name]!, this.actions.nameItems(name)),
    });
    this.source = new Source(find("source"), profile.source ?? "", head);
    this.suspects = new Suspects(find("suspects"), {
      zoom: (node) => this.zoomTo(node),
      pick: (node) => this.pick(this.profile.name[node]!),
      copy: (what, text) => this.actions.copy(what, text),
    });
    this.filtering = new Filtering(find("filters"), profile, this.state.filters, () => {
      this.state.filters = this.filtering.now;
      this.measured();
    });
    this.timeline = new Timeline(find("timeline"), head.points, this.state.range, (range) => this.setRange(range));
    this.controls = new Controls(this.state, this.measure, this.look, head, () => this.measured(), () => this.painted(), (view) => this.setView(view));
    this.fillHead();
    this.listen();
    this.searchBox = new SearchBox(names, { text: this.state.search, isPlain: this.state.isPlain,
      isCaseSensitive: this.state.isCaseSensitive }, this);
  }

  // Shows what the link says. Until then the page is empty.
  async start(): Promise<void> {
    await this.refresh();
    if (this.state.path !== "" || this.view.section !== "main" || !location.search.includes("x=")) return;
    const node = nodeOfOldLink(location.search, layOut(this.stacks, "name"));
    if (node > 0) this.zoom(this.main, node);
  }

  // Another page takes the place of this one.
  end(): void {
    this.life.abort();
  }

  hover(chart: Chart, node: number | undefined, x: number, y: number): void {
    if (node === undefined) {
      this.tip.hide();
      this.describe(chart, chart.focused);
      return;
    }
    this.describe(chart, node); // first: the tip asks how large it is, and what is written later would be laid out once more
    this.tip.show(node + chart.layout.tree.count * this.charts.indexOf(chart), x, y, () => tipOf(this.profile, this.measure, chart, this.look.whole, node));
  }

  focus(chart: Chart, node: number): void {
    this.describe(chart, node);
    find("spoken").textContent = `${this.descriptionOf(chart, node)}, depth ${chart.layout.depth[node]}`;
  }

  openMenu(chart: Chart, node: number, x: number, y: number): void {
    const name = chart.layout.tree.name[node]!;
    this.tip.hide();
    chart.focus(node);
    this.menu.open(x, y, this.profile.names[name]!, this.actions.frameItems(chart, node));
  }

  private setRange(range: PointRange): void {
    this.state.range = range;
    this.timeline.set(range);
    this.measured();
  }

  private get isByGroup(): boolean {
    return find<HTMLSelectElement>("heat-rows").value === "group";
  }

  // Opens a chain that is folded.
  open(chart: Chart, node: number): void {
    this.folds.toggle(chart.layout.tree, node);
    this.relaid(chart, node);
  }

  toggleChain(chart: Chart, node: number): void {
    const first = this.folds.chainAt(chart, node);
    if (first !== undefined) this.open(chart, first);
  }

  private relaid(chart: Chart, focused: number): void {
    const { zoomed, host: { scrollTop } } = chart;
    this.tip.hide();
    if (this.sides.charts.includes(chart)) this.showSides(this.stacks);
    else this.lay(chart.layout.tree);
    if (zoomed > 0) this.zoomChart(chart, chart.layout.chains.head[zoomed]!);
    chart.host.scrollTop = scrollTop;
    chart.focus(chart.layout.chains.head[focused]!);
    this.save();
    this.seen();
  }

  // A frame of a chain that is folded opens it.
  zoom(chart: Chart, node: number): void {
    const { head } = chart.layout.chains;
    if (head[node] !== node && chart === this.main) {
      this.folds.toggle(chart.layout.tree, head[node]!);
      this.lay(chart.layout.tree);
    }
    this.zoomChart(chart, node);
    this.spanned(chart);
  }

  private zoomChart(chart: Chart, node: number): void {
    if (this.sides.charts.includes(chart)) this.sides.zoom(node);
    else chart.zoom(node);
  }

  zoomOut(chart: Chart): void {
    const { layout: { chains, tree }, zoomed } = chart;
    this.zoom(chart, chart.hasRange || zoomed === 0 ? zoomed : chains.head[tree.parent[zoomed]!]!);
  }

  // The link keeps the frame around what is shown.
  spanned(chart: Chart): void {
    this.tip.hide();
    if (this.view.section === "source") this.goToSource(chart.layout.tree.name[chart.zoomed]!);
    if (chart === this.main || this.sides.charts.includes(chart)) {
      this.state.path = this.folds.keyOf(chart.layout.tree, chart.zoomed);
      this.save(true);
    }
    this.focus(chart, chart.zoomed);
    this.seen();
  }

  // Another part of the graph is seen.
  private seen(): void {
    this.marks.show();
    this.crumbs.show(this.shown);
    find("reset").hidden = this.shown.zoomed === 0 && !this.shown.hasRange;
    this.minimap.show(this.shown, `${this.look.coloring} ${this.look.theme}`);
  }

  get charts(): Chart[] {
    return [this.main, this.above, this.below, ...this.sides.charts];
  }

  private get valueType(): ValueType {
    return this.measure.valueType;
  }

  // Marks a function wherever it is.
  private markName(name: number | undefined): void {
    for (const chart of this.charts) if (chart.layout) chart.markName(name);
  }

  // Other values are to be shown.
  measured(): void {
    this.save();
    void this.refresh();
  }

  // The same in other colours or words.
  painted(): void {
    this.save();
    this.controls.refresh();
    this.showLegend();
    for (const chart of this.charts) chart.refresh();
    if (this.shown.layout) this.seen();
  }

  // Views that mean nothing for what is measured.
  private get missing(): string[] {
    return [...(this.measure.columns.before < 0 ? ["compare"] : []), ...(this.profile.head.points.length > 2 ? [] : ["time"]), ...(this.source.isThere ? [] : ["source"])];
  }

  get view(): ViewKind {
    return VIEWS[this.missing.includes(this.state.view) ? "icicle" : this.state.view]!;
  }

  private get isSplit(): boolean {
    return matchMedia(SPLIT).matches && ["table", "sandwich", "source"].includes(this.view.section);
  }

  private save(isStep = false): void {
    writeState(this.state, this.defaults, isStep);
  }

  private fillHead(): void {
    const { head } = this.profile;
    find("title").textContent = headingOf(head);
    document.title = headingOf(head);
    listThemes(find<HTMLSelectElement>("theme"), this.state.theme, (theme) => {
      this.state.theme = theme;
      this.painted();
    }, this.life.signal);
    listTexts(find("notes"), head.notes);
    find("about-notes").hidden = head.notes.length === 0;
  }

  // Shows the stacks that pass the filters, of the kind of values that was chosen.
  private async refresh(): Promise<void> {
    const { isDifference, isSeries } = this.measure;
    const withPoints = this.profile.head.points.length > 2 && this.view.section === "table";
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
    this.answer.show(this.valueType);
    const isSide = isDifference && (this.measure.width === "after" || this.measure.width === "before");
    this.stacks = isSide ? { ...left, isSide } : left;
    const [grew, released] = [sums(this.stacks).grew[0]!, sums(this.stacks).released[0]!];
    this.look.whole = grew + released;
    find("nothing").hidden = this.look.whole > 0;
    find("minimap").hidden = this.look.whole === 0;
    showParts(find("subtitle"), partsOf(factsOf(this.profile.head, this.measure, grew, released)));
    this.marks.restart();
    this.show();
    this.restore();
  }

  setView(id: string): void {
    const hadPoints = this.hasPoints;
    const wasReversed = this.view.isReversed;
    this.state.view = id;
    if (wasReversed || this.view.isReversed) this.state.path = "";
    if (id === "sandwich" && !this.state.picked) this.state.picked = this.profile.names[this.heaviest()]!;
    this.save(true);
    if (this.profile.head.points.length > 2 && hadPoints !== (this.view.section === "table")) return void this.refresh();
    this.show();
    this.restore();
  }

  private heaviest(): number {
    const rows = functionRows(this.stacks);
    return rows.reduce((a, b) => (b.self.grew + b.self.released > a.self.grew + a.self.released ? b : a), rows[0]!)?.name ?? 0;
  }

  pick(name: number): void {
    this.state.picked = this.profile.names[name]!;
    this.setView("sandwich");
  }

  // The line of a function, or its instructions, beside the graph.
  showSource(name: number): void {
    this.setView("source");
    this.goToSource(name);
  }

  private goToSource(name: number): void {
    this.source.go(...fileOf(this.profile, name), this.profile.names[name]!);
  }

  // The widest place of a function in the graph.
  goToName(name: number): void {
    if (this.view.section !== "main") this.setView("icicle");
    const { tree, width } = this.main.layout;
    let widest = 0;
    for (let node = 1; node < tree.count; node++) if (tree.name[node] === name && (widest === 0 || width[node]! > width[widest]!)) widest = node;
    this.zoom(this.main, widest);
    this.main.host.focus();
  }

  private lay(tree: Tree): void {
    const { view } = this;
    this.main.show(layOut(tree, view.order, this.folds.of(tree)), view.isRootOnTop);
  }

  // Builds what the view needs of the stacks.
  private show(): void {
    const { isSplit, stacks, view } = this;
    this.tip.hide();
    this.bar.show(this.missing.includes(this.state.view) ? "icicle" : this.state.view, this.missing.map((id) => VIEWS[id]!.tab));
    const isTime = view.section === "time";
    document.querySelector("main")!.classList.toggle("stacked", isTime);
    find("timeline").classList.toggle("told", isTime || view.section === "suspects");
    document.querySelector("main")!.classList.toggle("split", isSplit);
    for (const section of document.querySelectorAll<HTMLElement>("main > section")) section.hidden = section.id !== view.section && !((isSplit || isTime) && section.id === "main");
    find("way").hidden = find("strip").hidden = !isTime && !isSplit && view.section !== "main" && view.section !== "sides";
    find("answer").classList.toggle("aside", view.section !== "main");
    if (view.section === "sandwich") this.showSandwich(stacks);
    else if (view.section === "table") this.showTable(stacks);
    else if (view.section === "suspects") this.showSuspects();
    else if (view.section === "source") void this.source.show(this.measure);
    else if (view.section === "sides") this.showSides(stacks);
    else if (isTime) this.showHeat();
    this.lay(view.isReversed ? reversed(stacks, this.profile.names.length) : stacks);
    this.showLegend();
    this.seen();
    this.describe(this.shown, this.shown.focused);
  }

  get legend(): string[] {
    return legendOf(this.profile.head, this.measure, this.look, this.state, this.view);
  }

  private showLegend(): void {
    find("legend").textContent = `${this.legend.join(". ")}.`;
    listTexts(find("about-legend"), this.legend);
    this.chips.show(this.main.layout);
  }

  private showSandwich(stacks: Tree): void {
    const names = this.profile.names.length;
    const named = nameId(this.profile, this.state.picked);
    const picked = named > 0 ? named : this.heaviest(); // of all there is nothing to see
    find("picked").textContent = readable(this.profile.names[picked]!);
    this.above.show(layOut(callers(stacks, picked, names), "size"), false);
    this.below.show(layOut(callees(stacks, picked, names), "size"), true);
    this.main.markName(picked);
  }

  private showTable(stacks: Tree): void {
    const isAny = ({ total: { grew, released } }: FunctionRow) => grew > 0 || released > 0;
    this.table.show(functionRows(stacks).filter(isAny), this.look.whole, this.measure, this.hasPoints);
  }

  private showSides(stacks: Tree): void {
    const { columns: { after, before }, valueType } = this.measure;
    const { points } = this.profile.head;
    const { from, to } = this.state.range;
    const titles = [before, after].map((column, i) => `${amount(sumOf(stacks.more[column]!), valueType)}  ${points[i === 0 ? from : to]!.name}`);
    this.sides.show(stacks, before, after, [...titles, "what changed"], this.folds.of(stacks));
  }

  private showHeat(): void {
    const key = `${this.measure.type} ${this.isByGroup}`;
    if (this.heatShown?.key !== key) this.heatShown = { key, rows: this.heatRowsNow() };
    const { rows } = this.heatShown;
    this.heat.show(rows, this.valueType, this.look.theme, this.state.range);
    find("still").ariaPressed = String(this.measure.isDifference && this.measure.width === "kept");
    find("heat-said").textContent = `${counted(rows.names.length, "row")} x ${counted(rows.points, "point")}, the most changed first`;
  }

  private heatRowsNow(): HeatRows {
    const { names } = this.profile.head;
    if (!this.isByGroup) return heatRows(this.profile, this.measure.type, (name) => name, names);
    const { of, titles } = this.look.groups;
    return heatRows(this.profile, this.measure.type, (name) => of[name]!, titles.length);
  }

  private showSuspects(): void {
    const { head, names } = this.profile;
    this.suspects.show(this.valueType, head, (node) => stackText(this.profile, names, node));
  }

  // Of a place of other values, those are shown.
  private zoomTo(node: number, type = this.valueType): void {
    const path = encodePath(pathOf(this.profile, node).reverse().map((name) => this.profile.names[name]!));
    if (this.view.section !== "main" || this.view.isReversed) this.setView("icicle");
    this.state.path = path;
    const isShown = type === this.valueType;
    this.state.type = type.name;
    if (isShown) this.restore();
    this.save(true);
    if (!isShown) void this.refresh();
  }

  // The chart that keys act on.
  get shown(): Chart {
    const side = this.sides.charts.find(({ host }) => host === document.activeElement);
    if (this.view.section === "sides") return side ?? this.sides.charts[2]!;
    if (this.state.view !== "sandwich") return this.main;
    return document.activeElement === find("above") ? this.above : document.activeElement === find("main") ? this.main : this.below;
  }

  // Zooms where the link says; a path that is not there any more is left at its last frame that is.
  private restore(): void {
    if (this.view.section === "sides") {
      const [first] = this.sides.charts;
      const at = nodeOfPath(first!.layout.tree, this.profile.names, this.state.path);
      if (at > 0) this.sides.zoom(at);
      return this.seen();
    }
    if (find("main").hidden) return;
    const node = nodeOfPath(this.main.layout.tree, this.profile.names, this.state.path);
    if (node <= 0) return;
    const { head } = this.main.layout.chains;
    if (head[node] !== node) {
      this.folds.toggle(this.main.layout.tree, head[node]!);
      this.lay(this.main.layout.tree);
    }
    this.main.zoom(node);
    this.focus(this.main, node);
    this.seen();
  }

  private describe(chart: Chart, node: number): void {
    if (!chart.layout) return;
    const { name, parts } = this.tellsOf(chart, node);
    showNamed(find("details"), name, parts);
  }

  private tellsOf(chart: Chart, node: number): { name: string; parts: string[] } {
    return frameParts(this.profile, this.measure, this.state, chart, this.look.whole, node);
  }

  descriptionOf(chart: Chart, node: number): string {
    const { name, parts } = this.tellsOf(chart, node);
    return name + parts.join("");
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

  // Back and forth in the browser's history.
  private follow(): void {
    const { search, isPlain, isCaseSensitive, theme } = this.state;
    Object.assign(this.state, readState(this.defaults, this.profile.head), { theme });
    this.filtering.follow(this.state.filters);
    this.timeline.set(this.state.range);
    if (search !== this.state.search || isPlain !== this.state.isPlain || isCaseSensitive !== this.state.isCaseSensitive) {
      this.searchBox.set({ text: this.state.search, isPlain: this.state.isPlain, isCaseSensitive: this.state.isCaseSensitive });
      this.searchBox.run();
    }
    void this.refresh();
  }

  // Paper is one sheet: the graph as it is seen, in the colours of the light theme, and below it the first rows of the table.
  private setOnPaper(isOnPaper: boolean): void {
    this.look.isOnPaper = isOnPaper;
    if (isOnPaper && this.view.section !== "table") this.showTable(this.stacks);
    if (isOnPaper) fillPaper(find("paper"), this.table.top());
    this.showLegend();
    for (const chart of this.charts) chart.setCropped(isOnPaper);
  }

  // A second file makes a difference: it is A, what is shown is B.
  async compareWith(file: File): Promise<void> {
    try {
      this.replace(difference(this.profile, await readDropped(await file.text()), file.name, headingOf(this.profile.head)));
    } catch (error) {
      this.say((error as Error).message);
    }
  }

  openExport(opener: HTMLElement): void {
    this.menu.openBelow(opener, "Export what is shown", this.actions.exportItems());
  }

  private listen(): void {
    const { signal } = this.life;
    find("hits").addEventListener("click", (event) => {
      this.menu.openBelow(event.currentTarget as HTMLElement, "What was found", this.actions.hitItems());
    });
    find("export").addEventListener("click", (event) => this.openExport(event.currentTarget as HTMLElement));
    find("commands").addEventListener("click", () => this.commands.open());
    find("reset").addEventListener("click", () => this.zoom(this.shown, 0));
    find("heat-rows").addEventListener("change", () => this.showHeat());
    find("still").addEventListener("click", () => {
      this.state.width = this.measure.width === "kept" ? this.defaults.width : "kept";
      this.measured();
    });
    new Dropping(find("drop"), (file) => this.compareWith(file), signal);
    new Keys(this, signal);
    addEventListener("popstate", () => this.follow(), { signal });
    matchMedia(SPLIT).addEventListener("change", () => this.stacks && this.show(), { signal });
    addEventListener("beforeprint", () => this.setOnPaper(true), { signal });
    addEventListener("afterprint", () => this.setOnPaper(false), { signal });
  }
}
