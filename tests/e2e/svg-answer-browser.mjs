#!/usr/bin/env node
// The SVG of `heapflame flame` in real Chromium: what opens shows the answer, with and without its script, in a tab, as an
// <img>, on paper, on a dark screen; rows that are folded come back on zooming in; what is pointed at is what a click zooms.
// timeout: 600
// sanitized: no, it tests what is shown in a browser
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, expectEqual, runTests } from "../browser/browser.mjs";
import { SERVICE, click, details, draw, framesOf, manyStacks, open, search } from "../browser/svg.mjs";

const TRUNK = Array.from({ length: 24 }, (_, i) => (i === 23 ? "_PyEval_EvalFrameDefault" : `trunk_${i}`)).join(";");
const TOWER = Array.from({ length: 240 }, (_, i) => `recursion_${i}`).join(";");
// As a Python service: a trunk, a few places, and a tower that holds next to nothing.
const DEEP = `${TRUNK};json.loads;scanner_call;PyUnicode_New 52000000\n${TRUNK};app.sessions.remember;PyDict_SetItem;dictresize 31000000\n` +
  `${TRUNK};app.cache.put;list_resize 9000000\n${TRUNK};${TOWER} 400000\n`;
const CHAINS = Array.from({ length: 12 }, (_, i) => `main;${Array.from({ length: 100 }, (_, level) =>
  `service::layer${level}::Call<alloc::boxed::Box<${"core::pin::Pin<".repeat(18)}u8>>>::poll`).join(";")};place_${i};grow ${1000 * (i + 1)}\n`).join("");

const answer = (name, folded, ...options) => draw(name, folded, "answer", ...options);

// What is written into boxes that lie in the window.
const visible = (page) => page.evaluate(() => Array.from(document.querySelectorAll("#frames > g > text"))
  .filter((text) => text.getBoundingClientRect().bottom <= window.innerHeight).map((text) => text.textContent));

async function answersWithoutScript(browser) {
  for (const [name, folded, guilty] of [["deep", DEEP, ["json.loads", "app.sessions.remember", "PyUnicode_New"]], ["chains", CHAINS, ["place_11", "place_9"]],
    ["one", "main;leak 100\n", ["main", "leak"]], ["service", SERVICE, ["process_leak", "cache_fill"]]]) {
    const url = answer(name, folded, "--countname", "bytes");
    for (const viewport of [{ width: 1400, height: 900 }, { width: 800, height: 600 }]) {
      const page = await browser.page(url, { javaScriptEnabled: false, viewport });
      const shown = await visible(page);
      for (const part of guilty) expect(shown.some((text) => text.startsWith(part)), `${name} at ${viewport.width}: ${part} is not among ${shown}`);
      const [width, height] = await page.evaluate(() => [document.documentElement.getBoundingClientRect(), window].map((box) => box.width ?? box.innerHeight));
      expect(width <= viewport.width, `${name} at ${viewport.width}: ${width} px wide`);
      expect(height > 0 && await page.evaluate(() => document.documentElement.getBoundingClientRect().height) < viewport.height, `${name} at ${viewport.width} px is higher than the window`);
      await page.close();
    }
  }
}

async function fitsAnImage(browser) {
  const url = answer("picture", DEEP);
  writeFileSync("page.html", `<body style="margin:0"><img src="${url}" style="width:800px">`);
  const page = await browser.page(`file://${process.cwd()}/page.html`, { folder: `file://${process.cwd()}` });
  const { width, height } = await page.evaluate(async () => {
    const image = document.querySelector("img");
    await image.decode();
    return { width: image.naturalWidth, height: image.naturalHeight };
  });
  expect(width === 1000 && height < 700, `${width} x ${height}`);
}

