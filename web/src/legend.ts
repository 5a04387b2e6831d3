// What is seen, in a line: what widths, order and colours mean, and what the numbers are.

import { titleOfType } from "./controls";
import { amount, BYTES } from "./format";
import { COLORINGS, type ProfileLook } from "./look";
import type { Measure } from "./measure";
import { readable } from "./names";
import type { Head } from "./profile";
import type { State } from "./state";
import type { ViewKind } from "./views";

const WIDTH_LEGEND = {
  both: "what grew and what was released", grew: "what grew", released: "what was released", after: "all in use in B", before: "all in use in A",
  kept: "what grew and stays until the end",
};

const SOURCES_SHOWN = 3;

function sourcesOf({ sources }: Head): string {
  const rest = sources.length - SOURCES_SHOWN;
  return sources.slice(0, SOURCES_SHOWN).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

function processOf({ process, command }: Head): string[] {
  const known = [...(process ? [process] : []), ...(command ? [readable(command)] : [])];
  return known.length > 0 ? [`Process: ${known.join(" ")}`] : [];
}

export function legendOf(head: Head, measure: Measure, look: ProfileLook, state: State, view: ViewKind): string[] {
  const type = measure.valueType;
  const unit = type.unit === "count" ? "" : ` (${type.unit})`;
  const title = `${titleOfType(type)}${titleOfType(type).startsWith(type.unit) ? "" : unit}`;
  const width = measure.isDifference ? `${WIDTH_LEGEND[measure.width]} of ${title}` : title;
  const order = view.order === "size" ? "the largest first" : "by name, not by time";
  return [
    `Width: ${width}${measure.isDifference && state.isNormalised ? ", the older scaled to the total of the newer" : ""}, of a frame with its ${view.isReversed ? "callers" : "callees"}`,
    `Order: ${order}`,
    `Colour: ${COLORINGS[look.coloring].legend}${measure.isDifference ? "; + grew, \u2212 was released, \u00b1 both" : ""}`,
    ...(head.period > 1 ? [`Sampled about once in ${amount(head.period, BYTES)}: numbers are estimates`] : []),
    ...processOf(head),
    ...(head.sources.length > 0 ? [`From ${sourcesOf(head)}`] : []),
  ];
}
