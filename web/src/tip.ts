// What is under the pointer, told at the pointer. It takes no room of anything, and no events.

export type Fact = [title: string, value: string];

const AWAY_PX = 14;

export class Tip {
  private shown: unknown;

  constructor(private readonly host: HTMLElement) {}

  // `key` says what it is about: the same is not written anew when the pointer only moves.
  show(key: unknown, x: number, y: number, make: () => { title: string; facts: Fact[]; hint: string }): void {
    const { host } = this;
    if (key !== this.shown) {
      const { title, facts, hint } = make();
      const list = document.createElement("dl");
      for (const [name, value] of facts)
        list.append(Object.assign(document.createElement("dt"), { textContent: name }), Object.assign(document.createElement("dd"), { textContent: value }));
      host.replaceChildren(Object.assign(document.createElement("p"), { textContent: title }), list,
        Object.assign(document.createElement("p"), { textContent: hint, className: "hint" }));
      host.hidden = false;
      this.shown = key;
    }
    const { offsetWidth, offsetHeight } = host;
    const left = x + AWAY_PX + offsetWidth > innerWidth ? x - AWAY_PX - offsetWidth : x + AWAY_PX;
    const top = y + AWAY_PX + offsetHeight > innerHeight ? y - AWAY_PX - offsetHeight : y + AWAY_PX;
    host.style.transform = `translate(${Math.max(left, 0)}px, ${Math.max(top, 0)}px)`;
  }

  hide(): void {
    this.host.hidden = true;
    this.shown = undefined;
  }
}
