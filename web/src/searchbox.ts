// The field that is searched with: what stands in it, how it is meant, and what was found.

import { Search, type Hits, type Query } from "./search";

export interface SearchEvents {
  queried(query: Query): void; // something else is looked for
  found(hits: Hits | undefined, problem: string): void;
  step(by: number): void;
  leave(): void;
}

const input = (id: string) => document.getElementById(id) as HTMLInputElement;

export class SearchBox {
  private readonly text = input("search");
  private readonly plain = input("plain");
  private readonly cased = input("case");
  private readonly search: Search;

  constructor(names: string[], query: Query, private readonly events: SearchEvents) {
    this.search = new Search(names);
    this.set(query);
    const changed = () => {
      this.run();
      events.queried(this.query);
    };
    this.text.addEventListener("input", changed);
    this.plain.addEventListener("change", changed);
    this.cased.addEventListener("change", changed);
    this.text.addEventListener("keydown", (event) => this.key(event));
    input("next").addEventListener("click", () => events.step(1));
    input("previous").addEventListener("click", () => events.step(-1));
    if (query.text) this.run();
  }

  // As a link says.
  set({ text, isPlain, isCaseSensitive }: Query): void {
    this.text.value = text;
    this.plain.checked = isPlain;
    this.cased.checked = isCaseSensitive;
  }

  // Looks for something else.
  ask(query: Query): void {
    this.set(query);
    this.run();
    this.events.queried(query);
  }

  get query(): Query {
    return { text: this.text.value, isPlain: this.plain.checked, isCaseSensitive: this.cased.checked };
  }

  focus(): void {
    this.text.select();
  }

  private key(event: KeyboardEvent): void {
    if (event.key === "Enter") this.events.step(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") this.events.leave();
    event.stopPropagation();
  }

  run(): void {
    const { query } = this;
    if (!query.text) {
      this.search.stop();
      return this.events.found(undefined, "");
    }
    this.search.find(query).then(
      (hits) => this.events.found(hits, ""),
      (error: Error) => this.events.found(undefined, error.message),
    );
  }
}
