#!/usr/bin/env node
// A series of profiles in the HTML flame graph: the slider of time, what grew in a range and is still in use at its end, lines
// of growth in the table and in the suspects, links. The same for a comparison with a base: widths, equal totals, colours.
// timeout: 300
// sanitized: no, it tests what the page does in a browser
import { spawnSync } from "node:child_process";
import { utimesSync, writeFileSync } from "node:fs";
import { expect, expectEqual } from "../browser/browser.mjs";
import { details, draw, drawFiles, open, rows, runTests, select, tick } from "../browser/page.mjs";

const POINTS = [
  { "main;serve;leak": 1000, "main;cache": 9000, "main;steady": 5000 },
  { "main;serve;leak": 3000, "main;cache": 3000, "main;steady": 5000, "main;passing": 700 },
  { "main;serve;leak": 4000, "main;cache": 3500, "main;steady": 5000 },
  { "main;serve;leak": 7000, "main;cache": 3600, "main;steady": 5000, "main;new_one;leak": 10 },
];
const FILES = POINTS.map((point, i) => {
  const name = `point-${i}.folded`;
  writeFileSync(name, Object.entries(point).map(([stack, value]) => `${stack} ${value}\n`).join(""));
  utimesSync(name, 1795300000 + 60 * i, 1795300000 + 60 * i);
  return name;
});

// The stacks that are shown, as [grew, released].
const shown = (page) => page.evaluate(() => {
  const { main: { layout: { tree } }, profile: { names } } = heapflame;
  const path = (node) => (node > 0 ? `${path(tree.parent[node])};${names[tree.name[node]]}` : "");
  return Object.fromEntries(Array.from({ length: tree.count }, (_, node) => node)
    .filter((node) => tree.grew[node] || tree.released[node])
    .map((node) => [path(node).slice(1), [tree.grew[node], tree.released[node]]]).sort());
});

// The same, worked out from the points.
function changed(from, to) {
  const stacks = [...new Set([from, to].flatMap((point) => Object.keys(POINTS[point])))].sort();
  return Object.fromEntries(stacks.map((stack) => {
    const change = (POINTS[to][stack] ?? 0) - (POINTS[from][stack] ?? 0);
    return [stack, [Math.max(change, 0), Math.max(-change, 0)]];
  }).filter(([, [grew, released]]) => grew || released));
}

// Whatever is drawn: each frame is what it and its callees grew and released, as wide as both together, and its callees lie side by
// side within it, behind what is its own.
async function addsUp(page, what) {
  const { wrong, both } = await page.evaluate(() => {
    const { layout: { tree, grew, released, width, start } } = heapflame.main;
    const sums = [tree.grew.slice(), tree.released.slice()];
    for (const values of sums) for (let node = tree.count - 1; node > 0; node--) values[tree.parent[node]] += values[node];
    const found = [];
    for (let node = 0; node < tree.count; node++) {
      const name = heapflame.profile.names[tree.name[node]];
      if (grew[node] !== sums[0][node] || released[node] !== sums[1][node]) found.push(`${name}: +${grew[node]} -${released[node]}, not +${sums[0][node]} -${sums[1][node]}`);
      if (width[node] !== sums[0][node] + sums[1][node]) found.push(`${name}: ${width[node]} wide`);
      const inside = Array.from({ length: tree.count }, (_, child) => child).filter((child) => child > 0 && tree.parent[child] === node).sort((a, b) => start[a] - start[b] || width[a] - width[b]);
      let at = start[node] + tree.grew[node] + tree.released[node];
      for (const child of inside) {
        if (start[child] !== at) found.push(`${heapflame.profile.names[tree.name[child]]} begins at ${start[child]} in ${name}, not at ${at}`);
        at += width[child];
      }
      if (at !== start[node] + width[node]) found.push(`${name} ends at ${start[node] + width[node]}, its callees at ${at}`);
    }
    return { wrong: found, both: Array.from(sums[0]).some((value, node) => value > 0 && sums[1][node] > 0) };
  });
  expectEqual(wrong, [], `${what}: what does not add up`);
  return both;
}

const slide = (page, title, to) => page.getByRole("slider", { name: title }).fill(String(to));
const said = (page) => page.textContent("#timeline output");

