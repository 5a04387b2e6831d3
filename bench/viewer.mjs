#!/usr/bin/env node
// Flame graphs in Chromium: heapflame's page and SVG beside SVGs that hold every frame as elements.
//
// The stacks are generated (generate.c), 126,000 frames and a million. The peer is what people use: all frames drawn by
// the flamegraph.pl of Debian's libdevel-nytprof-perl, --minwidth 0. It takes minutes, so it is opened and zoomed once,
// each until a cap; a ratio with a capped time is a bound. Bytes are compared with that one's of fewer frames. Beside
// stands an SVG with a <g> for each frame, but no script of its own: zooming is the least that such a script must do.
//
// Each round opens one file after the other in a page of its own, zooms into the widest frame that is below half of the
// whole, and back; figures are medians, in ms, each until the browser has painted. Finding the frame is not measured.
// The browser paints 60 times a second: of each figure, 8 ms in the mean are waiting for that.
//
// --against=HEAPFLAME compares the page alone with that of another build, an older one, in turns: the processor time that opening a
// page, its zooms, and the ways back take in the browser's process that shows it, by all its threads, and of the thread that the
// page's script runs on; then the tooltip and the heat map. Each goal is judged by the median of the ratios of the rounds, newer to
// older, with an interval drawn from the rounds (_paired.mjs): met if the median is below the limit, MISSED if all of the interval
// is not, else undecided, which is no success either. Every second round begins with the newer page. Beside, without a goal, stands
// the clock until all was painted: it is that of whoever else uses the processors, too, and whole pictures of the screen, of 17 ms.
// Given the same build twice, it tells how much is noise. HEAPFLAME_ROUNDS=N sets how many rounds (default: 14).
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { Browser } from "../tests/browser/browser.mjs";
import { median, pairedRatio, verdictOf } from "./_paired.mjs";

const ORIGINAL = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl";
const ROUNDS = 3;
const ROUNDS_APART = Number(process.env.HEAPFLAME_ROUNDS ?? 14);
const ZOOMS = 7;
const STEPS = ["open", "zoom", "back"];
const MOVES = 200; // of the pointer
const PATIENCE_MS = 300000;
const CAP_MS = 120000; // of flamegraph.pl's picture
const folder = mkdtempSync(join(tmpdir(), "heapflame-viewer-"));

// Runs a program, its output in a file of the folder.
function make(name, program, ...args) {
  const file = join(folder, name);
  const out = openSync(file, "w");
  const done = spawnSync(program, args, { stdio: ["ignore", out, "pipe"] });
  closeSync(out);
  if (done.status !== 0) throw new Error(`${program}: ${done.stderr}`);
  return file;
}

function htmlOf(name, folded, heapflame = "heapflame") {
  const file = join(folder, name);
  make("log", heapflame, "flame", "-q", "-o", file, folded);
  return file;
}

function elementsOf(name, folded) {
  const file = make(name, "heapflame", "flamegraph.pl", "-q", "--minwidth=0", folded);
  writeFileSync(file, readFileSync(file, "utf8").replace(/<(script|metadata)[^]*?<\/\1>/g, ""));
  return file;
}

const svgOf = (name, folded, ...options) => make(name, "heapflame", "flame", "-q", ...options, folded);

const sumOf = (values) => values.reduce((sum, value) => sum + value, 0);
const generate = (name, ...args) => make(name, join(process.env.BUILD, "bench/generate-profile"), "folded", ...args);

