#!/usr/bin/env node
// The SVG flame graph in real Chromium: what its script draws anew is what heapflame writes, and shows more on zooming in.
// timeout: 600
// sanitized: no, it tests what is shown in a browser
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { expect, expectEqual, runTests } from "../browser/browser.mjs";
import { SERVICE, click, details, draw, framesOf, manyStacks, matched, open, search } from "../browser/svg.mjs";

const NAMES = "main;std::vector<int, a&b>::push_back(int) 70\nmain;--;woken;x_[k] 20\nmain;java/lang/Object:::get_[j] 8\n" +
  "main;-;\u65e5\u672c\u8a9e 1\n 9\nmain;std::vector<int, a&b>::push_back(int);\"quoted\" 3\n";
const COLUMNS = "main;grew 100 150\nmain;shrank 80 20\nmain 5 5\nmain;same;leaf 30 30\n";
const OWNERS = "==1==ERROR: LeakSanitizer: detected memory leaks\n\n" + ["std::vector<a&b>::reserve|record|main", "record|main", "other|main"].map((stack, i) =>
  `Direct leak of ${1000 * (i + 1)} byte(s) in 1 object(s) allocated from:\n    #0 0x4 in malloc (/lib/libasan.so+0x4)\n` +
  stack.split("|").map((name, depth) => `    #${depth + 1} 0x${depth + 5} in ${name} /app/a.cc:${depth + 1}\n`).join("")).join("\n") +
  "\nSUMMARY: AddressSanitizer: 6000 byte(s) leaked in 3 allocation(s).\n";
const LARGE = "a;b 9007199254740993\na;c 4503599627370497\na;d 3\n";

// Words of hover texts, places, colours: after a drawing of the script all is as heapflame wrote it.
async function drawsTheSame(browser) {
  writeFileSync("base.folded", SERVICE.replace(/\d+$/gm, (count) => String((Number(count) * 7919) % 60000000)));
  writeFileSync("attributes", "main\thref=https://example.org/\ttitle=look here\ttarget=_blank\nwoken\tclass=special\tg_extra=data-k=\"1\"\n");
  writeFileSync("leak.jeheap", "heap_v2/524288\n  t*: 50: 52428794 [0: 0]\n@ 0x5000 0x6000\n  t*: 49: 52420000 [0: 0]\n@ 0x5100 0x6000\n" +
    "  t*: 1: 8794 [0: 0]\n\nMAPPED_LIBRARIES:\n4000-9000 r-xp 00000000 00:09 9 /lib.so\n");
  const cases = [
    [SERVICE], [SERVICE, "--inverted", "--width", "700", "--height", "21", "--fontsize", "9"], [SERVICE, "--reverse"],
    [SERVICE, "--factor", "0.0005", "--total", "99999999", "--countname", "<b>"], [SERVICE, "--base", "base.folded"],
    [SERVICE, "--base", "base.folded", "--negate", "--inverted"], [LARGE], [NAMES], [NAMES, "--minwidth", "2%"],
    ...["java", "js", "perl", "chain", "mem", "io", "purple"].map((colors) => [NAMES, "--colors", colors]),
    [NAMES, "--hash"], [NAMES, "--random"], [NAMES, "flamegraph.pl", "--nameattr", "attributes"],
    [NAMES, "flamegraph.pl", "--flamechart"], [COLUMNS, "flamegraph.pl"], [COLUMNS, "flamegraph.pl", "--negate", "--reverse"], [COLUMNS, "flamegraph.pl", "--factor", "8"],
    [OWNERS], [OWNERS, "--inverted"], [readFileSync("leak.jeheap", "utf8")], [readFileSync("leak.jeheap", "utf8"), "--base", "leak.jeheap"],
  ];
  for (const [folded, ...options] of cases) {
    const url = draw("same", folded, ...options);
    if (options.at(-1) === "leak.jeheap") continue; // nothing grew: no frame
    const page = await open(browser, url);
    const before = await framesOf(page);
    if (folded === OWNERS) expectEqual(before.filter(({ shown, title }) => shown === "owner" && title.includes("; owner of memory")).length, 2, "owners");
    await search(page, "nobody is called so");
    await page.waitForFunction(() => document.getElementById("matched").textContent === "Matched: 0.00%");
    await page.click("#search");
    const after = await framesOf(page);
    expectEqual(after.length, before.length, `${options}: frames`);
    const key = (frame) => `${frame.y} ${frame.x} ${frame.title}`;
    const sorted = (frames) => frames.map((frame) => [key(frame), frame]).sort((a, b) => (a[0] < b[0] ? -1 : 1));
    sorted(after).forEach(([, frame], i) => expectEqual(frame, sorted(before)[i][1], `${options}: ${frame.name}`));
    await page.close();
  }
}

// Titles of all frames, however narrow, from a file in which each has a box.
function allTitles(folded) {
  const { stdout } = spawnSync("heapflame", ["flamegraph.pl", "--minwidth", "0"], { input: folded, encoding: "utf8", maxBuffer: 1 << 28 });
  return new Set(Array.from(stdout.matchAll(/<title>([^<]*)<\/title><rect/g), ([, title]) => title));
}

