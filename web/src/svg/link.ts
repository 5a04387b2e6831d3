// What a link to a picture holds. flamegraph.pl's: s is what is searched for, x and y are where the zoomed frame lies in
// the picture as it comes. These break when the picture is made anew; f, each name from the root to that frame, does not. u: each frame
// in it has a row.

import { nodeOf, pathOf } from "./frames";
import type { Picture } from "./picture";

const NEAR = 0.051; // px, as such links are rounded

export function readTerm(): string {
  return new URL(location.href).searchParams.get("s") ?? "";
}

// The node that the link leads to; 0 if to none in particular, -1 if it is not in this picture.
export function readNode(picture: Picture): number {
  const given = new URL(location.href).searchParams;
  const path = given.getAll("f");
  if (path.length) return nodeOf(picture.frames, path);
  if (!given.has("x") || !given.has("y")) return 0;
  const x = parseFloat(given.get("x")!);
  const y = parseFloat(given.get("y")!);
  const { breadth, count } = picture.frames;
  let found = -1;
  for (let node = 0; node < count; node++) {
    const home = picture.home(node);
    const isThere = Math.abs(home.x - x) < NEAR && Math.abs(home.y - y) < NEAR;
    if (isThere && (found < 0 || breadth[node]! > breadth[found]!)) found = node;
  }
  return found;
}

// Whether each frame in it has a row.
export const readUnfolded = () => new URL(location.href).searchParams.has("u");

export function writeLink(picture: Picture, term: string): void {
  const link = new URL(location.href);
  for (const key of ["s", "x", "y", "f", "u"]) link.searchParams.delete(key);
  if (term) link.searchParams.set("s", term);
  if (picture.zoomed > 0) {
    const { x, y } = picture.home(picture.zoomed);
    link.searchParams.set("x", String(x));
    link.searchParams.set("y", String(y));
    if (picture.isUnfolded) link.searchParams.set("u", "1");
    for (const name of pathOf(picture.frames, picture.zoomed)) link.searchParams.append("f", name);
  }
  try {
    if (link.href !== location.href) history.replaceState(null, "", link.href);
  } catch {
    // Some frames and schemes forbid it: the link in the address bar stays as it is.
  }
}
