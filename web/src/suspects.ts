// The suspects that the profile comes with, as a list: each with its share, a sentence, its stack, and what can be done.

import { amount } from "./format";
import type { Head, Suspect, ValueType } from "./profile";
import { readable } from "./names";
import { sparkline } from "./spark";

export interface SuspectEvents {
  zoom(suspect: Suspect): void;
  pick(suspect: Suspect): void;
  copy(what: string, text: string): void;
}

export class Suspects {
  constructor(private readonly host: HTMLElement, private readonly events: SuspectEvents) {}

  // `stackText`: one frame a line, what allocates first.
  show(type: ValueType, head: Head, stackText: (suspect: Suspect) => string): void {
    const about = document.createElement("p");
    const how = head.points.length > 2 ? "Ranked by growth over the whole series, from its first point to its last."
      : head.isDifference ? "Ranked by growth since the base."
      : "Ranked by size: what is large need not leak. A comparison with an older profile (--base) or a series (--series) ranks by growth.";
    about.textContent = type.suspects.length === 0 ? "Nothing stands out: no place has a twentieth of all."
      : `${how} Filters do not change this list.`;
    const list = document.createElement("ol");
    list.append(...type.suspects.map((suspect) => this.item(suspect, type, stackText(suspect))));
    this.host.replaceChildren(about, list);
  }

  private item(suspect: Suspect, type: ValueType, stack: string): HTMLLIElement {
    const item = document.createElement("li");
    const title = document.createElement("h2");
    const name = readable(suspect.name);
    title.textContent = name;
    const share = document.createElement("meter");
    share.max = 100;
    share.value = suspect.percent;
    share.ariaLabel = `share of ${name}`;
    const sentence = document.createElement("p");
    sentence.textContent = readable(suspect.sentence);
    const suppression = document.createElement("code");
    suppression.textContent = readable(suspect.suppression);
    const { points } = suspect;
    const spark = points ? [sparkline(points, `from ${amount(points[0]!, type)} to ${amount(points.at(-1)!, type)}`)] : [];
    item.append(title, share, ...spark, sentence, this.buttons(suspect, stack), this.stack(stack), "LeakSanitizer: ", suppression);
    return item;
  }

  private buttons(suspect: Suspect, stack: string): HTMLElement {
    const { events } = this;
    const buttons = document.createElement("p");
    const add = (text: string, run: () => void) => {
      const button = document.createElement("button");
      button.textContent = text;
      button.ariaLabel = `${text}: ${readable(suspect.name)}`;
      button.addEventListener("click", run);
      buttons.append(button);
    };
    add("Zoom to it", () => events.zoom(suspect));
    add("Callers and callees", () => events.pick(suspect));
    add("Copy the stack", () => events.copy("the stack", stack));
    add("Copy the suppression", () => events.copy("the suppression", `${suspect.suppression}\n`));
    return buttons;
  }

  private stack(text: string): HTMLElement {
    const details = document.createElement("details");
    const summary = document.createElement("summary");
    summary.textContent = "Stack";
    const stack = document.createElement("pre");
    stack.textContent = text.split("\n").map(readable).join("\n");
    details.append(summary, stack);
    return details;
  }
}
