// The field for a search: made when asked for, in the corner of what is on the screen.

import { SVG } from "./picture";

const XHTML = "http://www.w3.org/1999/xhtml";
const WIDTH = 310;

export class SearchField {
  private box: SVGForeignObjectElement | undefined;

  constructor(private readonly holder: SVGSVGElement, private readonly enter: (term: string) => void) {}

  close(): void {
    this.box?.remove();
    this.box = undefined;
  }

  open(term: string): void {
    this.close();
    const area = this.holder.getBoundingClientRect();
    const corner = new DOMPoint(Math.min(window.innerWidth, area.right) - WIDTH - 20, Math.max(8, area.top + 30))
      .matrixTransform(this.holder.getScreenCTM()!.inverse());
    const box = document.createElementNS(SVG, "foreignObject");
    const place = { x: Math.max(0, corner.x), y: corner.y, width: WIDTH, height: 34 };
    for (const [key, value] of Object.entries(place)) box.setAttribute(key, String(value));
    const input = this.input(term);
    box.append(input);
    this.holder.append(box);
    this.box = box;
    input.focus({ preventScroll: true });
    input.select();
  }

  private input(term: string): HTMLInputElement {
    const input = document.createElementNS(XHTML, "input") as HTMLInputElement;
    const attributes = {
      id: "term", type: "text", "aria-label": "Search: a regular expression", placeholder: "regular expression, Enter to search",
      style: `box-sizing:border-box;width:${WIDTH - 10}px;font-size:14px;padding:4px`,
    };
    for (const [key, value] of Object.entries(attributes)) input.setAttribute(key, value);
    input.value = term;
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") this.close();
      if (event.key !== "Enter") return;
      this.close();
      this.enter(input.value);
    });
    return input;
  }
}