async function slidesThroughTime(browser) {
  const page = await open(browser, drawFiles("series", FILES, "--series"));
  expectEqual(await shown(page), changed(0, 3), "from the first to the last");
  expectEqual(await said(page), "net +610 \u00b7 from 15,000 to 15,610 \u00b7 point-0.folded, 2026-11-21 22:26:40 UTC to point-3.folded, 2026-11-21 22:29:40 UTC",
    "what is said");
  expect(await addsUp(page, "by name"), "no frame of which some grew and some was released");
  await page.keyboard.press("4");
  expect(await addsUp(page, "the largest first"), "no such frame, the largest first");
  await page.keyboard.press("2");
  await slide(page, "From", 1);
  expectEqual(await shown(page), changed(1, 3), "from the second");
  await slide(page, "To", 2);
  expectEqual(await shown(page), changed(1, 2), "to the third");
  expectEqual(new URL(page.url()).hash, "#r=1-2", "link");
  expectEqual(await shown(await open(browser, page.url())), changed(1, 2), "by the link");
  await slide(page, "To", 0);
  expectEqual(await shown(page), Object.fromEntries(Object.entries(POINTS[0]).sort().map(([stack, value]) => [stack, [value, 0]])),
    "one point: what is in use");
  expect((await said(page)).startsWith("15,000 in use at point-0.folded"), await said(page));
  expectEqual(await rows(page).then((all) => all[0]), ["all 15000"], "no difference");
  const { x, y, width } = await page.locator("#timeline canvas").boundingBox();
  await page.mouse.move(x + width * 0.34, y + 20);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.6, y + 20);
  await page.mouse.move(x + width * 0.99, y + 20);
  await page.mouse.up();
  expectEqual(await shown(page), changed(1, 3), "by the mouse");
  await page.mouse.click(x + width * 0.34, y + 20);
  expectEqual(await shown(page), Object.fromEntries(Object.entries(POINTS[1]).sort().map(([stack, value]) => [stack, [value, 0]])), "a click: one point");
  await page.goto(`${page.url().split("#")[0]}#r=1-3`);
  await page.waitForFunction(() => heapflame.state.range.from === 1 && heapflame.state.range.to === 3);
  await page.getByRole("slider", { name: "From" }).focus();
  await page.keyboard.press("ArrowRight");
  expectEqual(await shown(page), changed(2, 3), "by a key");
  const odd = await open(browser, `${page.url().split("#")[0]}#r=3-99`);
  expectEqual(await shown(odd), changed(0, 3), "a range that is none");
}

// Frames that grow, or are released, themselves and have callees, too.
async function addsUpWithinFrames(browser) {
  writeFileSync("own.folded", "main 20\nmain;a 90\nmain;a;b 10\nmain;c 45\nmain;c;d 5\n");
  const page = await open(browser, draw("own", "main 50\nmain;a 30\nmain;a;b 70\nmain;c 5\nmain;c;e 9\nmain;c;d 5\n", "--base", "own.folded"));
  for (const key of ["2", "4", "3"]) {
    await page.keyboard.press(key);
    expect(await addsUp(page, `view ${key}`), `view ${key}: no frame of which some grew and some was released`);
  }
}

async function keepsOnlyWhatGrew(browser) {
  const page = await open(browser, drawFiles("widths", FILES, "--series"));
  const kept = (side) => Object.fromEntries(Object.entries(changed(0, 3)).filter(([, both]) => both[side])
    .map(([stack, both]) => [stack, both.map((value, i) => (i === side ? value : 0))]));
  await select(page, "width", "grew");
  expectEqual(await shown(page), kept(0), "grew");
  expect((await page.textContent("#legend")).startsWith("Width: what grew of samples"), await page.textContent("#legend"));
  expect((await details(page)).startsWith("all: +6,010 \u00b7 6,010 samples"), await details(page));
  await select(page, "width", "released");
  expectEqual(await shown(page), kept(1), "released");
  expectEqual(await shown(await open(browser, page.url())), kept(1), "by the link");
  const address = drawFiles("drop", [FILES[3]], "--base", FILES[0], "--drop_negative");
  expectEqual(await shown(await open(browser, address)), kept(0), "--drop_negative");
}

// As difffolded.pl -n: the older value times the quotient of the totals, cut to an integer.
async function scalesToEqualTotals(browser) {
  writeFileSync("half.folded", "main;a 100\nmain;b 301\nmain;gone 99\n");
  const page = await open(browser, draw("normalised", "main;a 200\nmain;b 700\nmain;new 99\n", "--base", "half.folded"));
  expectEqual(await page.isVisible("#timeline"), false, "no slider for two points");
  expectEqual(await shown(page), { "main;a": [100, 0], "main;b": [399, 0], "main;gone": [0, 99], "main;new": [99, 0] }, "as it is");
  await tick(page, "normalised");
  expectEqual(await shown(page), { "main;a": [1, 0], "main;b": [99, 0], "main;gone": [0, 197], "main;new": [99, 0] }, "scaled");
  expectEqual(await shown(await open(browser, page.url())), await shown(page), "by the link");
  await tick(page, "normalised", false);
  const names = () => page.evaluate(() => {
    const { layout } = heapflame.main;
    const node = layout.rowNodes[layout.rowStart[2]];
    return [heapflame.look.colorsOf(layout)(node).toString(16), heapflame.look.label(layout, node, 20)];
  });
  expectEqual(await names(), ["e89f76", "+ a"], "orange for twice as much, with a sign");
  await select(page, "coloring", "red-blue");
  expectEqual(await names(), ["ed9991", "+ a"], "red, with a sign");
  expectEqual(new URL(page.url()).hash, "#c=red-blue", "link");
}