// Nothing is wider than the frame that it lies on, and all frames of the chain are there.
async function unfolds(browser) {
  const page = await open(browser, answer("unfold", DEEP));
  const before = await framesOf(page);
  const fold = before.find(({ shown }) => shown === "fold");
  expectEqual(fold.title.replace(/ \(.*/, ""), "24 frames folded, from trunk_0 to _PyEval_EvalFrameDefault", "the fold");
  expect(fold.text.startsWith("24 frames: trunk_0 \u2026 _PyEval_EvalFrameDefault"), fold.text);
  expect((await page.textContent("#details")).includes("deeper rows appear when you zoom in"), await page.textContent("#details"));
  await page.click("#frames > .fold > rect");
  const open1 = await framesOf(page);
  expectEqual(open1.filter(({ name }) => /^(trunk_\d+|_PyEval_EvalFrameDefault)$/.test(name)).length, 24, "frames of the chain");
  expect(!open1.some(({ shown }) => shown.includes("fold")), "nothing is folded");
  const again = await open(browser, page.url()); // the link shows the same
  expectEqual((await framesOf(again)).length, open1.length, "by the link");
  await page.click("#unzoom");
  expectEqual((await framesOf(page)).map(({ title }) => title).sort(), before.map(({ title }) => title).sort(), "after Reset Zoom");
  await click(page, "app.cache.put");
  const zoomed = await framesOf(page);
  expect(zoomed.some(({ name, shown }) => name.startsWith("24 frames folded") && shown === "fold parent"), "what leads to it is one row");
  expect(zoomed.some(({ name }) => name === "list_resize"), "what is in it");
  await page.click("#unzoom");
  await search(page, "^recursion_239$");
  await page.waitForFunction(() => document.getElementById("matched").textContent !== " ");
  await page.click("#search");
  // The tower: its rows come when it is zoomed.
  expect(!before.some(({ name }) => name === "recursion_239"), "the tower has rows before");
  const tower = await open(browser, `${answer("unfold", DEEP)}?${[...TRUNK.split(";"), "recursion_0"].map((name) => `f=${encodeURIComponent(name)}`).join("&")}&u=1`);
  const names = (await framesOf(tower)).map(({ name }) => name);
  for (const name of ["recursion_0", "recursion_120", "recursion_239"]) expect(names.includes(name), `${name} has no row`);
}

// The names at both ends of a fold are in its title.
async function escapesFolds(browser) {
  const evil = ["</title><script>window.hit=1</script>", "<img src=x onerror=window.hit=1>\u202e"];
  const page = await open(browser, answer("evil", DEEP.replaceAll("trunk_0", evil[0]).replaceAll("_PyEval_EvalFrameDefault", evil[1])));
  const titles = (await framesOf(page)).map(({ title }) => title);
  expect(titles.some((title) => title.startsWith(`24 frames folded, from ${evil[0]} to <img src=x onerror=window.hit=1>\\u{202e} (`)), titles[1]);
  expectEqual(await page.evaluate(() => window.hit), undefined, "ran");
}

// What the script draws is what heapflame wrote, with folds, groups, numbers and relative colours.
async function drawsTheSame(browser) {
  writeFileSync("base.folded", DEEP.replace("31000000", "3000000").replace("9000000", "9900000"));
  for (const [folded, ...options] of [[DEEP], [CHAINS], [SERVICE], [SERVICE, "--reverse"], [SERVICE, "--colors", "java"], [SERVICE, "--width", "700"], [manyStacks(3000)],
    [DEEP, "--base", "base.folded"], [DEEP, "--base", "base.folded", "--negate"], [" 9\nmain;a 8\nmain;b 7\n"]]) {
    const page = await open(browser, answer("same", folded, ...options));
    const before = await framesOf(page);
    await search(page, "nobody is called so");
    await page.waitForFunction(() => document.getElementById("matched").textContent === "Matched: 0.00%");
    await page.click("#search");
    const after = await framesOf(page);
    const key = (frame) => `${frame.y} ${frame.x} ${frame.title}`;
    const sorted = (frames) => frames.map((frame) => [key(frame), frame]).sort((a, b) => (a[0] < b[0] ? -1 : 1)).map(([, frame]) => frame);
    if (folded.length < 100000) expectEqual(sorted(after), sorted(before), `${options} of ${folded.slice(0, 30)}`);
    else expectEqual(new Set(after.map(({ y }) => y)), new Set(before.map(({ y }) => y)), "rows");
    await page.close();
  }
}

// Wherever the pointer goes, nothing moves, and a click zooms what was named.
async function hoverIsClick(browser) {
  let random = 11;
  const roll = (below) => (random = random * 48271 % 2147483647) % below;
  for (const [folded, ...options] of [[DEEP], [CHAINS], [SERVICE]]) {
    const page = await open(browser, answer("hover", folded, ...options));
    const places = () => page.evaluate(() => ["#frames", "#title", "#details"].map((id) => {
      const { x, y, height } = document.querySelector(id).getBoundingClientRect();
      return [x, y, height];
    }));
    const first = await places();
    const area = await page.evaluate(() => document.querySelector("#frames").getBoundingClientRect().toJSON());
    let clicks = 0;
    for (let i = 0; i < 120; i++) {
      const [x, y] = [area.x + roll(Math.floor(area.width)), area.y + roll(Math.floor(area.height))];
      await page.mouse.move(x, y);
      expectEqual(await places(), first, `after pointing at ${x}, ${y}`);
      const said = await details(page);
      if (i % 4 !== 0 || !said.startsWith("Function: ")) continue;
      await page.mouse.click(x, y);
      const name = said.replace(/^Function: /, "");
      const frames = await framesOf(page);
      const isThere = name.includes("frames folded, from ") ? frames.some((one) => one.name === name.match(/from (.*) to /)[1]) : frames.some(({ title }) => title === name);
      expect(isThere, `a click on ${said} shows ${frames.map(({ title }) => title).slice(0, 5)}`);
      clicks++;
      if (await page.isVisible("#unzoom")) await page.click("#unzoom");
    }
    expect(clicks > 5, `${clicks} clicks`);
    await page.close();
  }
}

// The least contrast of a text in a box with what it stands on.
const leastContrast = (page) => page.evaluate(() => {
  const parse = (color) => color.match(/[\d.]+/g).map(Number);
  const ground = parse(getComputedStyle(document.querySelector("#background > stop")).stopColor);
  const luminance = (color) => color.slice(0, 3).map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const boxes = Array.from(document.querySelectorAll("#frames > g > text"), (text) => {
    const style = getComputedStyle(text.parentElement.querySelector("rect"));
    const opacity = Number(style.fillOpacity) * Number(style.opacity);
    const box = parse(style.fill).map((c, i) => c * opacity + ground[i] * (1 - opacity));
    return contrast(luminance(parse(getComputedStyle(text).fill)), luminance(box));
  });
  const others = Array.from(document.querySelectorAll("svg > text"), (text) => contrast(luminance(parse(getComputedStyle(text).fill)), luminance(ground)));
  return Math.min(...boxes, ...others);
});

async function isReadable(browser) {
  writeFileSync("base.folded", DEEP.replace("31000000", "3000000").replace("9000000", "99000000"));
  for (const colorScheme of ["light", "dark"]) {
    for (const options of [[], ["--base", "base.folded"], ["--colors", "io"]]) {
      const page = await browser.page(answer("contrast", DEEP + CHAINS, ...options), { colorScheme });
      await page.waitForSelector("#frames.live");
      const first = await leastContrast(page);
      expect(first >= 4.5, `${colorScheme} ${options}: ${first}`);
      await search(page, "json|layer1");
      await page.waitForFunction(() => document.getElementById("matched").textContent !== " ");
      const found = await leastContrast(page);
      expect(found >= 4.5, `${colorScheme} ${options}, hits: ${found}`);
      await page.close();
    }
  }
}

// The lightness of the groups' colours in OKLCH lies close together, in light and in dark.
async function coloursAreAlike(browser) {
  const folded = Array.from({ length: 10 }, (_, i) => `main;lib${i}::run;lib${i}::alloc ${100 - i}\n`).join("");
  const url = answer("groups", folded);
  const linear = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  const lightness = ([r, g, b]) => [[0.4122214708, 0.5363325363, 0.0514459929, 0.2104542553], [0.2119034982, 0.6806995451, 0.1073969566, 0.793617785],
    [0.0883024619, 0.2817188376, 0.6299787005, -0.0040720468]].reduce((sum, [x, y, z, w]) => sum + w * Math.cbrt(x * linear(r) + y * linear(g) + z * linear(b)), 0);
  for (const colorScheme of ["light", "dark"]) {
    const page = await browser.page(url, { colorScheme });
    const fills = await page.evaluate(() => Array.from(document.querySelectorAll("#frames > g > rect"), (rect) => getComputedStyle(rect).fill.match(/\d+/g).map(Number)));
    expect(new Set(fills.map(String)).size >= 10, `${new Set(fills.map(String)).size} colours`);
    const light = fills.map(lightness);
    expect(Math.max(...light) - Math.min(...light) < 0.09, `${colorScheme}: ${Math.min(...light)} to ${Math.max(...light)}`);
    const legend = await page.textContent("#legend");
    for (const name of ["lib0", "lib7", "other"]) expect(legend.includes(name), legend);
    await page.close();
  }
}

async function isOneSheet(browser) {
  for (const folded of [DEEP, CHAINS]) {
    const page = await open(browser, answer("print", folded));
    const sheets = (await page.pdf({ preferCSSPageSize: true })).toString("latin1").match(/\/Type ?\/Page\b(?!s)/g).length;
    expectEqual(sheets, 1, "sheets");
    await page.close();
  }
}

async function isSmall() {
  const sizeOf = (url) => statSync(fileURLToPath(url)).size;
  const [first, classic] = [sizeOf(answer("size", CHAINS)), sizeOf(draw("classic", CHAINS))];
  expect(first < classic && first < 200000, `${first} bytes, classic ${classic}`);
  expect(readFileSync("size.svg", "utf8").split("<g data-v=").length < 60, "boxes of what is folded");
}

await runTests(answersWithoutScript, fitsAnImage, unfolds, escapesFolds, drawsTheSame, hoverIsClick, isReadable, coloursAreAlike, isOneSheet, isSmall);
