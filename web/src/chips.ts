// The legend as chips: of groups, the largest in the picture, each with what it filters; of a change, its scale.

import { cssOf } from "./color";
import { isScale, type ProfileLook } from "./look";
import type { Layout } from "./layout";
import { readable } from "./names";
import { scaleOf } from "./palette";

const SHOWN = 8;

function swatch(color: number): HTMLElement {
  const of = document.createElement("i");
  of.style.background = cssOf(color);
  return of;
}

export class Chips {
  constructor(private readonly host: HTMLElement, private readonly look: ProfileLook, private readonly keep: (group: string) => void,
    private readonly menu: (group: string, x: number, y: number) => void) {}

  show(layout: Layout | undefined): void {
    const { coloring, groups, theme } = this.look;
    if (isScale(coloring)) {
      this.host.replaceChildren(...scaleOf(theme, coloring === "red-blue").map(({ title, color }) => {
        const step = document.createElement("span");
        step.append(swatch(color), title);
        return step;
      }));
    } else if (coloring === "groups" && layout) {
      const colors = this.look.groupColors(layout);
      this.host.replaceChildren(...this.look.ranked(layout).slice(0, SHOWN).map((group) => this.chip(groups.titles[group]!, colors[group]!)));
    } else {
      this.host.replaceChildren();
    }
  }

  private chip(title: string, color: number): HTMLButtonElement {
    const chip = document.createElement("button");
    chip.append(swatch(color), Object.assign(document.createElement("bdi"), { textContent: readable(title) }));
    chip.title = `Keep only stacks through ${readable(title)}; right click for more`;
    chip.addEventListener("click", () => this.keep(title));
    chip.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      this.menu(title, event.clientX, event.clientY);
    });
    return chip;
  }
}