function suspectsOf(type, ...args) {
  const done = spawnSync("heapflame", [type, "--json", ...args], { encoding: "utf8" });
  expectEqual(done.status, 0, done.stderr);
  return JSON.parse(done.stdout).suspects;
}

async function drawsGrowth(browser) {
  const page = await open(browser, drawFiles("growth-lines", FILES, "--series"));
  const carried = await page.evaluate(() => heapflame.profile.head.types[0].suspects.map(({ node, ...suspect }) => suspect));
  expectEqual(carried, suspectsOf("top", "--series", ...FILES).map(({ stack, ...suspect }) => suspect), "suspects as in the table");
  expectEqual(carried[0].points, [1000, 3000, 4000, 7000], "points of a suspect");
  await page.keyboard.press("7");
  expect((await page.textContent("#suspects > p")).startsWith("Ranked by growth over the whole series"), "how they are ranked");
  expect((await page.textContent("#suspects li")).includes("It grew in 3 of 3 steps, from 1,000 to 7,000."), "sentence");
  expectEqual(await page.locator("#suspects li .spark").first().getAttribute("aria-label"), "from 1,000 to 7,000", "line of a suspect");
  await page.keyboard.press("6");
  const line = page.locator("#table tr", { hasText: "cache" }).locator(".spark");
  await line.waitFor();
  expectEqual(await line.getAttribute("aria-label"), "with callees, from 9,000 to 3,600", "line of a function");
  const heights = (await line.locator(".line").getAttribute("points")).split(" ").map((point) => Math.round(point.split(",")[1] * 10));
  expectEqual(heights, [20, 113, 106, 104], "heights of the line");
  expectEqual(await page.locator("#table tbody tr", { hasText: "steady" }).count(), 0, "what did not change has no row");
  await page.keyboard.press("1");
  await page.evaluate(() => heapflame.filtering.add({ kind: "out", name: "serve" }));
  await page.keyboard.press("6");
  const main = page.locator("#table tr").filter({ has: page.getByRole("button", { name: "main", exact: true }) }).locator(".spark");
  await main.waitFor();
  expectEqual(await main.getAttribute("aria-label"), "with callees, from 14,000 to 8,610", "of what the filters leave");
}

// Forty minutes: a leak whose name is hostile, a cache that is full after twenty, what is loaded within one, and what stays.
const HOSTILE = "</script><b>le\u202eak";
const CACHE_FULL = 20;

function judged(name, leaking = HOSTILE) {
  const files = [];
  for (let minute = 0; minute < 40; minute++) {
    const stacks = { [`main;serve;${leaking}`]: 1 + minute * 1000, "main;serve;cache": Math.min(minute, CACHE_FULL) * 5000,
      "main;load": minute < 30 ? 10 : 40000, "main;stay": 300000 };
    files.push(`${name}-${minute}.folded`);
    writeFileSync(files.at(-1), Object.entries(stacks).map(([stack, value]) => `${stack} ${value}\n`).join(""));
    utimesSync(files.at(-1), 1795300000 + 60 * minute, 1795300000 + 60 * minute);
  }
  return files;
}

const parsed = (...args) => {
  const done = spawnSync("heapflame", args, { encoding: "utf8" });
  expectEqual(done.status, 0, done.stderr);
  return JSON.parse(done.stdout);
};

async function tellsVerdicts(browser) {
  const files = judged("judged");
  const page = await open(browser, drawFiles("judged", files, "--series"));
  const { places } = parsed("trend", "--json", ...files);
  expectEqual(places.map(({ verdict }) => verdict), ["leak", "full cache", "burst", "steady"], "verdicts");
  const carried = await page.evaluate(() => {
    const { head: { trend }, name, names, parent } = heapflame.profile;
    const path = (node) => (node > 0 ? [names[name[node]], ...path(parent[node])] : []);
    return trend.places.map(({ node, ...place }) => ({ ...place, stack: path(node) }));
  });
  const sorted = (all) => all.map((one) => Object.entries(one).sort());
  expectEqual(sorted(carried), sorted(places), "as trend says");
  const sharesOf = await page.locator("#answer .share").evaluateAll((all) => all.map(({ title }) => title.replace(/^[\d.]+ /, "")));
  expectEqual([...new Set(sharesOf)], ["% of the growth"], "what the shares of the first lines are of");
  await page.keyboard.press("7");
  const items = page.locator("#suspects li");
  expectEqual(await items.locator("h2").allTextContents(), places.map(({ name, verdict }) => `${name} ${verdict}`), "who, and what");
  for (const [i, { sentence, evidence, slope, share }] of places.entries()) {
    const paragraphs = await items.nth(i).locator("> p").allTextContents();
    expectEqual(paragraphs, [sentence, evidence], "sentence and evidence");
    expectEqual(await items.nth(i).locator(".figures span").textContent(), `${slope}, ${(100 * share).toFixed(0)} % of the growth`, "slope");
    expectEqual(await items.nth(i).locator(".spark").count(), 1, "line");
  }
  await items.nth(0).getByRole("button", { name: "Zoom to it" }).click();
  expect((await details(page)).startsWith(`${places[0].name}: +39,000`), await details(page));
  expect(places[0].name.startsWith("</script><b>le\\"), `what turns text is not escaped: ${places[0].name}`);
  expectEqual(await page.evaluate(() => document.querySelectorAll("#timeline b, #suspects b").length), 0, "a name became markup");
}

