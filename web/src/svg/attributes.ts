// Attributes of frames by their names (flamegraph.pl's --nameattr): taken from the picture as it came, for those that
// are drawn later. A link is followed by a click; Ctrl-click zooms.

import type { Picture } from "./picture";

const LINKS = "http://www.w3.org/1999/xlink";

export function keepAttributes(picture: Picture, holder: SVGSVGElement): void {
  if (!holder.lookupNamespaceURI("xlink")) return;
  const { frames, titles } = picture;
  const samples = new Map<number, { group: Element; title: string | undefined }>(); // by name
  for (const group of holder.querySelectorAll("#frames > g")) {
    const node = picture.nodeOf(group);
    if (node === undefined || (group.attributes.length < 2 && group.lastElementChild!.localName !== "a" &&
        group.firstElementChild!.textContent === titles.title(node))) continue;
    const title = group.firstElementChild!.textContent!;
    samples.set(frames.name[node]!, { group, title: title === titles.title(node) ? undefined : title });
  }
  picture.decorate = (node, title) => {
    const sample = samples.get(frames.name[node]!);
    if (!sample) return undefined;
    const group = sample.group.cloneNode(false) as Element;
    const link = sample.group.querySelector("a")?.cloneNode(false) as Element | undefined;
    group.classList.remove("parent");
    if (sample.title !== undefined) title.textContent = sample.title;
    if (link) group.append(link);
    return { group, inner: link ?? group };
  };
}

// Whether a click follows a link instead of zooming.
export function followsLink(event: MouseEvent): boolean {
  const link = (event.target as Element).closest("a");
  if (!link?.hasAttributeNS(LINKS, "href")) return false;
  if (!event.ctrlKey && !event.metaKey) return true;
  event.preventDefault();
  return false;
}