// How a file says that it answers, and what is clicked there: a frame by its depth, and the way back.
const KINDS = {
  page: {
    ready: () => document.body.dataset.ready !== undefined,
    aim: () => {
      const { layout } = heapflame.main;
      window.target = layout.rowNodes.reduce((a, b) => (layout.width[b] < layout.width[0] / 2 && !layout.chains?.byHead.has(b) && !(layout.width[a] >= layout.width[b]) ? b : a), -1);
    },
    zoom: () => {
      const { layout } = heapflame.main;
      const host = document.querySelector("#main");
      const { left, top, bottom, width } = host.getBoundingClientRect();
      const x = left + width * (layout.start[target] + layout.width[target] / 2) / layout.width[0];
      const y = (layout.depth[target] + 0.5) * 18;
      host.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: x, clientY: layout.chains ? top + y : bottom - y })); // older pages had the root at the bottom
    },
    unzoom: () => document.querySelector("#reset").click(),
    isZoomed: () => heapflame.main.zoomed !== 0,
    drawn: () => heapflame.main.drawnBoxes,
  },
  picture: {
    ready: () => document.querySelector("#frames.live") !== null,
    aim: () => {
      const groups = Array.from(document.querySelectorAll("#frames > g"));
      const widths = groups.map((g) => Number(g.dataset.v.split(" ")[1]));
      const at = widths.reduce((best, width, i) => (width < widths[0] / 2 && !(widths[best] >= width) ? i : best), -1);
      window.target = groups[at];
    },
    zoom: () => target.dispatchEvent(new MouseEvent("click", { bubbles: true })),
    unzoom: () => document.querySelector("#unzoom").dispatchEvent(new MouseEvent("click", { bubbles: true })),
    isZoomed: () => document.querySelector("#frames > g.parent") !== null,
    drawn: () => document.querySelectorAll("#frames > g, #small > path").length,
  },
  // What zooming costs at least where every frame is an element: its place is read, and it is stretched or hidden.
  elements: {
    ready: () => document.readyState === "complete",
    aim: () => {
      const places = Array.from(document.querySelectorAll("#frames > g"), (g) => g.dataset.v.split(" ").map(Number));
      const at = places.reduce((best, [, width], i) => (width < places[0][1] / 2 && !(places[best]?.[1] >= width) ? i : best), -1);
      window.target = places[at];
    },
    zoom: () => {
      const groups = Array.from(document.querySelectorAll("#frames > g"));
      const places = groups.map((g) => g.dataset.v.split(" ").map(Number));
      const [from, width] = target;
      groups.forEach((g, i) => {
        const [start, size] = places[i];
        const isSeen = start < from + width && start + size > from;
        g.classList.toggle("hide", !isSeen);
        if (!isSeen) return;
        const left = Math.max(start - from, 0) / width * 1180;
        const rect = g.querySelector("rect");
        rect.setAttribute("x", 10 + left);
        rect.setAttribute("width", Math.min((start + size - from) / width, 1) * 1180 - left);
        g.querySelector("text")?.setAttribute("x", 13 + left);
      });
    },
    unzoom: () => {
      for (const g of document.querySelectorAll("#frames > g")) g.classList.remove("hide");
    },
    isZoomed: () => document.querySelector("#frames > g.hide") !== null,
    drawn: () => document.querySelectorAll("#frames > g").length,
  },
  // flamegraph.pl's own zoom.
  original: {
    ready: () => document.readyState === "complete",
    aim: () => {
      const groups = Array.from(document.querySelectorAll("g.func_g"));
      const widths = groups.map((g) => Number(g.querySelector("rect").getAttribute("width")));
      const whole = Math.max(...widths.slice(0, 10), ...widths.slice(-10));
      const at = widths.reduce((best, width, i) => (width < whole / 2 && !(widths[best] >= width) ? i : best), -1);
      window.target = groups[at];
    },
    zoom: () => target.dispatchEvent(new MouseEvent("click", { bubbles: true })),
  },
};

// Runs one step in the page; ms until the next picture has been painted.
const painted = (page, step) => page.evaluate((source) => new Promise((resolve) => {
  const run = new Function(`return (${source})()`);
  const start = performance.now();
  run();
  requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
}), step.toString());

// Notes, in the page, when what it shows first has been painted. Asked from outside, the asking would be measured, too.
const noteOpening = (source) => {
  const isReady = new Function(`return (${source})()`);
  const look = () => requestAnimationFrame(() => {
    if (isReady()) setTimeout(() => { window.openedAfter = performance.now(); });
    else look();
  });
  look();
};

