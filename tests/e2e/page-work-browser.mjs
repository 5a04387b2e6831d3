#!/usr/bin/env node
// The work of flame graphs with very many frames, in real Chromium: how often the blocks of their scripts run, as V8 counts them.
// The bounds are little above what is needed today; times are the matter of bench/viewer.
// timeout: 600
// sanitized: no, it counts what the page does in a browser
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, runTests } from "../browser/browser.mjs";
import { drawFiles } from "../browser/page.mjs";
import { draw, manyStacks } from "../browser/svg.mjs";
import { generate, openCounted } from "../browser/work.mjs";

function expectAtMost(what, figure, bound) {
  console.log(`${what}: ${figure.toPrecision(4)}`);
  expect(figure > 0 && figure <= bound, `${what}: ${figure.toPrecision(4)}, more than ${bound}`);
}

// What one does with a page: opening reads every frame a few times, drawing reads what is seen of them.
async function counts(browser, name, stacks, least, { open, zoom, back, search, point }) {
  const { page, ran } = await openCounted(browser, drawFiles(name, [generate(name, stacks)], "-q"), "body[data-ready]");
  const opening = await ran();
  const frames = await page.evaluate(() => heapflame.main.layout.tree.count);
  expect(frames > least, `only ${frames} frames`);
  expectAtMost(`${name}: to open, for each frame`, opening / frames, open);
  await page.evaluate(() => {
    const { layout } = heapflame.main;
    const isBetter = (a, b) => layout.width[b] < layout.width[0] / 2 && !layout.chains.byHead.has(b) && !(layout.width[a] >= layout.width[b]);
    window.target = layout.rowNodes.reduce((best, node) => (isBetter(best, node) ? node : best), -1);
  });
  await ran();
  await page.evaluate(() => heapflame.zoom(heapflame.main, window.target));
  expectAtMost(`${name}: to zoom`, await ran(), zoom);
  await page.click("#reset");
  expectAtMost(`${name}: and back`, await ran(), back);
  await page.fill("#search", "flush");
  await page.waitForFunction(() => /^[1-9]/.test(document.getElementById("matched").textContent));
  expectAtMost(`${name}: to search, for each frame`, (await ran()) / frames, search);
  await page.fill("#search", "");
  await ran();
  for (let i = 0; i < 20; i++) await page.mouse.move(300 + 30 * i, 300 + 9 * i);
  expectAtMost(`${name}: to point at frames, for each move`, (await ran()) / 20, point);
  await page.close();
}

async function opensManyFrames(browser) {
  await counts(browser, "many", 33000, 125000, { open: 18, zoom: 127000, back: 197000, search: 8.4, point: 1250 });
}

async function handlesAMillionFrames(browser) {
  await counts(browser, "million", 270000, 1000000, { open: 16, zoom: 340000, back: 478000, search: 6.4, point: 700 });
}

// What is known of each name, as its colour, is found once: a picture without them takes no step for each of very many names.
async function zoomsAmongManyNames(browser) {
  const names = 100000;
  const file = resolve("names.folded");
  writeFileSync(file, ["main;few;one 3000000", "main;few;two 2000000", ...Array.from({ length: names }, (_, i) => `main;rest;name_${i} 10`), ""].join("\n"));
  const { page, ran } = await openCounted(browser, drawFiles("names", [file], "-q"), "body[data-ready]");
  expectAtMost("names: to open, for each name", (await ran()) / names, 19.5);
  expect(await page.evaluate(() => heapflame.main.layout.tree.count) > names, "names are not there");
  const zoom = (name) => page.evaluate((wanted) => {
    const { main, profile } = heapflame;
    heapflame.zoom(main, main.layout.tree.name.indexOf(profile.names.indexOf(wanted)));
  }, name);
  await zoom("few");
  await ran();
  await page.click("#reset");
  await ran();
  await zoom("few");
  expectAtMost("names: to zoom where few are", await ran(), 1000);
  await page.close();
}

// The SVG is redrawn from its own data: as much of it as is wide enough to be seen.
async function zoomsPictures(browser) {
  const { page, ran } = await openCounted(browser, draw("picture", manyStacks(12000)), "#frames.live");
  const opening = await ran();
  const frames = await page.evaluate(() => JSON.parse(document.getElementById("head").textContent).nodes);
  expect(frames > 40000, `only ${frames} frames`);
  expectAtMost("picture: to open, for each frame", opening / frames, 21.5);
  await page.evaluate(() => {
    const group = Array.from(document.querySelectorAll("#frames > g")).find(({ textContent }) => textContent.startsWith("f3_"));
    group.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  });
  expectAtMost("picture: to zoom", await ran(), 42000);
  await page.click("#unzoom");
  expectAtMost("picture: and back", await ran(), 920000);
  await page.close();
}

await runTests(opensManyFrames, handlesAMillionFrames, zoomsAmongManyNames, zoomsPictures);
