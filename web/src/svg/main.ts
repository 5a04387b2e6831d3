// Zoom, search and hover for an SVG flame graph. Without it the file is complete; with it frames answer, and are redrawn
// from the file's own data. It loads nothing, and puts text into the page as text only.

import { NoWorker, Search, type Query } from "../search";
import { followsLink, keepAttributes } from "./attributes";
import { readFrames } from "./frames";
import { readNode, readTerm, readUnfolded, writeLink } from "./link";
import { matchedPercent } from "./matched";
import { Picture } from "./picture";
import { SearchField } from "./searchfield";

const holder = (document.currentScript as unknown as SVGScriptElement | null)?.ownerSVGElement ??
  (document.documentElement as unknown as SVGSVGElement);
const byId = (id: string) => holder.querySelector<SVGGraphicsElement>(`#${id}`)!;

class Viewer {
  private readonly field = new SearchField(holder, (term) => this.search(term));
  private readonly finder: Search;
  private readonly details = byId("details");
  private readonly resting = this.details.textContent!;
  private lasting = this.resting; // shown while nothing is pointed at
  private readonly height = holder.viewBox.baseVal.height;
  private term = "";
  private ignoresCase = false;
  private hovered: number | undefined;

  constructor(private readonly picture: Picture) {
    this.finder = new Search(picture.frames.names);
    holder.addEventListener("click", (event) => this.click(event));
    holder.addEventListener("mousemove", (event) => this.hover(event));
    holder.addEventListener("mouseleave", () => this.say(this.lasting));
    window.addEventListener("keydown", (event) => this.key(event));
    this.readLink();
  }

  // A sentence that stays until the next one.
  private say(sentence: string): void {
    this.lasting = sentence;
    this.details.textContent = sentence;
  }

  private readLink(): void {
    const node = readNode(this.picture);
    if (node < 0) this.say("The link's frame is not in this picture.");
    if (node > 0) this.zoom(node, readUnfolded());
    if (readTerm()) this.search(readTerm());
  }

  // To a frame; unfolded: each frame in it has a row.
  private zoom(node: number, isUnfolded = false): void {
    this.picture.zoomed = node;
    this.picture.isUnfolded = isUnfolded;
    this.draw();
    show("unzoom", node !== 0);
  }

  private draw(): void {
    this.picture.draw();
    this.makeRoom();
    this.showMatched();
    writeLink(this.picture, this.term);
  }

  // Frames that appear may be deeper than those of the picture as it came: it grows where the root is not.
  private makeRoom(): void {
    const { isInverted, levels, rowHeight, width } = this.picture.frames.head;
    const before = holder.viewBox.baseVal.height;
    const more = Math.max(this.picture.levels - levels, 0) * rowHeight;
    const height = this.height + more;
    if (height === before) return;
    const top = isInverted ? 0 : -more;
    holder.setAttribute("viewBox", `0 ${top} ${width} ${height}`);
    holder.setAttribute("height", String(height));
    for (const child of holder.children) {
      const isFoot = child.id === "details" || child.id === "matched";
      if (child.localName === "text" && isFoot === isInverted) child.setAttribute("transform", `translate(0 ${isInverted ? more : top})`);
      if (child.localName === "rect") child.setAttribute("y", String(top));
    }
    if (!isInverted) window.scrollBy(0, (height - before) * holder.getScreenCTM()!.d);
  }

  private showMatched(): void {
    const { isHit } = this.picture;
    byId("matched").textContent = isHit ? `Matched: ${matchedPercent(this.picture, isHit)}%` : " ";
  }

  private showHits(isHit: Uint8Array | undefined): void {
    const isChanged = isHit !== undefined || this.picture.isHit !== undefined;
    this.picture.isHit = isHit;
    byId("search").textContent = isHit ? "Reset Search" : "Search";
    if (isChanged) this.draw();
    else writeLink(this.picture, this.term);
  }

  private search(term: string): void {
    this.term = term;
    this.say(this.resting);
    if (!term) return this.showHits(undefined);
    const query: Query = { text: term, isPlain: false, isCaseSensitive: !this.ignoresCase };
    this.finder.find(query).catch((error: Error) => {
      if (!(error instanceof NoWorker)) throw error;
      this.say("This page may not run a regular expression: looking for the text as it is.");
      return this.finder.find({ ...query, isPlain: true });
    }).then((hits) => this.showHits(hits.isHit), (error: Error) => {
      this.showHits(undefined);
      this.say(`${error.message[0]!.toUpperCase()}${error.message.slice(1)}: ${term}`);
    });
  }

  private toggleCase(): void {
    this.ignoresCase = !this.ignoresCase;
    byId("ignorecase").textContent = this.ignoresCase ? "IC" : "ic";
    if (this.term) this.search(this.term);
  }

  private press(id: string): void {
    if (id === "unzoom") this.zoom(0);
    else if (id === "search" && this.term) {
      this.field.close();
      this.search("");
    } else if (id === "search") this.field.open(this.term);
    else if (id === "ignorecase") this.toggleCase();
  }

  private click(event: MouseEvent): void {
    if (followsLink(event)) return;
    const node = this.nodeUnder(event);
    if (node !== undefined) this.zoom(node, this.picture.isFold(node));
    else this.press((event.target as Element).id);
  }

  // The frame that the pointer is on.
  private nodeUnder(event: MouseEvent): number | undefined {
    const target = event.target as Element;
    const group = target.closest("#frames > g");
    if (group) return this.picture.nodeOf(group);
    if (!target.closest("#small")) return undefined;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(holder.getScreenCTM()!.inverse());
    return this.picture.nodeAt(x, y);
  }

  private hover(event: MouseEvent): void {
    const node = this.nodeUnder(event);
    if (node === this.hovered) return;
    this.hovered = node;
    const own = (event.target as Element).closest("#frames > g")?.querySelector("title")?.textContent;
    this.details.textContent = node === undefined ? this.lasting :
      `${this.picture.frames.head.nameType} ${own ?? this.picture.titles.title(node)}`;
  }

  private key(event: KeyboardEvent): void {
    const key = event.key.toLowerCase();
    const isControl = event.ctrlKey || event.metaKey;
    const button = event.target instanceof Element && event.target.classList.contains("button") ? event.target.id : undefined;
    if (key === "f3" || (isControl && key === "f")) this.field.open(this.term);
    else if (isControl && key === "i") this.toggleCase();
    else if (button && (key === "enter" || key === " ")) this.press(button);
    else return;
    event.preventDefault();
  }
}

function show(id: string, isShown: boolean): void {
  if (isShown) byId(id).removeAttribute("display");
  else byId(id).setAttribute("display", "none");
}

// The mean width of a letter is wrong for some names: labels are set anew with the font that is there.
function setLabels(picture: Picture): void {
  for (const text of holder.querySelectorAll("#frames > g > text")) {
    const node = picture.nodeOf(text.parentElement!)!;
    text.textContent = picture.label(node, Number(text.parentElement!.querySelector("rect")!.getAttribute("width")));
  }
}

async function start(): Promise<void> {
  if (!byId("data")) return; // nothing is drawn
  const group = byId("frames");
  const { fontFamily, fontSize } = getComputedStyle(holder);
  const frames = await readFrames(byId("head").textContent!, byId("data").textContent!);
  const picture = new Picture(frames, group, `${fontSize} ${fontFamily}`);
  group.setAttribute("class", "live");
  keepAttributes(picture, holder);
  setLabels(picture);
  show("search", true);
  show("ignorecase", true);
  new Viewer(picture);
}

start().catch((error: Error) => {
  byId("details").textContent = `The frames of this picture do not answer: ${error.message}`;
});