// MB of objects and of what arrays of numbers are made of.
const heapOf = ({ usedSize, backingStorageSize = 0 }) => (usedSize + backingStorageSize) / 1e6;

async function measure(browser, kind, file) {
  const { aim, drawn, isZoomed, ready, unzoom, zoom } = KINDS[kind];
  const page = await browser.chromium.newPage({ viewport: { width: 1220, height: 800 } });
  page.setDefaultTimeout(PATIENCE_MS);
  await page.addInitScript(noteOpening, ready.toString());
  await page.goto(`file://${file}`, { timeout: PATIENCE_MS });
  await page.waitForFunction(() => window.openedAfter, undefined, { timeout: PATIENCE_MS });
  await painted(page, () => {});
  const figures = { open: [await page.evaluate(() => window.openedAfter)], zoom: [], unzoom: [], drawn: [] };
  for (let i = 0; i < ZOOMS; i++) {
    await page.evaluate(aim);
    figures.zoom.push(await painted(page, zoom));
    if (!(await page.evaluate(isZoomed))) throw new Error(`${kind}: a click does not zoom`);
    figures.drawn.push(await page.evaluate(drawn));
    figures.unzoom.push(await painted(page, unzoom));
    figures.drawn.push(await page.evaluate(drawn));
  }
  const inspector = await page.context().newCDPSession(page);
  await inspector.send("HeapProfiler.collectGarbage");
  figures.heap = [heapOf(await inspector.send("Runtime.getHeapUsage"))];
  await page.close();
  return figures;
}

// Measures files in turns, and prints a line for each.
async function compare(browser, files) {
  const sums = files.map(() => ({}));
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, { kind, file }] of files.entries())
      for (const [name, values] of Object.entries(await measure(browser, kind, file))) (sums[i][name] ??= []).push(...values);
  return files.map(({ name, file }, i) => {
    const figures = Object.fromEntries(Object.entries(sums[i]).map(([key, values]) => [key, median(values)]));
    figures.drawn = Math.max(...sums[i].drawn);
    figures.size = statSync(file).size / 1e6;
    const cells = [figures.open, figures.zoom, figures.unzoom].map((ms) => ms.toFixed(0).padStart(9)).join("");
    console.log(`${name.padEnd(34)}${figures.size.toFixed(2).padStart(8)}${cells}${String(figures.drawn).padStart(9)}${figures.heap.toFixed(0).padStart(9)}`);
    return figures;
  });
}

// Opens and zooms flamegraph.pl's picture in a browser of its own, which may have to be ended. Infinity: not within the cap.
async function measureOriginal(file) {
  const { chromium } = await Browser.open();
  const capped = (step) => Promise.race([step, new Promise((resolve) => setTimeout(resolve, CAP_MS, Infinity))]);
  const open = async () => {
    const page = await chromium.newPage({ viewport: { width: 1220, height: 800 } });
    await page.addInitScript(noteOpening, KINDS.original.ready.toString());
    await page.goto(`file://${file}`, { timeout: 0 });
    await page.waitForFunction(() => window.openedAfter, undefined, { timeout: 0 });
    return page;
  };
  const page = await capped(open());
  const figures = { open: Infinity, zoom: Infinity };
  if (page !== Infinity) {
    figures.open = await page.evaluate(() => window.openedAfter);
    await page.evaluate(KINDS.original.aim);
    figures.zoom = await capped(painted(page, KINDS.original.zoom));
  }
  await chromium.close();
  const cells = [figures.open, figures.zoom].map((ms) => (ms === Infinity ? `> ${CAP_MS / 1000} s` : ms.toFixed(0)).padStart(9)).join("");
  console.log(`${"126,000 frames, flamegraph.pl".padEnd(34)}${(statSync(file).size / 1e6).toFixed(2).padStart(8)}${cells}`);
  return figures;
}