// From where to where something is drawn, as boxes or lines.
const extent = (page) => page.evaluate(() => {
  const drawn = ["#frames", "#small"].map((id) => document.querySelector(id)?.getBoundingClientRect()).filter(Boolean);
  return [Math.min(...drawn.map(({ top }) => Math.round(top))), Math.max(...drawn.map(({ bottom }) => Math.round(bottom)))];
});

const work = (page) => page.evaluate(() => ({
  boxes: document.querySelectorAll("#frames > g").length,
  paths: document.querySelectorAll("#small > path").length,
  nodes: document.getElementsByTagName("*").length,
}));

// 20,000 frames and more: a drawing costs what is seen of them, and shows frames that were too narrow before.
async function zoomsIntoMany(browser) {
  const folded = manyStacks(12000);
  const titles = allTitles(folded);
  expect(titles.size > 40000, `only ${titles.size} frames`);
  for (const command of ["flame", "flamegraph.pl"]) {
    const url = draw(`many-${command}`, folded, ...(command === "flame" ? [] : [command]));
    const page = await open(browser, url);
    const first = await work(page);
    const rowsBefore = await extent(page);
    if (command === "flame") expect(first.boxes > 100 && first.boxes < 4000 && first.nodes < 16000, JSON.stringify(first));
    else expect(first.boxes > 9000, `only ${first.boxes} boxes`);
    const frames = await framesOf(page);
    const before = new Set(frames.map((frame) => frame.title));
    const target = frames.findIndex(({ name, width }) => name.startsWith("f3_") && width > 6 && width < 20);
    await page.locator("#frames > g").nth(target).locator("rect").click();
    const inside = await framesOf(page);
    const second = await work(page);
    expect(second.boxes <= 1512 && second.nodes < 16000, JSON.stringify(second));
    const appeared = inside.filter((frame) => !before.has(frame.title)).length;
    expect(appeared > 50, `${command}: ${appeared} frames of ${inside.length} appeared`);
    for (const { title } of inside) expect(titles.has(title), `no frame is ${title}`);
    expectEqual(inside.filter((frame) => frame.shown === "parent").map((frame) => frame.name).at(-1).slice(0, 3), "f2_", "ancestors");
    const rows = new Map();
    for (const frame of inside) rows.set(frame.y, (rows.get(frame.y) ?? 0) + frame.width);
    for (const width of rows.values()) expect(width < 1180.5, `a row is ${width} px wide`);
    await page.click("#unzoom");
    const back = await work(page);
    const rowsAfter = await extent(page);
    expect(rowsAfter.every((edge, i) => Math.abs(edge - rowsBefore[i]) < 16), `${command}: rows are drawn again from ${rowsAfter}, not ${rowsBefore}`);
    expect(back.boxes <= 1500 && back.nodes < 16000, JSON.stringify(back));
    await page.close();
  }
}

// Where there is no box, the pointer still finds the frame.
async function findsNarrowFrames(browser) {
  const wide = Array.from({ length: 1500 }, (_, i) => `main;f${i};g 10\n`).join("");
  const page = await open(browser, draw("narrow", wide));
  expectEqual(await work(page).then(({ boxes, paths }) => [boxes, paths > 1]), [2, true], "drawn together");
  const row = await page.evaluate(() => document.querySelector("#frames > g:nth-child(2) > rect").getBoundingClientRect().y);
  await page.mouse.move(600, row - 8);
  const said = await details(page);
  expect(/^Function: f\d+ \(10 samples, 0\.07%\)$/.test(said), said);
  await page.mouse.click(600, row - 8);
  expectEqual((await framesOf(page)).map(({ name, shown }) => [name, shown]),
    [["all", "parent"], ["main", "parent"], [said.split(" ")[1], ""], ["g", ""]], "zoomed");
  const link = page.url();
  await page.click("#unzoom");
  await search(page, "^f1?7$");
  await page.waitForFunction(() => document.getElementById("matched").textContent === "Matched: 0.13%");
  expectEqual(await page.locator('#small > path[stroke="rgb(230,0,230)"]').count(), 1, "hits drawn together");
  for (const part of [/&f=.*/, /[?&][xy]=[\d.]*/g]) { // by place, by names
    const again = await open(browser, link.replace(part, "").replace(/svg&/, "svg?"));
    expectEqual((await framesOf(again))[2].name, said.split(" ")[1], `by ${again.url()}`);
  }
}

