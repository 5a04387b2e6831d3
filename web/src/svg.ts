// Boxes as an SVG picture without script, built as a document, so that it is well-formed whatever the names are.

import { FONT_FAMILY } from "./canvas";
import { cssOf } from "./color";
import type { Surface } from "./painter";
import { BOX_PX } from "./section";

const NAMESPACE = "http://www.w3.org/2000/svg";

// What XML cannot hold.
const ILLEGAL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const escaped = (text: string) => text.replace(ILLEGAL, (c) => `\\u{${c.charCodeAt(0).toString(16)}}`);

const px = (value: number) => String(Math.round(value * 100) / 100);

export class SvgSurface implements Surface {
  private readonly document = document.implementation.createDocument(NAMESPACE, "svg");

  describe: (node: number) => string = () => ""; // title of a frame of what is painted

  constructor(width: number, height: number, readonly charPx: number) {
    const root = this.document.documentElement;
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}`, "font-family": FONT_FAMILY, "font-size": 12 }))
      root.setAttribute(name, String(value));
    this.add(root, "rect", { width: px(width), height: px(height), fill: "#fff" });
  }

  box(node: number | undefined, x: number, y: number, width: number, color: number, opacity: number): void {
    const group = this.add(this.document.documentElement, "g", {});
    if (node !== undefined) this.add(group, "title", {}, this.describe(node));
    const look = { fill: cssOf(color), ...(opacity < 1 ? { "fill-opacity": String(opacity) } : {}) };
    this.add(group, "rect", { x: px(x), y: px(y), width: px(width), height: px(BOX_PX), ...look });
  }

  label(text: string, x: number, y: number, _room: number, ink: string): void {
    this.add(this.document.documentElement.lastElementChild!, "text", { x: px(x), y: px(y + BOX_PX / 2 + 4), fill: ink }, text);
  }

  line(text: string, y: number, isTitle: boolean): void {
    this.add(this.document.documentElement, "text", { x: "6", y: px(y + 4), ...(isTitle ? { "font-weight": "bold" } : {}) }, text);
  }

  text(): string {
    return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(this.document)}\n`;
  }

  private add(parent: Element, name: string, attributes: Record<string, string>, text = ""): Element {
    const element = this.document.createElementNS(NAMESPACE, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text) element.textContent = escaped(text);
    parent.append(element);
    return element;
  }
}
