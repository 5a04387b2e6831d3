// The answer above the graph: what the page is of, and a line for each of the top suspects.

import { amount } from "./format";
import { readable, shortName } from "./names";
import { distinguishing } from "./paths";
import { pathOf } from "./tree";
import { sourceOf, sourceShort, type Place, type Profile, type Suspect, type ValueType } from "./profile";
import { sparkline } from "./spark";
import { sumOf } from "./tree";
import { badge, trendOf } from "./verdict";

const LINES_AT_MOST = 5;
const GROWTH = "of the growth";
const LETTER_REM = 0.49; // of the owners' font

// Other values of the same recording, and what a line of theirs is marked with.
const BESIDE: { name: string; mark: string; of: string }[] = [
  { name: "resident_space", mark: "resident", of: "of what is resident" }, { name: "peak_space", mark: "at the peak", of: "of the peak" },
];

// A place of other values than those that are shown.
interface Beside {
  suspect: Suspect;
  type: ValueType;
  mark: string;
  of: string;
}

function cell(kind: string, text: string, title = text): HTMLSpanElement {
  return Object.assign(document.createElement("span"), { className: kind, textContent: text, title });
}

// Where there is no room, its beginning is cut: names tell most at their ends.
function endingCell(kind: string, text: string, title = text): HTMLSpanElement {
  const of = cell(kind, "", title);
  of.append(Object.assign(document.createElement("bdi"), { textContent: text, dir: "ltr" }));
  return of;
}

export class Answer {
  constructor(private readonly host: HTMLElement, private readonly profile: Profile, private readonly zoom: (node: number, type: ValueType) => void,
    private readonly hover: (name: number | undefined) => void) {}

  show(type: ValueType): void {
    const trend = trendOf(this.profile.head, type);
    const listed: (Suspect | Place)[] = (trend ? trend.places.filter(({ verdict }) => verdict !== "steady") : type.suspects.length > 0 ? type.suspects : this.found()).slice(0, LINES_AT_MOST);
    const beside = this.beside(type);
    const all = [...beside.map(({ suspect }) => suspect), ...listed];
    const { names } = this.profile;
    const callers = all.map(({ node }) => pathOf(this.profile, node).slice(1).reverse().map((name) => names[name]!));
    const paths = distinguishing(callers);
    this.host.hidden = all.length === 0;
    this.host.classList.toggle("judged", trend !== undefined || beside.length > 0);
    this.host.classList.toggle("growing", this.isOfGrowth);
    this.host.classList.toggle("curved", listed.some(({ points }) => (points?.length ?? 0) > 2));
    this.host.classList.toggle("sourced", all.some(({ node }) => sourceOf(this.profile, this.profile.name[node]!) !== ""));
    // Names come before paths: as long as the longest, as far as there is room.
    this.host.style.setProperty("--owner", `${Math.max(...all.map(({ name }) => shortName(readable(name)).length), 0) * LETTER_REM + 0.5}rem`);
    this.host.replaceChildren(...all.map((suspect, i) => this.line(suspect, beside[i]?.type ?? type, paths[i]!, beside[i])));
  }

  private get isOfGrowth(): boolean {
    return this.profile.head.points.length > 0 || this.profile.head.isDifference;
  }

  // Where memory is that the bytes in use do not show: a place that holds more than all of them, because it did not ask malloc
  // for it, or held it at the peak.
  private beside({ name: shown }: ValueType): Beside[] {
    const { head, grew } = this.profile;
    if (shown !== "inuse_space" || head.isDifference || head.points.length > 0) return [];
    const inUse = sumOf(grew[head.types.findIndex(({ name }) => name === shown)]!);
    return BESIDE.flatMap(({ name, mark, of }) => {
      const type = head.types.find((other) => other.name === name);
      const suspect = type?.suspects.find((one) => !one.name.startsWith("[") && one.value > inUse);
      return type && suspect ? [{ suspect, type, mark, of }] : [];
    }).sort((a, b) => b.suspect.value - a.suspect.value);
  }

  // Of a difference that the page made itself: the stacks that grew most.
  private found(): Suspect[] {
    const { head, grew, name, names, steps } = this.profile;
    if (head.points.length !== 2 || head.types[0]!.suspects.length > 0) return [];
    const { by, nodes } = steps[0]![0]!;
    const whole = by.reduce((sum, value) => sum + Math.max(value, 0), 0);
    return [...nodes].map((node, i) => ({ node, value: by[i]! })).filter(({ value }) => value * 20 > whole).sort((a, b) => b.value - a.value)
      .map(({ node, value }) => ({ name: names[name[node]!]!, value, percent: (100 * value) / whole, sentence: "", suppression: "", node, points: [grew[0]![node]!, grew[0]![node]! + value] }));
  }

  private line(suspect: Suspect | Place, type: ValueType, path: string[], beside: Beside | undefined): HTMLLIElement {
    const { profile } = this;
    const item = document.createElement("li");
    const button = document.createElement("button");
    const points = suspect.points ?? [];
    const [held, share] = "verdict" in suspect ? [points.at(-1)!, 100 * suspect.share] : [suspect.value, suspect.percent];
    const of = beside ? beside.of : "verdict" in suspect || this.isOfGrowth ? GROWTH : "of all";
    const grown = of === GROWTH && !("verdict" in suspect) ? "+" : "";
    const name = profile.name[suspect.node]!;
    button.append(cell("held", `${grown}${amount(held, type)}`), cell("share", `${share.toFixed(0)} %${of === GROWTH ? " of growth" : ""}`, `${share.toFixed(1)} % ${of}`));
    const curve = cell("curve", "", "");
    if (points.length > 2) curve.append(sparkline(points, `from ${amount(points[0]!, type)} to ${amount(points.at(-1)!, type)}`));
    const verdict = cell("judged", "", "");
    if ("verdict" in suspect) verdict.append(badge(suspect.verdict));
    else if (beside) verdict.append(badge(beside.mark));
    const owner = endingCell("owner", shortName(readable(suspect.name)), readable(suspect.name));
    const via = path.map((frame) => shortName(readable(frame))).join(" \u203a ");
    button.append(curve, verdict, owner, cell("source", sourceShort(profile, name), sourceOf(profile, name)), endingCell("path", via && `${via} \u203a`));
    button.title = readable(suspect.sentence);
    button.addEventListener("click", () => this.zoom(suspect.node, type));
    button.addEventListener("mouseenter", () => this.hover(name));
    button.addEventListener("mouseleave", () => this.hover(undefined));
    item.append(button);
    return item;
  }
}