// Milliseconds of processor time for each of some moves of the pointer, one in a frame as browsers send them: of the script, and
// of what the browser lays out for it. Time by the clock would be that of whoever else uses the processors.
async function measureTip(browser, file) {
  const page = await browser.chromium.newPage({ viewport: { width: 1220, height: 800 } });
  await page.goto(`file://${file}`);
  await page.waitForSelector("body[data-ready]");
  await browser.chromium.startTracing(page, { categories: ["devtools.timeline"] });
  await page.evaluate(async (moves) => {
    const host = document.querySelector("#main");
    const { left, top, width, height } = host.getBoundingClientRect();
    for (let i = 0; i < moves; i++) {
      host.dispatchEvent(new MouseEvent("mousemove", { bubbles: true, clientX: left + (i * 97.3) % width, clientY: top + (i * 37.7) % height }));
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    }
  }, MOVES);
  const { traceEvents } = JSON.parse(await browser.chromium.stopTracing());
  await page.close();
  const times = traceEvents.filter(({ name, args }) => name === "EventDispatch" && args.data?.type === "mousemove").map(({ tdur }) => tdur / 1000);
  if (times.length < MOVES) throw new Error(`the browser tells of ${times.length} of ${MOVES} moves`);
  return { median: median(times.slice()), tenth: times.sort((a, b) => b - a)[Math.floor(times.length / 10)] };
}

// A series of 200 points and 10,000 places: its heat map, rows and drawing; milliseconds until it has been painted, and of
// processor time, by all threads.
async function measureHeat(browser) {
  const files = Array.from({ length: 200 }, (_, point) => {
    const file = join(folder, `point-${String(point).padStart(3, "0")}.folded`);
    writeFileSync(file, Array.from({ length: 10000 }, (_, i) => `main;serve_${i % 50};place_${i} ${1000 + ((i * 7919) % 997) * (point % (2 + (i % 9)))}\n`).join(""));
    return file;
  });
  const file = join(folder, "heat.html");
  make("log", "heapflame", "flame", "-q", "--series", "-o", file, ...files);
  const page = await browser.chromium.newPage({ viewport: { width: 1220, height: 800 } });
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(`file://${file}#v=time`);
  await page.waitForSelector("body[data-ready]");
  const figures = { ms: [], cpu: [] };
  for (let i = 0; i < ZOOMS; i++) {
    const before = rendererTime();
    figures.ms.push(await painted(page, () => {
      heapflame.heatShown = undefined; // its rows are made anew
      heapflame.showHeat();
    }));
    figures.cpu.push(rendererTime() - before);
  }
  const rows = await page.evaluate(() => heapflame.heat.rows.names.length);
  await page.close();
  return { ms: median(figures.ms), cpu: median(figures.cpu), rows };
}

