// What the page is of, in a line: the program, how much, when, its process, and what kind of profile.

import { amount, both, counted } from "./format";
import type { Measure } from "./measure";
import { readable } from "./names";
import { basename, type Head } from "./profile";
import { timeText } from "./timeline";

// The name of the program: as it was started, else of its file, else of what was read.
export function programOf({ command, program, sources }: Head): string {
  const started = basename(command.split(/\s/)[0] ?? "");
  return readable(started || basename(program ?? "") || (sources[0] ?? ""));
}

export const headingOf = (head: Head) => head.title || programOf(head) || "Memory profile";

function timeOf({ began, points }: Head): string {
  const known = points.filter(({ time }) => time > 0);
  if (known.length > 1) {
    const [from, to] = [known[0]!, known.at(-1)!].map(({ time }) => timeText(time)) as [string, string];
    return from === to ? `${from} UTC` : `${from} to ${to.slice(0, 10) === from.slice(0, 10) ? to.slice(11) : to} UTC`;
  }
  return began ? `began ${timeText(began / 1000)} UTC` : "";
}

function kindOf(head: Head, measure: Measure): string {
  const what = head.points.length > 2 ? `${counted(head.points.length, "profile")} over time`
    : head.points.length === 2 || head.isDifference ? "difference of two profiles" : head.period > 1 ? "sampled profile" : "profile";
  const sampled = head.period > 1 && what !== "sampled profile" ? ", sampled" : "";
  return `${what}${sampled}${head.threads.length > 1 && !measure.isSeries ? `, ${counted(head.threads.length, "thread")}` : ""}`;
}

// `grew` and `released` are those of all that is shown.
export function factsOf(head: Head, measure: Measure, grew: number, released: number): string {
  const total = measure.isDifference ? both(grew, released, measure.valueType, true) : amount(grew, measure.valueType);
  const process = head.process > 0 ? `process ${head.process}` : "";
  const title = head.title ? programOf(head) : "";
  return [title, head.subtitle || total, timeOf(head), process, kindOf(head, measure)].filter((text) => text !== "").join(" \u00b7 ");
}