// On a phone, a name of a thousand letters hides neither the verdict nor what is said of it: that opens, with the whole name.
async function opensLongTexts(browser) {
  const name = `service::${"Stage<hyper::body::Incoming>::".repeat(32)}poll`;
  const page = await open(browser, drawFiles("long", judged("long", name), "--series"), { viewport: { width: 390, height: 800 } });
  await page.evaluate(() => { location.hash = "#v=suspects"; });
  const item = page.locator("#suspects li").first();
  await item.locator(".verdict").waitFor();
  const seen = await item.locator(".verdict").evaluate((badge) => {
    const { left, top, right, bottom } = badge.getBoundingClientRect();
    return { text: badge.textContent, isTop: document.elementFromPoint((left + right) / 2, (top + bottom) / 2) === badge, isWithin: left >= 0 && right <= innerWidth };
  });
  expectEqual(seen, { text: "leak", isTop: true, isWithin: true }, "the verdict beside a long name");
  expect(await page.evaluate(() => document.getElementById("suspects").scrollWidth <= innerWidth), "the list is wider than the phone");
  const more = item.getByRole("button", { name: `More: what is said of ${name}` });
  const said = item.locator("> p").first();
  expect(!(await said.textContent()).includes(name), "the name is cut");
  await more.focus();
  await page.keyboard.press("Enter");
  expect((await said.textContent()).includes(name), "the whole name");
  expect(await said.evaluate((text) => text.scrollHeight <= text.clientHeight + 1), "all of it is seen");
  await page.keyboard.press("Enter");
  expect(!(await said.textContent()).includes(name), "it closes again");
  expectEqual(await page.locator("#suspects .more:visible").count(), 1, "texts that are whole have no button");
  await page.close();
}

// The bars below the time say when each grew, worst first; a click shows what changed meanwhile.
async function marksWhenSuspectsGrew(browser) {
  const files = judged("spans");
  const page = await open(browser, drawFiles("spans", files, "--series"));
  await page.keyboard.press("9");
  const bars = page.locator("#timeline .spans button");
  const texts = await bars.allTextContents();
  expectEqual(texts.map((text) => text.split(" ")[0]), ["leak", "burst", "full"], "worst first");
  const plot = await page.locator("#timeline canvas").boundingBox();
  const minute = (x) => ((x - plot.x - 8) / (plot.width - 16)) * 39;
  const spanned = await Promise.all([0, 1, 2].map(async (i) => {
    const { x, width } = await bars.nth(i).locator(".bar").boundingBox();
    return [Math.round(minute(x)), Math.round(minute(x + width))];
  }));
  expectEqual(spanned, [[1, 39], [29, 30], [1, 19]], "from when to when");
  await bars.nth(2).click();
  expectEqual(new URL(page.url()).hash, "#v=time&r=1-19", "what changed while the cache filled");
  const grew = await page.evaluate(() => heapflame.main.layout.grew[0]);
  expectEqual(grew, 18 * 6000, "the cache and the leak");
  await page.keyboard.press("7");
  expectEqual(await page.locator("#suspects li").count(), 4, "verdicts are on all of the series");
  const short = await open(browser, drawFiles("spans-short", files.slice(0, 5), "--series"));
  expectEqual(await short.locator("#timeline .spans").isVisible(), false, "five points bear no verdict");
  const unordered = await open(browser, drawFiles("spans-unordered", [...files.slice(1), files[0]], "--series"));
  expectEqual(await unordered.locator("#timeline .spans").isVisible(), false, "times that do not rise bear none");
}

await runTests(slidesThroughTime, addsUpWithinFrames, keepsOnlyWhatGrew, scalesToEqualTotals, drawsGrowth, tellsVerdicts, opensLongTexts, marksWhenSuspectsGrew);