function isOurs(pid) {
  for (let at = Number(pid); at > 1; at = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${at}/status`, "utf8"))[1])) if (at === process.pid) return true;
  return false;
}

// Milliseconds of processor time of each process of ours that shows a page: by all its threads, and by that of the page's script.
function rendererTimes() {
  const times = [];
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--type=renderer") || !isOurs(pid)) continue;
      const msOf = (id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ")[0]) / 1e6;
      times.push({ all: sumOf(readdirSync(`/proc/${pid}/task`).map(msOf)), main: msOf(pid) });
    } catch {} // it ended
  }
  return times;
}

const rendererTime = () => sumOf(rendererTimes().map(({ all }) => all));

// The process that shows the page: the one that worked most.
const busiest = () => rendererTimes().reduce((a, b) => (b.all > a.all ? b : a));

// Runs a step in the page, until it has been painted; its processor time is added to `sum`. Milliseconds by the clock.
async function paintedApart(page, step, sum) {
  const before = busiest();
  const ms = await painted(page, step);
  const after = busiest();
  for (const of of ["all", "main"]) sum[of] += after[of] - before[of];
  return ms;
}

// One page, in a browser of its own.
async function measureApart(file, sums) {
  const { ready, aim, zoom, unzoom, isZoomed } = KINDS.page;
  const { chromium } = await Browser.open();
  const page = await chromium.newPage({ viewport: { width: 1220, height: 800 } });
  await page.addInitScript(noteOpening, ready.toString());
  await page.goto(`file://${file}`);
  await page.waitForFunction(() => window.openedAfter, undefined, { timeout: PATIENCE_MS });
  const spent = { open: busiest(), zoom: { all: 0, main: 0 }, back: { all: 0, main: 0 } };
  const clock = { open: [await page.evaluate(() => window.openedAfter)], zoom: [], back: [] };
  for (let i = 0; i < ZOOMS; i++) {
    await page.evaluate(aim);
    await painted(page, () => {});
    clock.zoom.push(await paintedApart(page, zoom, spent.zoom));
    if (!(await page.evaluate(isZoomed))) throw new Error(`${file}: a click does not zoom`);
    await painted(page, () => {});
    clock.back.push(await paintedApart(page, unzoom, spent.back));
  }
  for (const step of STEPS) {
    sums[`${step}, clock`].push(median(clock[step]));
    for (const of of ["all", "main"]) sums[`${step}, ${of}`].push(spent[step][of]);
  }
  await chromium.close();
}

async function compareWith(older) {
  const version = spawnSync(older, ["--version"], { encoding: "utf8" }).stdout.split("\n")[0];
  console.log(`beside ${version}; load before: ${loadavg()[0].toFixed(2)}; ${ROUNDS_APART} rounds in turns of ${ZOOMS} zooms; medians, ms, of the zooms' processor time their sum, and the median of the rounds' ratios with its interval of 95 %\n`);
  for (const [title, stacks] of [["126,000 frames", "33000"], ["1,000,000 frames", "270000"]]) {
    const folded = generate("apart.folded", stacks);
    const files = [htmlOf("older.html", folded, older), htmlOf("newer.html", folded)];
    const sums = files.map(() => Object.fromEntries(STEPS.flatMap((step) => ["all", "main", "clock"].map((of) => [`${step}, ${of}`, []]))));
    for (let round = 0; round < ROUNDS_APART; round++)
      for (const i of round % 2 === 0 ? [0, 1] : [1, 0]) await measureApart(files[i], sums[i]);
    for (const name of Object.keys(sums[0])) goalOfPairs(`${title}, ${name}`, ...sums.map((of) => of[name]), name.endsWith("clock") ? undefined : 1.1);
  }
  console.log(`\nload after: ${loadavg()[0].toFixed(2)}`);
  const browser = await Browser.open();
  goals(await measureTip(browser, join(folder, "newer.html")), await measureHeat(browser));
  await browser.chromium.close();
}

// Of what the pointer is told, and of the heat map.
function goals(tip, heat) {
  goal("tooltip, processor time of a move, median", tip.median, 8, " ms");
  goal("tooltip, slower than nine of ten", tip.tenth, 8, " ms");
  console.log(`beside, without a goal: the heat map has been painted after ${heat.ms.toPrecision(3)} ms`);
  goal(`heat map, 200 points x ${heat.rows} places, processor time`, heat.cpu, 100, " ms");
}

let missed = 0;
function goal(text, value, limit, unit, isBound = false) {
  const isMet = value < limit;
  missed += isMet ? 0 : 1;
  console.log(`${text}: ${isBound ? "at most " : ""}${value.toPrecision(3)}${unit}, the goal is less than ${limit}${unit}: ${isMet ? "met" : "MISSED"}`);
}

// Of two builds, by what each round took. Without a limit it is told, and not judged.
function goalOfPairs(text, then, now, limit) {
  const found = pairedRatio(then, now);
  const verdict = limit === undefined ? "met" : verdictOf(found, limit);
  missed += verdict === "met" ? 0 : 1;
  const [ratio, low, high] = [found.ratio, found.low, found.high].map((value) => value.toFixed(3));
  console.log(`${`${text}:`.padEnd(32)}${[median(then), median(now)].map((ms) => ms.toFixed(1).padStart(8)).join("")}   ${ratio} (${low} to ${high}), ${limit === undefined ? "without a goal" : `the goal is less than ${limit}: ${verdict}`}`);
}

async function main() {
  const browser = await Browser.open();
  console.log(`Chromium ${browser.chromium.version()}; load before: ${loadavg()[0].toFixed(2)}; ${ROUNDS} rounds in turns of ${ZOOMS} zooms\n`);
  console.log(`${"file".padEnd(34)}${"MB".padStart(8)}${["open ms", "zoom ms", "back ms", "drawn", "heap MB"].map((word) => word.padStart(9)).join("")}`);

  const some = generate("some.folded", "33000");
  const [page, , every] = await compare(browser, [
    { name: "126,000 frames, heapflame, HTML", kind: "page", file: htmlOf("some.html", some) },
    { name: "126,000 frames, heapflame, SVG", kind: "picture", file: svgOf("some.svg", some) },
    { name: "126,000 frames, elements", kind: "elements", file: elementsOf("all.svg", some) },
  ]);
  const original = await measureOriginal(make("original.svg", "perl", ORIGINAL, "--minwidth", "0", some));
  const many = generate("many.folded", "9000", "100000");
  const [compact, dropIn] = await compare(browser, [
    { name: "20,000 drawn, heapflame flame", kind: "picture", file: svgOf("many.svg", many, "--minwidth", "0.03") },
    { name: "20,000 drawn, ... flamegraph.pl", kind: "picture", file: make("drop.svg", "heapflame", "flamegraph.pl", "--minwidth=0.03", many) },
  ]);
  const [ours, theirs] = [svgOf("ours.svg", many), make("theirs.svg", "perl", ORIGINAL, many)].map((file) => statSync(file).size);
  const million = generate("million.folded", "270000");
  const [large] = await compare(browser, [
    { name: "1,000,000 frames, heapflame, HTML", kind: "page", file: htmlOf("million.html", million) },
  ]);
  const tip = await measureTip(browser, join(folder, "some.html"));
  const tipOfMillion = await measureTip(browser, join(folder, "million.html"));
  const heat = await measureHeat(browser);
  await browser.chromium.close();

  console.log();
  goal("HTML of 126,000 frames", page.size, 0.8, " MB");
  console.log(`beside, without a goal: of the time of elements it opens in ${(page.open / every.open).toPrecision(3)}, zooms in ${(page.zoom / every.zoom).toPrecision(3)}`);
  for (const [text, step, limit] of [["it opens", "open", 1 / 20], ["it zooms", "zoom", 1 / 50]])
    goal(`${text}, of the time of flamegraph.pl's`, page[step] / Math.min(original[step], CAP_MS), limit, "", original[step] === Infinity);
  goal("SVG zooms, 20,000 frames", Math.max(compact.zoom, compact.unzoom, dropIn.zoom, dropIn.unzoom), 100, " ms");
  goal("SVG, of flamegraph.pl's bytes", ours / theirs, 1 / 4, "");
  goal("HTML of 1,000,000 frames opens", large.open / 1000, 3, " s");
  goal("it redraws", Math.max(large.zoom, large.unzoom), 100, " ms");
  goal("its JavaScript heap", large.heap, 200, " MB");
  goals({ median: Math.max(tip.median, tipOfMillion.median), tenth: Math.max(tip.tenth, tipOfMillion.tenth) }, heat);
}

const [, older] = /^--against=(.+)$/.exec(process.argv[2] ?? "") ?? [];
try {
  if (older) await compareWith(older);
  else await main();
} finally {
  rmSync(folder, { recursive: true });
}
process.exit(missed === 0 ? 0 : 1);
