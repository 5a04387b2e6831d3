#!/usr/bin/env node
// How bench/viewer judges two builds (bench/_paired.mjs): noise that slows both, and rounds in which one alone was slowed, move
// nothing; a build that is slower is MISSED; where rounds do not agree it says so.
// sanitized: no, it tests what benchmarks make of their figures
import { median, pairedRatio, verdictOf } from "../../bench/_paired.mjs";
import { dice } from "../browser/scenes.mjs";

function expectVerdict(what, then, now, verdict, least, most) {
  const found = pairedRatio(then, now);
  const got = verdictOf(found, 1.1);
  const told = `${what}: ${got}, ${found.ratio.toFixed(3)} (${found.low.toFixed(3)} to ${found.high.toFixed(3)})`;
  console.log(told);
  if (got !== verdict || !(least <= found.ratio && found.ratio <= most && found.low <= found.ratio && found.ratio <= found.high))
    throw new Error(`${told}, expected ${verdict}, ${least} to ${most}`);
}

const roll = dice(5);
const noise = (percent) => 1 + (roll(2001) - 1000) * percent / 100000;
const rounds = Array.from({ length: 14 }, () => 300 * (1 + roll(100) / 50)); // the load of the machine, up to threefold
const times = (factor, percent) => rounds.map((ms) => ms * factor * noise(percent));

if (median([3, 1, 2]) !== 2 || median([4, 1, 3, 2]) !== 2.5) throw new Error("median");
expectVerdict("alike", times(1, 4), times(1, 4), "met", 0.97, 1.03);
expectVerdict("a third slower", times(1, 4), times(1.33, 4), "MISSED", 1.28, 1.38);
expectVerdict("an eighth slower, clearly", times(1, 2), times(1.13, 2), "MISSED", 1.11, 1.15);
expectVerdict("a fifth slower, in much noise", times(1, 30), times(1.2, 30), "undecided", 1.1, 1.4);
// The least of these is that of one lucky round of the older build; four rounds were disturbed while the newer ran.
const lucky = times(1, 3);
lucky[6] = 100;
expectVerdict("alike, but for one lucky round and four disturbed ones", lucky, times(1, 3).map((ms, i) => (i % 4 === 1 ? 3 * ms : ms)), "met", 0.97, 1.09);
