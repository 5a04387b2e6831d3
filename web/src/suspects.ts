// The suspects that the profile comes with, as a list: each with its share, a sentence, its stack, and what can be done. In a
// series that is long enough they are the places where memory changes, each with its verdict.

import { amount } from "./format";
import { clamped } from "./clamp";
import type { Head, Place, Suspect, ValueType } from "./profile";
import { fitted, readable } from "./names";
import { sparkline } from "./spark";
import { badge, trendOf } from "./verdict";

export interface SuspectEvents {
  zoom(node: number): void; // of the stacks as captured
  pick(node: number): void;
  copy(what: string, text: string): void;
}

const NAME_LETTERS = 80; // in a sentence: what is said of it must be seen, too

function sentenceOf({ name, sentence }: Suspect | Place): string {
  return name.length > NAME_LETTERS ? sentence.split(name).join(fitted(name, NAME_LETTERS)) : sentence;
}

function textElement(tag: string, text: string): HTMLElement {
  return Object.assign(document.createElement(tag), { textContent: readable(text) });
}

export class Suspects {
  constructor(private readonly host: HTMLElement, private readonly events: SuspectEvents) {}

  // `stackText`: one frame a line, what allocates first.
  show(type: ValueType, head: Head, stackText: (node: number) => string): void {
    const trend = trendOf(head, type);
    const listed = trend?.places ?? type.suspects;
    const how = trend ? "The places where memory changes, the steepest first, each with a verdict on all of the series."
      : head.points.length > 2 ? "Ranked by growth over the whole series, from its first point to its last."
      : head.isDifference ? "Ranked by growth since the base."
      : "Ranked by size: what is large need not leak. A comparison with an older profile (--base) or a series (--series) ranks by growth.";
    const about = textElement("p", listed.length === 0 ? "Nothing stands out: no place has a twentieth of all."
      : `${how} Filters do not change this list.`);
    const list = document.createElement("ol");
    list.append(...listed.map((suspect) => this.item(suspect, type, stackText(suspect.node))));
    this.host.replaceChildren(about, list);
  }

  private item(suspect: Suspect | Place, type: ValueType, stack: string): HTMLLIElement {
    const item = document.createElement("li");
    const parts = "verdict" in suspect ? this.judged(suspect, type) : this.ranked(suspect, type);
    item.append(...parts, this.buttons(suspect, stack), this.stack(stack), "LeakSanitizer: ", textElement("code", suspect.suppression));
    return item;
  }

  private ranked(suspect: Suspect, type: ValueType): HTMLElement[] {
    const { name, percent, points } = suspect;
    return [this.title(name), this.figures(name, percent, points, type), ...this.said(suspect)];
  }

  private judged(place: Place, type: ValueType): HTMLElement[] {
    const { name, verdict, slope, share, points, evidence } = place;
    const title = this.title(name, badge(verdict));
    const figures = this.figures(name, 100 * share, points, type);
    figures.append(textElement("span", `${slope}, ${(100 * share).toFixed(0)} % of the growth`));
    const stands = textElement("p", evidence);
    stands.className = "evidence";
    return [title, figures, ...this.said(place), stands];
  }

  // The name, cut where it is long, and what stands beside it, which is seen in any case.
  private title(name: string, ...beside: HTMLElement[]): HTMLElement {
    const title = document.createElement("h2");
    title.append(textElement("span", name));
    if (beside.length > 0) title.append(" ", ...beside);
    return title;
  }

  private said(suspect: Suspect | Place): HTMLElement[] {
    return clamped(textElement("p", sentenceOf(suspect)), readable(suspect.sentence), `what is said of ${readable(suspect.name)}`);
  }

  private figures(name: string, percent: number, points: number[] | undefined, type: ValueType): HTMLElement {
    const figures = document.createElement("div");
    figures.className = "figures";
    const share = document.createElement("meter");
    share.max = 100;
    share.value = percent;
    share.ariaLabel = `share of ${readable(name)}`;
    figures.append(share);
    if (points) figures.append(sparkline(points, `from ${amount(points[0]!, type)} to ${amount(points.at(-1)!, type)}`));
    return figures;
  }

  private buttons(suspect: Suspect | Place, stack: string): HTMLElement {
    const { events } = this;
    const buttons = document.createElement("div");
    buttons.className = "buttons";
    const add = (text: string, run: () => void) => {
      const button = document.createElement("button");
      button.textContent = text;
      button.ariaLabel = `${text}: ${readable(suspect.name)}`;
      button.addEventListener("click", run);
      buttons.append(button);
    };
    add("Zoom to it", () => events.zoom(suspect.node));
    add("Callers and callees", () => events.pick(suspect.node));
    add("Copy the stack", () => events.copy("the stack", stack));
    add("Copy the suppression", () => events.copy("the suppression", `${suspect.suppression}\n`));
    return buttons;
  }

  private stack(text: string): HTMLElement {
    const details = document.createElement("details");
    const stack = document.createElement("pre");
    stack.textContent = text.split("\n").map(readable).join("\n");
    details.append(textElement("summary", "Stack"), stack);
    return details;
  }
}