// The same in what is zoomed, which begins elsewhere: what is drawn as lines has the place of its frame, and answers there.
async function findsNarrowFramesZoomed(browser) {
  const COUNT = 1000;
  const narrow = Array.from({ length: COUNT }, (_, i) => `main;inner;f${String(i).padStart(4, "0")};g 10\n`).join("");
  const page = await open(browser, draw("narrow-zoomed", `main;before 45000\n${narrow}`));
  await click(page, "inner");
  const looked = async (what) => {
    const inner = await page.evaluate(() => {
      const { left, top, width } = document.querySelector("#frames > g:last-child > rect").getBoundingClientRect();
      const lines = document.querySelector("#small").getBoundingClientRect();
      return { left, top, width, from: lines.left, to: lines.right };
    });
    expectEqual((await framesOf(page)).at(-1).name, "inner", "the last box");
    expect(Math.abs(inner.from - inner.left) < 2 && Math.abs(inner.to - inner.left - inner.width) < 2, `lines of ${what}: ${JSON.stringify(inner)}`);
    return inner;
  };
  const inner = await looked("what is zoomed");
  await search(page, "^f0");
  await page.waitForFunction(() => /Matched: [1-9]/.test(document.getElementById("matched").textContent) && document.querySelector('#small > path[stroke="rgb(230,0,230)"]'));
  expectEqual(await looked("what is searched while it is zoomed"), inner, "places while hits are marked");
  await page.click("#search");
  for (const share of [0.02, 0.3, 0.5, 0.98]) {
    const x = Math.round(inner.left + share * inner.width);
    await page.mouse.move(x, inner.top - 8);
    const [, found] = /^Function: f(\d+) \(10 samples/.exec(await details(page)) ?? [];
    const wanted = (COUNT * (x - inner.left)) / inner.width;
    expect(found !== undefined && Math.abs(Number(found) - wanted) <= 2, `at ${share}: ${await details(page)}, not f${Math.floor(wanted)}`);
  }
}

// Frames that appear may be deeper than any that was drawn: the picture grows, and nothing lies upon another thing.
async function grows(browser) {
  const folded = `main;wide 1000000\nmain;narrow;${Array.from({ length: 60 }, (_, i) => `level${i}`).join(";")} 60\nmain;narrow 40\n`;
  for (const options of [[], ["--inverted"]]) {
    const page = await open(browser, draw(`grows${options}`, folded, ...options));
    const box = (selector) => page.evaluate((what) => {
      const { top, bottom } = document.querySelector(what).getBoundingClientRect();
      return { top: top + scrollY, bottom: bottom + scrollY };
    }, selector);
    const height = () => page.evaluate(() => Number(document.documentElement.getAttribute("height")));
    const small = await height();
    await page.goto(`${page.url()}?f=main&f=narrow`);
    await page.waitForSelector("#frames > g.parent");
    expectEqual(await height(), small + 60 * 16, "height");
    const frames = await box("#frames"), title = await box("#title"), foot = await box("#details");
    expect(title.bottom < frames.top && frames.bottom < foot.top, JSON.stringify({ title, frames, foot }));
    await page.click("#unzoom");
    expectEqual(await height(), small, "height after Reset Zoom");
  }
}

async function followsLinks(browser) {
  writeFileSync("attributes", "parse\thref=#there\ttarget=_self\n");
  const page = await open(browser, draw("links", "main;parse;read 10\nmain;write 5\n", "flamegraph.pl", "--nameattr", "attributes"));
  await click(page, "parse");
  expect(page.url().endsWith("#there") && !(await page.isVisible("#unzoom")), `a click leads to ${page.url()}`);
  await page.click('#frames > g:has-text("parse") rect', { modifiers: ["Control"] });
  expectEqual((await framesOf(page)).map((frame) => frame.name), ["all", "main", "parse", "read"], "after Ctrl-click");
  await page.click("#unzoom");
  expectEqual(await page.locator("#frames a").count(), 1, "links drawn anew");
}

// Hosts may forbid workers: then text is looked for as it is, and no expression can hang the page.
async function searchesWithoutWorkers(browser) {
  const url = draw("without", `${SERVICE}main;${"a".repeat(32)}! 5000000\nmain;(a+)+$ 40000000\n`);
  const page = await browser.chromium.newPage();
  await page.addInitScript(() => { delete globalThis.Worker; });
  await page.goto(`${url}?s=${encodeURIComponent("(a+)+$")}`);
  await page.waitForFunction(() => document.getElementById("matched").textContent.startsWith("Matched: 3"));
  expectEqual(await details(page), "This page may not run a regular expression: looking for the text as it is.", "the note");
  expectEqual(await matched(page), "Matched: 31.54%", "hits");
}

// A file that was cut, or whose data was changed, says so; what was drawn stays.
async function survivesDamage(browser) {
  const text = readFileSync(new URL(draw("damaged", SERVICE)), "utf8");
  const data = text.match(/<metadata id="data">([^<]*)</)[1];
  for (const other of [data.slice(0, 40), "AAAA", "", `${data.slice(0, 60)}xxxx${data.slice(64)}`]) {
    writeFileSync("damaged.svg", text.replace(data, other));
    const page = await browser.page(new URL("damaged.svg", `file://${process.cwd()}/`).href);
    await page.waitForFunction(() => document.getElementById("details").textContent.startsWith("The frames of this picture do not answer"));
    expectEqual(await page.locator("#frames > g").count(), 20, "frames");
  }
}

await runTests(drawsTheSame, zoomsIntoMany, findsNarrowFrames, findsNarrowFramesZoomed, grows, followsLinks, searchesWithoutWorkers, survivesDamage);
